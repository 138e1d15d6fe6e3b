// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for all tests: the loaded PMU, contexts, and checks of their counts. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <perfmon/perfmon_amd.h>
#include <perfmon/perfmon_armv8.h>
#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_power.h>
#include <perfmon/perfmon_soft.h>

#include "measure.h"

/* ---- calls -------------------------------------------------------------------- */

const char *subject = "";

const char *sentence(int fd)
{
	static char text[PFM_LAST_ERROR_SIZE];

	return pfm_last_error(fd, text, sizeof(text));
}

const char *wrong_failure(int fd, long result, int error, int wanted_errno,
			  unsigned int wanted_reason, uint32_t wanted_index)
{
	static char text[256];
	struct pfm_error found;

	if (result != -1) {
		snprintf(text, sizeof(text), "returns %ld, should fail with %s", result,
			 strerror(wanted_errno));
		return text;
	}
	if (pfm_get_error(fd, &found)) {
		snprintf(text, sizeof(text), "%s; the last error is not available: %s",
			 strerror(error), strerror(errno));
		return text;
	}
	if (error == wanted_errno && found.error == wanted_errno &&
	    found.reason == wanted_reason && found.index == wanted_index)
		return NULL;
	snprintf(text, sizeof(text),
		 "errno %d (%s), last error %d, reason %u, index %d; should be errno %d, "
		 "reason %u, index %d",
		 error, strerror(error), found.error, found.reason, (int)found.index,
		 wanted_errno, wanted_reason, (int)wanted_index);
	return text;
}

/* ---- the PMU ------------------------------------------------------------------- */

/* Picks @count numbers below @end that are in @map. The test fails if @map has fewer of them. */
static void pick(unsigned int *numbers, size_t count, const uint64_t *map,
		 unsigned int end)
{
	unsigned int n;
	size_t found = 0;

	for (n = 0; n < end && found < count; n++)
		if (map[n / 64] >> (n % 64) & 1)
			numbers[found++] = n;
	ck_assert_msg(found == count, "only %zu PMCs with numbers below %u are available",
		      found, end);
}

static unsigned int first_missing(const uint64_t *map)
{
	unsigned int n;

	for (n = 0; map[n / 64] >> (n % 64) & 1; n++)
		;
	return n;
}

/* Chooses PMCs and PMDs of a PMU in which PMC n drives PMD n. */
static void take(struct pmu *pmu, unsigned int end, uint64_t busy, uint64_t quiet)
{
	size_t i;

	pick(pmu->pmcs, COUNT(pmu->pmcs), pmu->info.available_pmcs, end);
	memcpy(pmu->pmds, pmu->pmcs, sizeof(pmu->pmds));
	for (i = 0; i < COUNT(pmu->pmcs); i++) {
		pmu->busy[i] = busy;
		pmu->quiet[i] = quiet;
	}
}

#define ARMV8_CPU_CYCLES 0x11 /* Arm ARM, common event numbers */
#define MIDR_PART_A35	 0xd04
#define MIDR_PART_A57	 0xd07

static void describe_armv8(struct pmu *pmu)
{
	const unsigned int part = pmu->info.pmu_id >> 4 & 0xfff;

	take(pmu, PFM_ARMV8_CYCLE_COUNTER, ARMV8_CPU_CYCLES, 0 /* SW_INCR */);
	/*
	 * Cortex-A35 and Cortex-A57 have PMUv3 without extensions, so their event numbers
	 * have 10 bits.
	 */
	pmu->has_bad_value = part == MIDR_PART_A35 || part == MIDR_PART_A57;
	pmu->bad_value = 0x400;
	pmu->can_narrow = true;
}

static void describe_soft(struct pmu *pmu)
{
	take(pmu, PFM_SOFT_COUNTERS, PFM_SOFT_TASK_CLOCK, PFM_SOFT_NOTHING);
	pmu->has_bad_value = true;
	pmu->bad_value = 99;
}

#define POWER_CYCLES 0x1eull /* PM_CYC, on any of PMC1 to PMC4 */

static void describe_power(struct pmu *pmu)
{
	size_t i;

	for (i = 0; i < COUNT(pmu->pmcs); i++) {
		pmu->pmcs[i] = PFM_POWER_MMCR1;
		pmu->pmds[i] = PFM_POWER_PMC1 + i;
		pmu->quiet[i] = i ? pmu->busy[i - 1] : 0;
		pmu->busy[i] = pmu->quiet[i] |
			       POWER_CYCLES << PFM_POWER_MMCR1_SELECT_SHIFT(pmu->pmds[i]);
	}
}

#define INTEL_CYCLES	0x3c
#define AMD_CYCLES	0x76
#define AMD_NORTHBRIDGE 0xe0 /* the northbridge's first event in families up to 14h */

