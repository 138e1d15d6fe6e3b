// SPDX-License-Identifier: GPL-2.0-only
/* Finds the counters of the PMU, and determines which counts are expected of them. */
#include <stdio.h>
#include <sys/mman.h>
#include <perfmon/perfmon_amd.h>
#include <perfmon/perfmon_intel.h>
#include <perfmon/perfmon_power.h>

#include "conformance.h"

#define PFM_MAX_COUNTERS 64 /* as in perfmon_pmu.h */

const char *module_parameters = "";

/* The test processes share this table, so the counters are calibrated only once. */
static struct table {
	struct pfm_info info;
	struct counter counters[PFM_MAX_COUNTERS];
	unsigned int count;
	bool calibrated;
} * table;

__attribute__((constructor)) static void make_table(void)
{
	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		abort();
}

/* ---- known counters ----------------------------------------------------------- */

static struct counter *new_counter(unsigned int pmd, enum truth truth)
{
	struct counter *counter = &table->counters[table->count++];

	*counter = (struct counter){ .pmd = pmd, .truth = truth };
	return counter;
}

static struct counter *add_setting(struct counter *counter, unsigned int pmc,
				   uint64_t value, uint64_t quiet)
{
	counter->settings[counter->setting_count++] =
		(struct setting){ pmc, value, quiet };
	counter->has_quiet = true;
	return counter;
}

static bool parse_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*number = strtoull(*text, &end, 0);
	*text = end;
	return true;
}

static bool skip_character(const char **text, char character)
{
	if (**text != character)
		return false;
	(*text)++;
	return true;
}

static bool find_truth(const char *name, struct counter *counter)
{
	static const char *const names[] = { [TRUTH_INSTRUCTIONS] = "instructions",
					     [TRUTH_CYCLES] = "cycles",
					     [TRUTH_NS] = "ns",
					     [TRUTH_TICKS] = "ticks" };
	size_t i;

	for (i = TRUTH_UNKNOWN + 1; i < COUNT(names); i++)
		if (!strcmp(name, names[i]))
			counter->truth = i;
	return counter->truth != TRUTH_UNKNOWN;
}

bool counter_add(const char *text)
{
	uint64_t pmd, pmc, value, quiet;
	unsigned int quiets = 0;
	struct counter *counter;

	if (table->count == PFM_MAX_COUNTERS || !parse_number(&text, &pmd) ||
	    pmd >= PFM_MAX_COUNTERS || !skip_character(&text, ':'))
		return false;
	counter = new_counter(pmd, TRUTH_UNKNOWN);
	do {
		if (counter->setting_count == SETTINGS_MAX ||
		    !parse_number(&text, &pmc) || pmc >= PFM_MAX_HARDWARE ||
		    !skip_character(&text, '=') || !parse_number(&text, &value))
			return false;
		quiet = value;
		if (skip_character(&text, '/')) {
			if (!parse_number(&text, &quiet))
				return false;
			quiets++;
		}
		add_setting(counter, pmc, value, quiet);
	} while (skip_character(&text, ','));
	counter->has_quiet = quiets > 0;
	return !*text || (skip_character(&text, '@') && find_truth(text, counter));
}

static bool is_available(unsigned int pmd)
{
	return has(table->info.available_pmds, pmd);
}

static void know_armv8(void)
{
	unsigned int n;

	for (n = 0; n < PFM_ARMV8_CYCLE_COUNTER; n++)
		if (is_available(n))
			/* The quiet value 0 is event SW_INCR, which no test causes. */
			add_setting(new_counter(n, TRUTH_CYCLES), n, CPU_CYCLES, 0);
	if (is_available(n))
		add_setting(new_counter(n, TRUTH_CYCLES), n, 0, USER | KERNEL);
}

static void know_soft(void)
{
	unsigned int n;

	for (n = 0; n < PFM_SOFT_COUNTERS; n++)
		add_setting(new_counter(n, n % 2 ? TRUTH_TICKS : TRUTH_NS), n,
			    n % 2 ? PFM_SOFT_TIME_COUNTER : PFM_SOFT_TASK_CLOCK,
			    PFM_SOFT_NOTHING);
}

/*
 * QEMU counts instructions (code 0x02) and cycles (0x1e) on each of PMC1 to PMC4. On hardware these
 * codes are PM_INST_CMPL and PM_CYC.
 */
