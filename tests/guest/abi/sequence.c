// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a fixed sequence of all kinds of calls and prints all results as text. A 32-bit build of
 * this program must print the same text as a 64-bit build.
 *
 * Needs the software PMU. Times are not printed. The number of page faults is exact, because the
 * counted work is done twice, and only the page faults of the second round are printed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_soft.h>

/* Addresses that a wrong conversion from 32 to 64 bits would sign-extend. */
#define HIGH_ADDRESS 0xf0000000ul
#define HIGH_SIZE    0x10000ul

#define FIRST_FAULT  0x123456789abcdef0ull

static int fd;

static void dump(const char *name, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	size_t i;

	printf("%s (%zu):", name, size);
	for (i = 0; i < size; i++)
		printf("%s%02x", i % 32 ? "" : "\n  ", bytes[i]);
	putchar('\n');
}

static void print_result(const char *call, long result)
{
	int error = errno;
	char text[PFM_LAST_ERROR_SIZE];
	struct pfm_error details;

	printf("%s: %d", call, result < 0 ? -1 : 0);
	if (result < 0)
		printf(" errno %d, %s", error, pfm_last_error(fd, text, sizeof(text)));
	putchar('\n');
	if (!pfm_get_error(fd, &details))
		dump("  error", &details, sizeof(details));
}

#define TELL(call) print_result(#call, call)

static void tell_status(void)
{
	struct pfm_status status;

	TELL(pfm_get_status(fd, &status));
	status.target = !!status.target;
	dump("status", &status, sizeof(status));
}

static void tell_set(struct pfarg_setinfo *info)
{
	memset(info, 0, sizeof(*info));
	TELL(pfm_getinfo_evtsets(fd, info, 1));
	info->set_act_duration = !!info->set_act_duration;
	dump("set", info, sizeof(*info));
}

static void touch(volatile char *memory, size_t page, unsigned int pages)
{
	unsigned int i;

	madvise((void *)memory, pages * page, MADV_DONTNEED);
	for (i = 0; i < pages; i++)
		memory[i * page] = 1;
}

