// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for what a test needs from the system: threads, users, files, modules. */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#include "guest.h"

/* ---- threads and users ---------------------------------------------------------- */

pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

/*
 * In /proc/TID/stat, the thread's name is in parentheses and may contain any character. So search
 * for the last ")" and parse the text after it.
 */
char thread_state(pid_t tid)
{
	char path[64], text[1024], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (try_read_text(path, text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

unsigned int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static void set_ids(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		abort();
	/*
	 * The change of IDs has cleared the dumpable flag. Each program that the user starts has
	 * this flag, so set it again.
	 */
	prctl(PR_SET_DUMPABLE, 1);
}

void become(uid_t uid)
{
	set_ids(uid);
}

void become_with_capability(uid_t uid, int capability)
{
	struct __user_cap_header_struct header = { .version =
							   _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	prctl(PR_SET_KEEPCAPS, 1);
	set_ids(uid);
	data[capability / 32].permitted = data[capability / 32].effective =
		1u << (capability % 32);
	ck_assert_int_eq(syscall(SYS_capset, &header, data), 0);
	prctl(PR_SET_DUMPABLE, 1);
}

static char paranoid_before[16];
static pid_t who_opened;

static void restore_paranoid(void)
{
	if (getpid() == who_opened)
		try_write_text(PARANOID, paranoid_before);
}

void let_users_count(void)
{
	if (try_read_text(PARANOID, paranoid_before, sizeof(paranoid_before)))
		return;
	who_opened = getpid();
	atexit(restore_paranoid);
	try_write_text(PARANOID, "1\n");
}

/* ---- files ------------------------------------------------------------------------ */

int try_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length, all = 0;

	if (fd == -1)
		return -1;
	while ((length = read(fd, text + all, size - 1 - all)) > 0)
		all += length;
	text[all] = '\0';
	close(fd);
	return length < 0 ? -1 : 0;
}

int try_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd == -1)
		return errno;
	if (write(fd, text, strlen(text)) == -1)
		error = errno;
	close(fd);
	return error;
}

const char *read_text(const char *path)
{
	static char text[65536];

	ck_assert_msg(!try_read_text(path, text, sizeof(text)), "%s: %s", path,
		      strerror(errno));
	return text;
}

uint64_t read_number(const char *path)
{
	const char *text = read_text(path);
	unsigned long long number;
	char rest;

	ck_assert_msg(sscanf(text, "%llu%c", &number, &rest) == 2 && rest == '\n',
		      "%s: \"%s\" is not a number and a newline", path, text);
	return number;
}

void write_text(const char *path, const char *text)
{
	int error = try_write_text(path, text);

	ck_assert_msg(!error, "%s: %s", path, strerror(error));
}

bool path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

uint64_t sessions(void)
{
	return read_number(SYSFS "task_sessions_count") +
	       read_number(SYSFS "sys_sessions_count");
}

static bool reads_0(const char *path)
{
	char text[64];

	return try_read_text(path, text, sizeof(text)) || !strcmp(text, "0\n");
}

bool no_session_is_left(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (reads_0(SYSFS "task_sessions_count") &&
		    reads_0(SYSFS "sys_sessions_count"))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

uint64_t free_memory(void)
{
	const char *line = strstr(read_text("/proc/meminfo"), "MemFree:");
	uint64_t kilobytes;

	ck_assert(line && sscanf(line, "MemFree: %ju kB", &kilobytes) == 1);
	return kilobytes * 1024;
}

#define SYSLOG_ACTION_READ_ALL                                                           \
	3 /* from linux/syslog.h, which is not exported to user space */

const char *kernel_log(void)
{
	static char text[16384];
	int length = klogctl(SYSLOG_ACTION_READ_ALL, text, sizeof(text) - 1);

	ck_assert_int_ge(length, 0);
	text[length] = '\0';
	return text;
}

/* tests/vm/run looks for these two lines in the kernel's log. */
#define EXPECTED     "tests: reports are expected"
#define NOT_EXPECTED "tests: reports are not expected"

void reports_begin(void)
{
	write_text("/dev/kmsg", "<4>" EXPECTED "\n");
}

unsigned int reports_end(const char *report)
{
	const char *log = kernel_log(), *begin = NULL, *at;
	unsigned int count = 0;

	for (at = log; (at = strstr(at, EXPECTED)); at++)
		begin = at;
	ck_assert_msg(begin, "the kernel's log has no \"%s\"", EXPECTED);
	for (at = begin; (at = strstr(at, report)); at++)
		count++;
	write_text("/dev/kmsg", "<4>" NOT_EXPECTED "\n");
	return count;
}

/* ---- modules ------------------------------------------------------------------------ */

const char *module_path(const char *name)
{
	static char path[256];
	struct utsname system;

	uname(&system);
	snprintf(path, sizeof(path), "/lib/modules/%s/updates/%s.ko", system.release,
		 name);
	return path;
}

/* Returns the module's parameters on the kernel's command line. */
static const char *boot_parameters(const char *module)
{
	static char parameters[128];
	const size_t length = strlen(module);
	char text[4096], *word, *rest = text;

	ck_assert(!try_read_text("/proc/cmdline", text, sizeof(text)));
	parameters[0] = '\0';
	while ((word = strsep(&rest, " \n"))) {
		size_t used = strlen(parameters);

		if (!strncmp(word, module, length) && word[length] == '.')
			snprintf(parameters + used, sizeof(parameters) - used, "%s ",
				 word + length + 1);
	}
	return parameters;
}

/*
 * If @parameters is empty, uses the parameters on the kernel's command line, as modprobe does. So a
 * module that a test loads again has the same parameters as at boot.
 */
int module_load(const char *name, const char *parameters)
{
	int fd = open(module_path(name), O_RDONLY | O_CLOEXEC);
	int error = 0;

	if (!*parameters)
		parameters = boot_parameters(name);
	ck_assert_msg(fd != -1, "%s: %s", module_path(name), strerror(errno));
	if (syscall(SYS_finit_module, fd, parameters, 0))
		error = errno;
	close(fd);
	return error;
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

/* A line of /proc/modules begins with the module's name, its size and its number of users. */
int module_users(const char *name)
{
	const char *line = read_text("/proc/modules");
	size_t length = strlen(name);
	int users;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ' &&
		    sscanf(line + length, "%*u %d", &users) == 1)
			return users;
	}
	return -1;
}

bool module_is_loaded(const char *name)
{
	return module_users(name) >= 0;
}

static const char *parameter_path(const char *module, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	return path;
}

uint64_t module_parameter(const char *module, const char *name)
{
	return strtoull(read_text(parameter_path(module, name)), NULL, 0);
}

void set_module_parameter(const char *module, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%jx\n", (uintmax_t)value);
	write_text(parameter_path(module, name), text);
}

const char *pmu_module(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "perfmon_%s", pmu()->info.pmu_name);
	return name;
}

