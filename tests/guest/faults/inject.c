// SPDX-License-Identifier: GPL-2.0-only
/* Makes allocations fail, with the kernel's own fault injection or with a test module. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

#include "injector.h"

static const struct injector *injector;
static int log_fd = -1;
static int console_level;

/* ---- for injectors -------------------------------------------------------------------- */

int inject_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	ck_assert_msg(fd != -1, "%s: %s", path, strerror(errno));
	return fd;
}

void inject_write(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) == -1)
		abort();
}

void inject_write_number(int fd, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	inject_write(fd, text);
}

unsigned int inject_read_number(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return strtoul(text, NULL, 10);
}

/* ---- for tests ------------------------------------------------------------------------ */

static char *thread_pointer(void)
{
#ifdef __powerpc64__ /* GCC 12 has no __builtin_thread_pointer() for POWER */
	register char *pointer asm("r13");

	asm("" : "=r"(pointer));
	return pointer;
#else
	return __builtin_thread_pointer();
#endif
}

/*
 * Unregisters the C library's rseq area. The kernel writes the CPU's number to this area before a
 * preempted thread returns to user mode. After a fork this write needs a new page. If there is no
 * page, the kernel sends SIGSEGV.
 */
static void leave_rseq(void)
{
	char *area = thread_pointer() + __rseq_offset;

	if (__rseq_size)
		ck_assert_int_eq(syscall(SYS_rseq, area, sizeof(struct rseq),
					 RSEQ_FLAG_UNREGISTER, RSEQ_SIG),
				 0);
}

void inject_open(void)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	injector = kernel_can_inject() ? &kernel_injector : &module_injector;
	injector->open();
	leave_rseq();
	log_fd = inject_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	console_level = read_text("/proc/sys/kernel/printk")[0] - '0';
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &all), 0);
}

void inject_close(void)
{
	module_unload(INJECT_MODULE);
}

void inject_kind(enum inject_kind kind)
{
	injector->kind(kind);
}

void inject_workers(void)
{
	if (injector->workers)
		injector->workers();
}

/*
 * Lets the console show only messages of level KERN_ERR and more severe ones. The messages of KASAN
 * have level KERN_ERR, so the console still shows them.
 */
static void silence_console(void)
{
	lseek(log_fd, 0, SEEK_END);
	klogctl(8, NULL, 4);
}

void inject_arm(unsigned int nth)
{
	/* If a page fault found no memory, the kernel would repeat it for ever. */
	ck_assert_int_eq(mlockall(MCL_CURRENT), 0);
	silence_console();
	injector->arm(0, nth);
}

void inject_arm_process(pid_t pid, unsigned int nth)
{
	silence_console();
	injector->arm(pid, nth);
}

/*
 * @record: a record of the kernel's log. Fails the test if the record reports a problem other than
 * a failed allocation.
 */
static void look_for_complaint(const char *record)
{
	static const char *const complaints[] = {
		"WARNING:", "BUG:", "INFO:",
		/*
		 * When kmemleak prints one of these messages, it turns itself off. Then its
		 * search after the tests would find no leaks.
		 */
		"kmemleak: Cannot allocate a kmemleak_object structure",
		"kmemleak: Kernel memory leak detector disabled"
	};
	size_t i;

	/*
	 * The kernel warns if it has no memory for the static keys of a module. This warning is
	 * only about a failed allocation.
	 */
	if (strstr(record, "kernel/jump_label.c:"))
		return;
	for (i = 0; i < COUNT(complaints); i++)
		ck_assert_msg(!strstr(record, complaints[i]), "%sthe kernel says: %s",
			      subject, record);
}

static void read_log(struct injected *found)
{
	char record[8192];
	ssize_t length;

	while ((length = read(log_fd, record, sizeof(record) - 1)) > 0 ||
	       (length == -1 && errno == EPIPE)) {
		if (length == -1)
			continue; /* later records have overwritten this one */
		record[length] = '\0';
		look_for_complaint(record);
		if (injector->read)
			injector->read(record, found);
	}
}

struct injected inject_disarm(void)
{
	struct injected found = {};

	injector->disarm(&found);
	klogctl(8, NULL, console_level);
	read_log(&found);
	return found;
}