static void describe_intel(struct pmu *pmu)
{
	take(pmu, PFM_INTEL_FIXED,
	     INTEL_CYCLES | PFM_INTEL_PMC_USER | PFM_INTEL_PMC_KERNEL, 0);
	pmu->can_narrow = true;
}

static void describe_amd(struct pmu *pmu)
{
	take(pmu, 16, AMD_CYCLES | PFM_AMD_PMC_USER | PFM_AMD_PMC_KERNEL, 0);
	/* If the PMU has four counters, its module refuses the northbridge's events. */
	pmu->has_bad_value = pmu->info.implemented_pmds[0] == 0xf;
	pmu->bad_value = AMD_NORTHBRIDGE;
	pmu->can_narrow = true;
}

static void describe(struct pmu *pmu)
{
	int fd = pfm_open_device();

	ck_assert_msg(fd != -1, "%s", sentence(-1));
	must(fd, pfm_get_info(fd, &pmu->info));
	close(fd);
	if (!strcmp(pmu->info.pmu_name, "armv8"))
		describe_armv8(pmu);
	else if (!strcmp(pmu->info.pmu_name, "soft"))
		describe_soft(pmu);
	else if (!strcmp(pmu->info.pmu_name, "power"))
		describe_power(pmu);
	else if (!strcmp(pmu->info.pmu_name, "intel"))
		describe_intel(pmu);
	else if (!strcmp(pmu->info.pmu_name, "amd"))
		describe_amd(pmu);
	else
		ck_abort_msg("PMU \"%s\" is not known to these tests",
			     pmu->info.pmu_name);
	pmu->missing_pmc = first_missing(pmu->info.implemented_pmcs);
	pmu->missing_pmd = first_missing(pmu->info.implemented_pmds);
}

static struct pmu the_pmu;

const struct pmu *pmu(void)
{
	if (!the_pmu.info.version)
		describe(&the_pmu);
	return &the_pmu;
}

void pmu_forget(void)
{
	the_pmu = (struct pmu){};
}

bool pmu_is(const char *name)
{
	return !strcmp(pmu()->info.pmu_name, name);
}

/* ---- contexts ------------------------------------------------------------------ */

int make_context(void)
{
	pfarg_ctx_t ctx = {};
	int fd = pfm_create_context(&ctx, NULL, NULL, 0);

	ck_assert_msg(fd != -1, "pfm_create_context: %s (%s)", strerror(errno),
		      sentence(-1));
	return fd;
}

/*
 * The effective user ID of the process that creates a context determines at which levels the
 * context may count.
 */
int context_at_user_level(void)
{
	pfarg_ctx_t ctx = {};
	int fd;

	write_text(PARANOID, "2\n");
	ck_assert_int_eq(seteuid(USER_ID), 0);
	fd = pfm_create_context(&ctx, NULL, NULL, 0);
	ck_assert_int_eq(seteuid(0), 0);
	write_text(PARANOID, "1\n");
	ck_assert_msg(fd != -1, "%s", sentence(-1));
	return fd;
}

void write_pmc(int fd, unsigned int pmc, uint64_t value)
{
	pfarg_pmc_t element = { .reg_num = pmc, .reg_value = value };

	must(fd, pfm_write_pmcs(fd, &element, 1));
}

void write_pmd(int fd, unsigned int pmd, uint64_t value)
{
	pfarg_pmd_t element = { .reg_num = pmd, .reg_value = value };

	must(fd, pfm_write_pmds(fd, &element, 1));
}

uint64_t read_pmd(int fd, unsigned int pmd)
{
	pfarg_pmd_t element = { .reg_num = pmd };

	must(fd, pfm_read_pmds(fd, &element, 1));
	return element.reg_value;
}

bool is_only_sampled(int fd, unsigned int pmd)
{
	pfarg_pmd_t element = { .reg_num = pmd };
	struct pfm_error error;

	return pfm_read_pmds(fd, &element, 1) && !pfm_get_error(fd, &error) &&
	       error.reason == PFM_REASON_ONLY_SAMPLED;
}

int try_load(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm_load_context(fd, &load);
}

void load(int fd, pid_t tid)
{
	must(fd, try_load(fd, tid));
}

struct pfm_status status_of(int fd)
{
	struct pfm_status status;

	must(fd, pfm_get_status(fd, &status));
	return status;
}

struct pfarg_setinfo set_of(int fd, unsigned int id)
{
	struct pfarg_setinfo info = { .set_id = id };

	must(fd, pfm_getinfo_evtsets(fd, &info, 1));
	return info;
}

void use_busy_counters(int fd)
{
	write_pmc(fd, pmu()->pmcs[0], pmu()->busy[0]);
	write_pmd(fd, pmu()->pmds[0], 0);
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	write_pmd(fd, PFM_PMD_MINOR_FAULTS, 0);
}

int busy_context(void)
{
	int fd = make_context();

	use_busy_counters(fd);
	return fd;
}