static void know_power(void)
{
	enum truth truth;
	unsigned int n;

	for (n = PFM_POWER_PMC1; n < PFM_POWER_PMC5; n++) {
		truth = n % 2 ? TRUTH_INSTRUCTIONS : TRUTH_CYCLES;
		add_setting(add_setting(new_counter(n, truth), PFM_POWER_MMCR0, 0, 0),
			    PFM_POWER_MMCR1,
			    (n % 2 ? 0x02ull : 0x1eull)
				    << PFM_POWER_MMCR1_SELECT_SHIFT(n),
			    0);
	}
	for (; n < PFM_POWER_PMDS; n++) {
		truth = n == PFM_POWER_PMC5 ? TRUTH_INSTRUCTIONS : TRUTH_CYCLES;
		add_setting(new_counter(n, truth), PFM_POWER_MMCR0, 0,
			    PFM_POWER_MMCR0_FC56);
	}
}

/*
 * Adds counter @n. With the first value in its PMC, the counter counts @event at both privilege
 * levels. The quiet value selects no level, so with this value the counter counts nothing.
 */
static void know_select(unsigned int n, enum truth truth, uint64_t event)
{
	const uint64_t levels = PFM_INTEL_PMC_USER | PFM_INTEL_PMC_KERNEL;

	if (is_available(n))
		add_setting(new_counter(n, truth), n, event | levels, event);
}

#define INTEL_CYCLES	   0x3c
#define INTEL_INSTRUCTIONS 0xc0

static void know_intel(void)
{
	unsigned int n, i;

	for (n = 0; n < PFM_INTEL_FIXED; n += 2) {
		know_select(n, TRUTH_CYCLES, INTEL_CYCLES);
		know_select(n + 1, TRUTH_INSTRUCTIONS, INTEL_INSTRUCTIONS);
	}
	/* In QEMU, reference cycles have the same rate as cycles. */
	for (i = 0; i <= PFM_INTEL_FIXED_REF_CYCLES; i++)
		if (is_available(PFM_INTEL_FIXED + i))
			add_setting(new_counter(PFM_INTEL_FIXED + i,
						i ? TRUTH_CYCLES : TRUTH_INSTRUCTIONS),
				    PFM_INTEL_FIXED,
				    PFM_INTEL_FIXED_USER(i) | PFM_INTEL_FIXED_KERNEL(i),
				    0);
}

#define AMD_CYCLES	 0x76
#define AMD_INSTRUCTIONS 0xc0

static void know_amd(void)
{
	unsigned int n;

	/* On family 15h only counters 0, 1 and 2 count cycles. */
	for (n = 0; n < 16; n++) {
		if (n == 0 || n == 2)
			know_select(n, TRUTH_CYCLES, AMD_CYCLES);
		else
			know_select(n, TRUTH_INSTRUCTIONS, AMD_INSTRUCTIONS);
	}
}

static void know_example(void)
{
	unsigned int n;

	for (n = 0; n < 2; n++)
		add_setting(new_counter(n, TRUTH_TICKS), n, 1, 0);
}

static const struct {
	const char *name;
	void (*know)(void);
} known[] = {
	{ "armv8", know_armv8 }, { "soft", know_soft }, { "power", know_power },
	{ "intel", know_intel }, { "amd", know_amd },	{ "example", know_example },
};

bool has(const uint64_t *map, unsigned int n)
{
	return map[n / 64] >> (n % 64) & 1;
}

/*
 * Gets the PMU's description. The list of available counters is exact only while a context exists.
 */
static void ask(void)
{
	int fd = make_context();
	size_t i;

	must(fd, pfm_get_info(fd, &table->info));
	close(fd);
	ck_assert_msg(table->info.pmu_name[0], "no PMU module is loaded");
	for (i = 0; i < COUNT(known) && !table->count; i++)
		if (!strcmp(table->info.pmu_name, known[i].name))
			known[i].know();
	ck_assert_msg(table->count,
		      "PMU \"%s\" is not known here: use --counter to say how "
		      "its counters can be made to count",
		      table->info.pmu_name);
	for (i = 0; i < table->count; i++)
		table->counters[i].width =
			register_number("pmd", table->counters[i].pmd, "width");
}

const struct pfm_info *information(void)
{
	if (!table->info.version)
		ask();
	return &table->info;
}

const char *module_of_the_pmu(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "perfmon_%s", information()->pmu_name);
	return name;
}

const char *register_file(const char *kind, unsigned int n, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), SYSFS "pmu_desc/%s%u/%s", kind, n, file);
	return path;
}

uint64_t register_number(const char *kind, unsigned int n, const char *file)
{
	const char *text = read_text(register_file(kind, n, file));
	char *end;
	uint64_t number = strtoull(text, &end, 0);

	ck_assert_msg(end > text && !strcmp(end, "\n"), "%s%u/%s: \"%s\"", kind, n, file,
		      text);
	return number;
}

