// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests event sets, pfm_read(), and mmap() of the buffers of all sampling formats. The program is
 * built for 32 bits and for 64 bits. The expected number of page faults is the number of pages that
 * the program touches. The expected number of samples is the number of context switches that
 * getrusage() reports.
 *
 * The program needs the software PMU, which can count context switches. Each switch away from the
 * thread makes the counter overflow, which gives a sample. On failure the program prints a line
 * that begins with "WRONG", and exits with status 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>
#include <perfmon/perfmon_soft.h>

#define SETS	    3
#define FIRST	    0xfedcba9800000000ull
#define PAGES	    64
#define TURNS	    10
#define BUFFER_SIZE 12288

static volatile char *memory;
static size_t page;
static int wrong;

static void must(const char *what, int result)
{
	if (result == -1) {
		char why[PFM_LAST_ERROR_SIZE];

		printf("WRONG %s: %s, %s\n", what, strerror(errno),
		       pfm_last_error(-1, why, sizeof(why)));
		exit(1);
	}
}

#define MUST(call) must(#call, call)

static void check(const char *what, uint64_t value, uint64_t truth)
{
	if (value == truth)
		return;
	printf("WRONG %s: %llu, not %llu\n", what, (unsigned long long)value,
	       (unsigned long long)truth);
	wrong = 1;
}

static void check_value(const char *what, uint64_t value, uint64_t truth)
{
	printf("%s: %llu\n", what, (unsigned long long)value);
	check(what, value, truth);
}

static void touch(unsigned int pages)
{
	unsigned int i;

	madvise((void *)memory, pages * page, MADV_DONTNEED);
	for (i = 0; i < pages; i++)
		memory[i * page] = 1;
}

static int new_context(const char *format, void *argument, size_t size)
{
	pfarg_ctx_t ctx = { 0 };
	int fd = pfm_create_context(&ctx, (char *)format, argument, size);

	must("pfm_create_context()", fd);
	return fd;
}

static void load(int fd)
{
	pfarg_load_t load = { .load_pid = syscall(SYS_gettid) };

	MUST(pfm_load_context(fd, &load));
}

/* ---- event sets --------------------------------------------------------------------- */

/* Returns the value at which the fault counter of @set begins. This value uses all 64 bits. */
static uint64_t first_of(int set)
{
	return FIRST + ((uint64_t)set << 36);
}

static void write_sets(int fd)
{
	pfarg_pmc_t pmcs[SETS] = { { 0 } };
	pfarg_pmd_t pmds[SETS] = { { 0 } };
	int set;

	for (set = 0; set < SETS; set++) {
		pmcs[set].reg_set = pmds[set].reg_set = set;
		pmcs[set].reg_value = PFM_SOFT_MINOR_FAULTS;
		pmds[set].reg_value = first_of(set);
	}
	MUST(pfm_write_pmcs(fd, pmcs, SETS));
	MUST(pfm_write_pmds(fd, pmds, SETS));
}

static void read_sets(int fd)
{
	pfarg_pmd_t pmds[SETS] = { { 0 } };
	pfarg_pmr_t values[SETS] = { { 0 } };
	pfarg_setinfo_t info[SETS] = { { 0 } };
	int set;

	for (set = 0; set < SETS; set++)
		pmds[set].reg_set = values[set].reg_set = info[set].set_id = set;
	MUST(pfm_read_pmds(fd, pmds, SETS));
	MUST(pfm_read(fd, 0, PFM_RW_PMD, values, sizeof(values)));
	MUST(pfm_getinfo_evtsets(fd, info, SETS));
	for (set = 0; set < SETS; set++) {
		check_value("page faults of a set", pmds[set].reg_value - first_of(set),
			    10 * (set + 1));
		check_value("page faults of a set, read with pfm_read()",
			    values[set].reg_value - first_of(set), 10 * (set + 1));
		/*
		 * Each set became active once in each of the two rounds. Before the first round,
		 * set 0 became active when the context was loaded.
		 */
		check_value("how often a set was active", info[set].set_runs,
			    set ? 2 : 3);
		check_value("timeout of a set", info[set].set_timeout, 0);
	}
	check_value("pfm_read() with a wrong size",
		    pfm_read(fd, 0, PFM_RW_PMD, values, sizeof(values) - 1),
		    (uint64_t)-1);
}

static void try_sets(void)
{
	pfarg_setdesc_t sets[SETS] = { { 0 } };
	int fd = new_context(NULL, NULL, 0), set, round;

	for (set = 0; set < SETS; set++)
		sets[set].set_id = set;
	MUST(pfm_create_evtsets(fd, sets, SETS));
	write_sets(fd);
	load(fd);
	/*
	 * Only the page faults of the second round are checked, because the first round also has
	 * page faults in the stack and in the code.
	 */
	for (round = 0; round < 2; round++) {
		write_sets(fd);
		for (set = 0; set < SETS; set++) {
			pfarg_start_t start = { .start_set = set };

			MUST(pfm_start(fd, &start));
			touch(10 * (set + 1));
			MUST(pfm_stop(fd));
		}
	}
	read_sets(fd);
	MUST(pfm_unload_context(fd));
	MUST(pfm_delete_evtsets(fd, &sets[2], 1));
	check_value("second deletion of a set", pfm_delete_evtsets(fd, &sets[2], 1),
		    (uint64_t)-1);
	MUST(close(fd));
}

/* ---- sampling formats ---------------------------------------------------------------- */

/* Result of read_buffer(): the samples in a buffer. */
struct found {
	uint64_t samples;
	uint64_t lost;
	uint64_t faults; /* value in the last sample */
	uint64_t bytes, bytes_used;
};

/*
 * Checks @count entries from @from on, and returns what they contain. If @extra is not 0, the
 * entries are struct pfm_callchain_entry. Each of these entries says how many addresses follow its
 * PMD value.
 */