int busy_context_on(pid_t tid)
{
	int fd = busy_context();

	load(fd, tid);
	must(fd, pfm_start(fd, NULL));
	return fd;
}

/* ---- checking counts ------------------------------------------------------------- */

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	ck_assert_int_eq(clock_gettime(clock, &time), 0);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

uint64_t cpu_time(void)
{
	return now(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

void touch_pages(uint64_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t n;

	if (memory == MAP_FAILED)
		abort();
	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (n = 0; n < pages; n++)
		memory[n * page] = 1;
	munmap((void *)memory, pages * page);
}

void spin_turns(uint64_t turns)
{
	volatile uint64_t turn;

	for (turn = 0; turn < turns; turn++)
		;
}

struct reading {
	uint64_t wall;
	uint64_t cpu;
	uint64_t faults;
	uint64_t switches;
};

static struct reading take_reading(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (struct reading){
		.wall = now(CLOCK_MONOTONIC),
		.cpu = cpu_time(),
		.faults = usage.ru_minflt,
		.switches = usage.ru_nvcsw + usage.ru_nivcsw,
	};
}

static struct reading difference(const struct reading readings[2])
{
	return (struct reading){
		.wall = readings[1].wall - readings[0].wall,
		.cpu = readings[1].cpu - readings[0].cpu,
		.faults = readings[1].faults - readings[0].faults,
		.switches = readings[1].switches - readings[0].switches,
	};
}

static void check_range(const char *name, uint64_t count, uint64_t at_least,
			uint64_t at_most)
{
	ck_assert_msg(count >= at_least && count <= at_most,
		      "%s: %ju, should be %ju to %ju", name, (uintmax_t)count,
		      (uintmax_t)at_least, (uintmax_t)at_most);
}

/*
 * If the clock does not count instructions, the CPU time that the kernel accounts is too coarse for
 * such short work. Then the only upper bound is the elapsed time.
 */
static void check_task_clock(uint64_t clock, const struct reading *inner,
			     const struct reading *outer)
{
	if (is_deterministic())
		must_be_cpu_time("task clock", clock,
				 less_switches(inner->cpu, inner->switches), outer->cpu);
	else
		check_range("task clock", clock, 1, outer->wall);
}

/*
 * Under --icount each instruction takes one cycle and 1 ns, so every busy counter counts at least
 * @instructions. A context at user level does not count the kernel's part of the CPU time.
 */
static void check_busy_counter(uint64_t busy, uint64_t instructions,
			       const struct reading *outer)
{
	if (is_deterministic())
		check_range("busy counter", busy, instructions,
			    outer->cpu + interrupts_within(outer->cpu));
	else
		check_range("busy counter", busy, 1,
			    pmu_is("soft") ? outer->wall : UINT64_MAX);
}

void count_must_be_right(int fd)
{
	const uint64_t pages = 64, instructions = 500000;
	struct reading outers[2], inners[2], outer, inner;
	uint64_t busy, clock, faults;

	must(fd, pfm_unload_context(fd));
	use_busy_counters(fd);
	load(fd, thread_id());
	outers[0] = take_reading();
	must(fd, pfm_start(fd, NULL));
	inners[0] = take_reading();
	touch_pages(pages);
	loop(instructions);
	inners[1] = take_reading();
	must(fd, pfm_stop(fd));
	outers[1] = take_reading();
	busy = read_pmd(fd, pmu()->pmds[0]);
	clock = read_pmd(fd, PFM_PMD_TASK_CLOCK);
	faults = read_pmd(fd, PFM_PMD_MINOR_FAULTS);
	must(fd, pfm_unload_context(fd));

	inner = difference(inners);
	outer = difference(outers);
	check_range("minor faults", faults, inner.faults, outer.faults);
	check_range("minor faults", faults, pages, UINT64_MAX);
	check_task_clock(clock, &inner, &outer);
	check_busy_counter(busy, instructions, &outer);
	ck_assert_uint_eq(read_pmd(fd, pmu()->pmds[0]), busy);
}

/* ---- messages --------------------------------------------------------------------- */

void must_end(int fd)
{
	struct pfarg_ovfl_msg message, only_type = { .msg_type = PFM_MSG_END };
	ssize_t size = read(fd, &message, sizeof(message));

	ck_assert_msg(size == sizeof(message), "read: %zd (%s)", size,
		      size < 0 ? strerror(errno) : "bytes");
	ck_assert_uint_eq(message.msg_type, PFM_MSG_END);
	ck_assert_mem_eq(&message, &only_type, sizeof(message));
}

void must_be_silent(int fd)
{
	struct pfarg_ovfl_msg message;
	int flags = fcntl(fd, F_GETFL);

	ck_assert_int_eq(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	must_fail_errno(read(fd, &message, sizeof(message)), EAGAIN);
	ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
}