uint64_t mask_of(const struct counter *counter)
{
	return ~0ull >> (64 - counter->width);
}

/* ---- contexts -------------------------------------------------------------------- */

static void choose_values(uint64_t counters, bool quiet, uint64_t *values, bool *used)
{
	unsigned int i, j;

	for (i = 0; i < table->count; i++) {
		const struct counter *counter = &table->counters[i];

		if (!(counters & BIT(i)))
			continue;
		for (j = 0; j < counter->setting_count; j++) {
			const struct setting *setting = &counter->settings[j];

			values[setting->pmc] |= quiet ? setting->quiet : setting->value;
			used[setting->pmc] = true;
		}
	}
}

void program(int fd, uint64_t busy, uint64_t quiet)
{
	uint64_t values[PFM_MAX_HARDWARE] = {};
	bool used[PFM_MAX_HARDWARE] = {};
	unsigned int n;

	information(); /* fills the table, unless an earlier call has filled it */
	choose_values(busy, false, values, used);
	choose_values(quiet, true, values, used);
	for (n = 0; n < PFM_MAX_HARDWARE; n++)
		if (used[n])
			write_pmc(fd, n, values[n]);
	for (n = 0; n < table->count; n++)
		if ((busy | quiet) & BIT(n))
			write_pmd(fd, table->counters[n].pmd, 0);
}

int context_with(uint64_t busy, uint64_t quiet)
{
	int fd = make_context();

	program(fd, busy, quiet);
	return fd;
}

int context_on(pid_t tid, uint64_t busy, uint64_t quiet)
{
	int fd = context_with(busy, quiet);

	load(fd, tid);
	must(fd, pfm_start(fd, NULL));
	return fd;
}

/* ---- expected counts --------------------------------------------------------------- */

/*
 * CPU time and elapsed time. If the kernel does not trust the TSC, its clock of CPU time advances
 * by at most one tick period between two ticks. While the host runs something else, ticks come
 * late. Then the clock of CPU time falls behind, and it catches up later. The clock of elapsed time
 * always advances evenly. A counter may follow either clock.
 */
struct span {
	uint64_t cpu;
	uint64_t all;
};

static struct span span_begin(void)
{
	return (struct span){ cpu_time(), monotonic_time() };
}