/*
 * Returns the name of the module for the hardware's PMU. It is possible that this module was not
 * built.
 */
static const char *hardware_pmu_module(void)
{
#if defined(__aarch64__)
	return "perfmon_armv8";
#elif defined(__powerpc64__)
	return "perfmon_power";
#else
	/* perf has this device if the processor has a PMU. */
	if (!path_exists("/sys/bus/event_source/devices/cpu"))
		return "perfmon_soft";
	return strstr(read_text("/proc/cpuinfo"), "GenuineIntel") ? "perfmon_intel"
								  : "perfmon_amd";
#endif
}

const char *best_pmu_module(void)
{
	const char *module = hardware_pmu_module();

	return path_exists(module_path(module)) ? module : "perfmon_soft";
}

bool is_debug_kernel(void)
{
	return path_exists("/sys/kernel/debug/kmemleak");
}

const char *copy_of(const char *program, uid_t uid, mode_t mode)
{
	static char path[64];
	char buffer[65536];
	int from = open(program, O_RDONLY), to;
	ssize_t size;

	snprintf(path, sizeof(path), "/tmp/perfmon-tests.%d", getpid());
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert(from != -1 && to != -1);
	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		ck_assert_int_eq(write(to, buffer, size), size);
	ck_assert_int_eq(fchown(to, uid, uid), 0);
	ck_assert_int_eq(fchmod(to, mode), 0);
	close(from);
	close(to);
	return path;
}

const char *copy_of_this(uid_t uid, mode_t mode)
{
	return copy_of("/proc/self/exe", uid, mode);
}