static struct found walk(const void *from, uint64_t size, uint64_t count, int extra)
{
	struct found found = { .samples = count, .bytes = size };
	const char *entry = from;
	uint64_t n, last = 0;

	for (n = 0; n < count; n++) {
		const struct pfm_dfl_smpl_entry *sample = (const void *)entry;
		const struct pfm_callchain_entry *chain = (const void *)entry;
		size_t head = extra ? sizeof(*chain) : sizeof(*sample);

		check("thread", sample->pid, syscall(SYS_gettid));
		check("process", sample->tgid, getpid());
		check("PMD", sample->ovfl_pmd, 0);
		check("period", -sample->last_reset_val, 1);
		check("time increases", sample->tstamp > last, 1);
		last = sample->tstamp;
		memcpy(&found.faults, entry + head, sizeof(found.faults));
		entry += head + sizeof(found.faults);
		if (extra)
			entry += 8 * (chain->kernel_count + chain->user_count);
	}
	found.bytes_used = entry - (const char *)from;
	return found;
}

static struct found read_default(const void *buffer)
{
	const struct pfm_dfl_smpl_hdr *head = buffer;
	struct found found =
		walk(head + 1, head->hdr_cur_offs - sizeof(*head), head->hdr_count, 0);

	found.lost = head->hdr_lost;
	check("hdr_version", head->hdr_version, PFM_DFL_SMPL_VERSION);
	check("hdr_buf_size", head->hdr_buf_size, BUFFER_SIZE);
	return found;
}

static struct found read_callchain(const void *buffer)
{
	const struct pfm_dfl_smpl_hdr *head = buffer;
	struct found found =
		walk(head + 1, head->hdr_cur_offs - sizeof(*head), head->hdr_count, 1);

	found.lost = head->hdr_lost;
	return found;
}

static struct found read_nway(const void *buffer)
{
	const struct pfm_nway_hdr *head = buffer;
	const struct pfm_nway_region *region = (const void *)(head + 1);
	struct found found = walk((const char *)buffer + head->region_offset,
				  region->size, region->count, 0);

	found.lost = head->lost;
	check("regions", head->regions, 2);
	check("samples in the regions", head->written, found.samples);
	check("samples produced", head->produced, found.samples);
	return found;
}

static struct found read_hist(const void *buffer)
{
	const struct pfm_hist_hdr *head = buffer;
	const struct pfm_hist_entry *entry = (const void *)(head + 1);
	struct found found = { .faults = 7 * TURNS, .lost = head->lost };
	uint64_t sum = 0;
	uint32_t n;

	for (n = 0; n < head->entries; n++) {
		found.samples += entry[n].count;
		sum += entry[n].sum;
	}
	check("samples produced", head->produced, found.samples);
	check("sum of the periods", sum, found.samples);
	return found;
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Lets the thread sleep several times, and samples its context switches. Stores the number of
 * context switches in @truth. Each sleep causes at least one context switch.
 */
static void take_samples(int fd, uint64_t *truth)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	pfarg_pmc_t pmc = { .reg_value = PFM_SOFT_CONTEXT_SWITCHES };
	pfarg_pmd_t pmds[2] = {
		{ .reg_value = -1ull, .reg_long_reset = -1ull, .reg_short_reset = -1ull },
		{ .reg_num = PFM_PMD_MINOR_FAULTS },
	};
	int turn;

	pmds[0].reg_smpl_pmds[PFM_PMD_MINOR_FAULTS / 64] |= 1ull
							    << PFM_PMD_MINOR_FAULTS % 64;
	MUST(pfm_write_pmcs(fd, &pmc, 1));
	MUST(pfm_write_pmds(fd, pmds, 2));
	load(fd);
	*truth = switches();
	MUST(pfm_start(fd, NULL));
	for (turn = 0; turn < TURNS; turn++) {
		touch(7);
		nanosleep(&nap, NULL);
	}
	MUST(pfm_stop(fd));
	*truth = switches() - *truth;
}

static void try_format(const char *format, void *argument, size_t size,
		       struct found (*read_buffer)(const void *buffer))
{
	int round;

	for (round = 0; round < 2; round++) {
		int fd = new_context(format, argument, size);
		void *buffer = mmap(NULL, BUFFER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
		struct found found;
		uint64_t truth;

		if (buffer == MAP_FAILED)
			must("mmap()", -1);
		take_samples(fd, &truth);
		/* only the second round is checked: see try_sets() */
		if (round) {
			printf("format %s\n", format);
			found = read_buffer(buffer);
			check("samples", found.samples, truth);
			check("at least one switch per sleep", found.samples >= TURNS, 1);
			check("bytes of all entries", found.bytes_used, found.bytes);
			check_value("lost", found.lost, 0);
			check_value("faults in the last sample", found.faults, 7 * TURNS);
		}
		MUST(close(fd));
		munmap(buffer, BUFFER_SIZE);
	}
}

int main(void)
{
	struct pfm_dfl_smpl_arg plain = { .buf_size = BUFFER_SIZE };
	struct pfm_nway_arg nway = { .region_size = 4096, .regions = 2 };
	struct pfm_callchain_arg callchain = { .buf_size = BUFFER_SIZE };
	struct pfm_hist_arg hist = { .entries = 256 };

	page = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
	try_sets();
	try_format(PFM_DFL_SMPL_NAME, &plain, sizeof(plain), read_default);
	try_format(PFM_NWAY_NAME, &nway, sizeof(nway), read_nway);
	try_format(PFM_CALLCHAIN_NAME, &callchain, sizeof(callchain), read_callchain);
	try_format(PFM_HIST_NAME, &hist, sizeof(hist), read_hist);
	return wrong;
}