static struct span span_end(struct span begun)
{
	return (struct span){ cpu_time() - begun.cpu, monotonic_time() - begun.all };
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct done run(int fd, uint64_t instructions)
{
	uint64_t switched = switches(thread_id());
	struct span outer = span_begin(), inner;

	must(fd, pfm_start(fd, NULL));
	inner = span_begin();
	loop(instructions);
	inner = span_end(inner);
	must(fd, pfm_stop(fd));
	outer = span_end(outer);
	switched = switches(thread_id()) - switched;
	if (is_deterministic()) /* CPU time is exact, except at context switches */
		return (struct done){ less_switches(inner.cpu, switched), outer.cpu,
				      instructions, switched };
	return (struct done){
		.least = smaller(inner.cpu, inner.all),
		.most = larger(outer.cpu, outer.all),
		.instructions = instructions,
		.switched = switched,
	};
}

void add_part(struct done *sum, const struct done *part)
{
	sum->least += part->least;
	sum->most += part->most;
	sum->instructions += part->instructions;
	sum->switched |= part->switched;
}

static void calibrate_all(void)
{
	unsigned int i;

	information();
	for (i = 0; i < table->count; i++) {
		calibrate(&table->counters[i]);
		printf("         PMD %u: %g counts per %s, %u bits%s\n",
		       table->counters[i].pmd, table->counters[i].rate,
		       table->counters[i].follows_work ? "instruction" : "ns",
		       table->counters[i].width,
		       table->counters[i].truth ? "" : ", compared with itself");
	}
	fflush(stdout);
	table->calibrated = true;
}

static void nothing_to_put_back(void)
{
}

void must_be_calibrated(void)
{
	if (!table->calibrated)
		then_put_back(calibrate_all, nothing_to_put_back);
}

unsigned int counter_count(void)
{
	information();
	return table->count;
}

const struct counter *counter_at(unsigned int i)
{
	return &table->counters[i];
}

const struct counter *subject_counter(unsigned int i)
{
	static char text[32];

	snprintf(text, sizeof(text), "PMD %u: ", counter_at(i)->pmd);
	subject = text;
	return counter_at(i);
}

/* Returns the shortest of several measurements, because a busy host makes some of them longer. */
static double ns_per_instruction(void)
{
	const uint64_t instructions = 20 * MILLION;
	static uint64_t least = UINT64_MAX;
	static bool measured;
	uint64_t time;
	int i;

	if (is_deterministic())
		return 1;
	for (i = 0; i < 5 && !measured; i++) {
		time = monotonic_time();
		loop(instructions);
		least = smaller(least, monotonic_time() - time);
	}
	measured = true;
	return (double)least / instructions;
}

uint64_t expected(const struct counter *counter, uint64_t instructions)
{
	must_be_calibrated();
	if (counter->follows_work)
		return counter->rate * instructions;
	return counter->rate * ns_per_instruction() * instructions;
}

/* Bounds for a guest whose clock counts instructions; see must_be_cpu_time(). */
static void choose_exact_bounds(const struct counter *counter, const struct done *done,
				double *least, double *most)
{
	*most = counter->rate * (done->most + interrupts_within(done->most));
	if (counter->follows_work)
		*least = counter->rate * done->instructions;
	else
		*least = counter->rate * (done->least - done->least / 10000.0 - MS / 50);
}

/*
 * The reference values of a counter of time are two times of the thread: from after the start to
 * before the stop, and from before the start to after the stop. If the host pauses the guest
 * between two readings, the count is still between these values. The measured rate of the counter
 * has an error of up to 1 %, or of up to 8 % if it was measured with the counter itself.
 *
 * But at a switch, the kernel and perfmon read their clocks one after the other, and account a
 * pause in between to different threads; see HOST_PAUSE. With hundreds of switches on a busy host,
 * the differences add up to a few percent.
 */
static void choose_bounds_of_time(const struct counter *counter, const struct done *done,
				  double *least, double *most)
{
	const double error = counter->truth && !done->switched ? 0.01 : 0.08;
	const double pause = done->switched ? HOST_PAUSE : 0;

	*least = counter->rate * (done->least * (1 - error) - pause);
	*most = counter->rate * (done->most * (1 + error) + pause);
}

/*
 * Interrupts add to the count of a counter of work (@counter->follows_work), most of all in a debug
 * kernel or if the host is busy. A thread may also spin on a lock because the host does not run the
 * CPU that holds the lock. The thread spins for at most done->most - done->least ns, and adds about
 * one count per ns.
 */
static void choose_bounds_of_work(const struct counter *counter, const struct done *done,
				  double *least, double *most)
{
	*least = counter->rate * done->instructions *
		 (counter->truth == TRUTH_INSTRUCTIONS ? 1 : 0.95);
	*most = counter->rate * (done->instructions * 1.5 + 5 * MILLION) +
		(done->most - smaller(done->least, done->most));
}

void must_count(const struct counter *counter, const char *what, uint64_t count,
		const struct done *done)
{
	double least, most;

	must_be_calibrated();
	if (is_deterministic() && counter->truth)
		choose_exact_bounds(counter, done, &least, &most);
	else if (counter->follows_work)
		choose_bounds_of_work(counter, done, &least, &most);
	else
		choose_bounds_of_time(counter, done, &least, &most);
	ck_assert_msg(
		count > 0 && count >= least && count <= most,
		"PMD %u, %s: %ju, should be %.0f to %.0f (%ju to %ju ns, %ju instructions)",
		counter->pmd, what, (uintmax_t)count, least, most, (uintmax_t)done->least,
		(uintmax_t)done->most, (uintmax_t)done->instructions);
}

/*
 * CPU time and elapsed time may differ (see struct span), so the loop must take much longer than
 * this difference. Under --icount they differ little, so a shorter loop is sufficient.
 */
void must_count_right(int fd, const struct counter *counter)
{
	const uint64_t length = (is_deterministic() ? 20 : 200) * MILLION;
	struct done done;

	must(fd, pfm_unload_context(fd));
	program(fd, set_of_counter(counter), 0);
	load(fd, thread_id());
	done = run(fd, length);
	must_count(counter, "a loop", read_pmd(fd, counter->pmd), &done);
}

struct done work_begin(const struct child *child)
{
	struct done done = { .most = cpu_time_of(child->pid), .switched = true };

	child->page->turns = 0;
	child->page->stop = 0;
	child_begin(child, work_until_stopped, 0);
	return done;
}

void work_end(const struct child *child, struct done *done)
{
	child->page->stop = 1;
	done->least = child_finish(child);
	done->instructions = child->page->turns * MILLION;
	wait_until(thread_state(child->pid) == 'S');
	done->most = cpu_time_of(child->pid) - done->most;
}

void must_count_work(int fd, const struct counter *counter, const struct done *done)
{
	must_count(counter, "a working thread", read_pmd(fd, counter->pmd), done);
}