static void tell_refusals(void)
{
	static struct pfarg_pmd many[1000];
	struct pfm_vector vector = { .address = 1, .count = 1 };
	struct pfm_create create = { .pmu_name = 0x8000000000000000ull };

	TELL(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	create = (struct pfm_create){ .context.ctx_flags = 0x80000000 };
	TELL(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	TELL(pfm_start(fd, NULL));
	create = (struct pfm_create){};
	TELL(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	TELL(ioctl(fd, PFM_IOC_CREATE_CONTEXT, &create));
	TELL(ioctl(fd, PFM_IOC_READ_PMDS, &vector));
	vector.address = 0xfffffffffffff000ull;
	TELL(ioctl(fd, PFM_IOC_READ_PMDS, &vector));
	vector.element_size = 1;
	TELL(ioctl(fd, PFM_IOC_READ_PMDS, &vector));
	TELL(ioctl(fd, PFM_IOC_READ_PMDS, NULL));
	TELL(ioctl(fd, _IO(PFM_IOC_TYPE, 99)));
	TELL(pfm_write_pmds(fd, many, 1000));
	TELL(pfm_write_pmds(fd, many, -1));
	TELL(pfm_read_pmds(fd, many, 1));
	TELL(pfm_start(fd, NULL));
	TELL(pfm_restart(fd));
}

static void program(struct pfarg_pmc *pmcs, struct pfarg_pmd *pmds, int count)
{
	int i;

	memset(pmcs, 0, count * sizeof(*pmcs));
	memset(pmds, 0, count * sizeof(*pmds));
	for (i = 0; i < count; i++) {
		pmcs[i].reg_num = i;
		pmcs[i].reg_value = i % 2 ? PFM_SOFT_MINOR_FAULTS : PFM_SOFT_NOTHING;
		pmds[i].reg_num = i;
		pmds[i].reg_value = 0xfedcba9876543210ull + i;
		pmds[i].reg_long_reset = -1ull - i;
	}
	TELL(pfm_write_pmcs(fd, pmcs, count));
	TELL(pfm_write_pmds(fd, pmds, count));
	pmcs[2].reg_value =
		0x100000001ull; /* the lower half alone would be a valid event */
	TELL(pfm_write_pmcs(fd, pmcs, count));
	pmds[count - 1].reg_num = PFM_PMD_MINOR_FAULTS;
	pmds[count - 1].reg_value = FIRST_FAULT;
	TELL(pfm_write_pmds(fd, &pmds[count - 1], 1));
}

static void tell_child(struct pfarg_load *load)
{
	struct pfarg_ovfl_msg message;
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	memset(load, 0, sizeof(*load));
	load->load_pid = child;
	TELL(pfm_load_context(fd, load));
	TELL(pfm_load_context(fd, load));
	TELL(pfm_start(fd, NULL));
	tell_status();
	kill(child, SIGKILL);
	printf("poll: %d", poll(&poller, 1, -1));
	printf(" %x\n", (unsigned int)poller.revents);
	memset(&message, 0xaa, sizeof(message));
	printf("read: %zd\n", read(fd, &message, sizeof(message)));
	dump("message", &message, sizeof(message));
	waitpid(child, NULL, 0);
	TELL(pfm_stop(fd));
	tell_status();
}

int main(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const unsigned int pages = 64;
	char *high = mmap((void *)HIGH_ADDRESS, HIGH_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	struct pfarg_pmc *pmcs = (void *)high;
	struct pfarg_pmd *pmds = (void *)(high + 0x2000);
	struct pfarg_load *load = (void *)(high + 0x6000);
	struct pfarg_start *start = (void *)(high + 0x7000);
	struct pfarg_setinfo *info = (void *)(high + 0x8000);
	struct pfm_info *machine = (void *)(high + 0x9000);
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long faults;
	int i;

	if (high == MAP_FAILED || memory == MAP_FAILED)
		return 2;
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	fd = pfm_open_device();
	TELL(pfm_get_info(fd, machine));
	dump("info", machine, sizeof(*machine));
	tell_refusals();
	program(pmcs, pmds, PFM_SOFT_COUNTERS);
	tell_set(info);
	tell_status();

	memset(load, 0, sizeof(*load));
	load->load_pid = syscall(SYS_gettid);
	TELL(pfm_load_context(fd, load));
	for (i = 0; i < 2; i++) {
		int results[4];

		memset(start, 0, sizeof(*start));
		pmds[PFM_SOFT_COUNTERS - 1].reg_value = FIRST_FAULT;
		results[0] = pfm_write_pmds(fd, &pmds[PFM_SOFT_COUNTERS - 1], 1);
		results[1] = pfm_start(fd, start);
		touch(memory, page, pages);
		results[2] = pfm_stop(fd);
		results[3] = pfm_read_pmds(fd, pmds, PFM_SOFT_COUNTERS);
		/* The first round also has page faults in the stack and in the code. */
		if (i == 0)
			continue;
		dump("results", results, sizeof(results));
		faults = pmds[PFM_SOFT_COUNTERS - 1].reg_value - FIRST_FAULT;
		printf("faults: %llu\n", faults);
		pmds[1].reg_value -= pmds[3].reg_value - 2;
		pmds[5].reg_value -= pmds[3].reg_value - 2;
		pmds[3].reg_value = 0;
		dump("pmds", pmds, PFM_SOFT_COUNTERS * sizeof(*pmds));
	}
	start->start_set = 9;
	TELL(pfm_start(fd, start));
	tell_set(info);
	TELL(pfm_unload_context(fd));
	TELL(pfm_unload_context(fd));
	tell_child(load);
	TELL(close(fd));
	return 0;
}
