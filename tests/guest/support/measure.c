// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "measure.h"

/* ---- work with a known count --------------------------------------------------- */

void loop(uint64_t instructions)
{
	unsigned long tens = instructions / 10;

#if defined(__x86_64__)
	__asm__ volatile("1: nop; nop; nop; nop; nop; nop; nop; nop; dec %0; jnz 1b"
			 : "+r"(tens)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: nop; nop; nop; nop; nop; nop; nop; nop;"
			 "subs %0, %0, #1; b.ne 1b"
			 : "+r"(tens)
			 :
			 : "cc");
#elif defined(__powerpc64__)
	/*
	 * The mtctr is executed only once, before the loop. QEMU does not count the instructions
	 * before a jump to another page, so the loop must not cross a page boundary.
	 */
	__asm__ volatile("mtctr %0\n"
			 ".balign 64\n"
			 "1: nop; nop; nop; nop; nop; nop; nop; nop; nop; bdnz 1b"
			 : "+r"(tens)
			 :
			 : "ctr");
#else
#error "no counted loop for this architecture"
#endif
}

bool is_deterministic(void)
{
	/* tests/vm/run passes this boot parameter only with --icount. */
	return strstr(read_text("/proc/cmdline"), "randomize_kstack_offset=off");
}

void need_cpus(unsigned int count)
{
	if (cpus_online() < count)
		skip("fewer than %u CPUs", count);
}

/* ---- reference values ------------------------------------------------------------ */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	ck_assert_msg(!clock_gettime(clock, &time), "clock %d: %s", (int)clock,
		      strerror(errno));
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

uint64_t monotonic_time(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t time_counter(void)
{
	uint64_t value;

#if defined(__x86_64__)
	value = __rdtsc();
#elif defined(__aarch64__)
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value)::"memory");
#elif defined(__powerpc64__)
	value = __builtin_ppc_get_timebase();
#endif
	return value;
}

uint64_t instruction_time(void)
{
#if defined(__powerpc64__)
	return time_counter() * 125 / 64; /* 512 MHz */
#else
	return time_counter(); /* 1 GHz */
#endif
}

uint64_t elapsed_time(void)
{
	static int exact = -1;

	if (exact == -1)
		exact = is_deterministic();
	return exact ? instruction_time() : monotonic_time();
}

uint64_t cpu_time_of(pid_t pid)
{
	clockid_t clock;

	ck_assert_msg(!clock_getcpuclockid(pid, &clock), "no clock of process %d", pid);
	return read_clock(clock);
}

/* Returns the number after the colon in the line that begins with @name. */
static uint64_t field(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	ck_assert_msg(line && (line == text || line[-1] == '\n'), "no line %s", name);
	return strtoull(strchr(line, ':') + 1, NULL, 10);
}

static const char *proc_file(pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	return read_text(path);
}

uint64_t switches(pid_t tid)
{
	const char *text = proc_file(tid, "status");

	return field(text, "voluntary_ctxt_switches") +
	       field(text, "nonvoluntary_ctxt_switches");
}

uint64_t migrations(pid_t tid)
{
	return field(proc_file(tid, "sched"), "se.nr_migrations");
}

uint64_t major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_majflt;
}

static void read_minor_faults(pid_t pid, uintmax_t *own, uintmax_t *of_children)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	ck_assert_int_eq(sscanf(strrchr(read_text(path), ')'),
				") %*c %*d %*d %*d %*d %*d %*u %ju %ju", own,
				of_children),
			 2);
}

uint64_t minor_faults_of(pid_t pid)
{
	uintmax_t own, of_children;

	read_minor_faults(pid, &own, &of_children);
	return own;
}

uint64_t minor_faults_of_family(pid_t pid)
{
	uintmax_t own, of_children;

	read_minor_faults(pid, &own, &of_children);
	return own + of_children;
}

uint64_t interrupts_within(uint64_t time)
{
	return (time / 100 + MS) * (is_debug_kernel() ? 10 : 1);
}

/*
 * At a switch, the scheduler first reads its own clock. Later, when it has chosen the next thread,
 * it calls perfmon's hook, which reads perfmon's clock. The time between the two reads is longer if
 * the previous thread goes to sleep than if it is preempted. The kernel accounts this time to the
 * next thread, but we account it to the previous thread. So when a thread gets the CPU, the kernel
 * accounts more time to this thread than we do. When the thread leaves the CPU, the kernel accounts
 * less time to it than we do. If the previous thread went to sleep and this thread is preempted,
 * the first difference is larger than the second one. Then in total, the kernel accounts more time
 * to this thread than we do.
 *
 * Measured under --icount: Linux 7.2 on arm64 accounted 340 to 371 ns more per switch, both with 43
 * switches and with 504 switches. On Linux 6.12 on x86_64, with 401 to 405 switches, the difference
 * per switch was between -1390 ns and 1290 ns. This difference depended on the tests that had run
 * before. If x86 counters are shared with perf, perfmon starts them one by one at each switch, when
 * the task clock already runs. So a counter of cycles misses a little of the time that the task
 * clock contains: 168 ns per switch on Linux 6.1, and 175 ns on Linux 7.2.
 */
#define MORE_PER_SWITCH 2000 /* ns */

uint64_t less_switches(uint64_t least, uint64_t switches)
{
	uint64_t more = switches * MORE_PER_SWITCH;

	return least > more ? least - more : 0;
}

void must_be_cpu_time(const char *what, uint64_t count, uint64_t least, uint64_t most)
{
	uint64_t below = least / 100 + HOST_PAUSE, above = most / 50 + HOST_PAUSE;

	if (is_deterministic()) {
		below = least / (is_debug_kernel() ? 500 : 10000) + MS / 50;
		above = interrupts_within(most);
	}
	ck_assert_msg(count + below >= least && count <= most + above,
		      "%s: %ju ns, should be %ju to %ju", what, (uintmax_t)count,
		      (uintmax_t)least, (uintmax_t)most);
}

uint64_t work(uint64_t instructions)
{
	int cpu = sched_getcpu();
	uint64_t time = cpu_time();

	loop(instructions);
	time = cpu_time() - time;
	return cpu == sched_getcpu() ? time : 0;
}

uint64_t work_until_stopped(uint64_t unused)
{
	struct child_page *page = child_own_page();
	uint64_t worked = 0;

	(void)unused;
	while (!page->stop) {
		worked += work(1000000);
		page->turns++;
	}
	page->stop = 0;
	return worked;
}

/* ---- contexts --------------------------------------------------------------------- */

int context_using(uint64_t pmds)
{
	int fd = make_context();
	unsigned int n;

	for (n = 0; n < 64; n++)
		if (pmds & BIT(n))
			write_pmd(fd, n, 0);
	return fd;
}

void use(int fd, unsigned int n, uint64_t pmc, uint64_t value)
{
	write_pmc(fd, n, pmc);
	write_pmd(fd, n, value);
}

uint64_t available_pmds(void)
{
	struct pfm_info info = {};
	int fd = pfm_open_device();

	ck_assert_int_ne(fd, -1);
	must(fd, pfm_get_info(fd, &info));
	close(fd);
	return info.available_pmds[0];
}

int context_of(unsigned int n, uint64_t pmc)
{
	int fd = make_context();

	use(fd, n, pmc, 0);
	return fd;
}

void read_pmds(int fd, const unsigned int *numbers, uint64_t *values, int count)
{
	struct pfarg_pmd pmds[MOST_COUNTERS] = {};
	int i;

	ck_assert(count <= (int)COUNT(pmds));
	for (i = 0; i < count; i++)
		pmds[i].reg_num = numbers[i];
	must(fd, pfm_read_pmds(fd, pmds, count));
	for (i = 0; i < count; i++)
		values[i] = pmds[i].reg_value;
}

void poke_pmc(int fd, unsigned int n, uint64_t value)
{
	struct pfarg_pmc pmc = { .reg_num = n, .reg_value = value };

	if (pfm_write_pmcs(fd, &pmc, 1))
		abort();
}

void poke_pmd(int fd, unsigned int n, uint64_t value)
{
	struct pfarg_pmd pmd = { .reg_num = n, .reg_value = value };

	if (pfm_write_pmds(fd, &pmd, 1))
		abort();
}

uint64_t peek_pmd(int fd, unsigned int n)
{
	struct pfarg_pmd pmd = { .reg_num = n };

	if (pfm_read_pmds(fd, &pmd, 1))
		abort();
	return pmd.reg_value;
}

uint64_t count_loop(int fd, unsigned int n, uint64_t instructions)
{
	uint64_t before = read_pmd(fd, n);
	int started, stopped;

	started = pfm_start(fd, NULL);
	loop(instructions);
	stopped = pfm_stop(fd);
	must(fd, started);
	must(fd, stopped);
	return read_pmd(fd, n) - before;
}

void pin_thread(pid_t tid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ck_assert_msg(!sched_setaffinity(tid, sizeof(set), &set), "CPU %u: %s", cpu,
		      strerror(errno));
}

uint64_t statistic_of(unsigned int cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "cpu%u/%s", cpu, name);
	return read_number(path);
}

uint64_t statistic(const char *name)
{
	unsigned int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++)
		sum += statistic_of(cpu, name);
	return sum;
}

/* ---- competing threads -------------------------------------------------------------- */

static pid_t competitors[8];

void competitors_begin(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		competitors[i] = fork();
		ck_assert(competitors[i] != -1);
		if (competitors[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close_range(3, ~0u, 0); /* no context stays open in the child */
		for (;;)
			loop(1000);
	}
}

void competitors_end(void)
{
	size_t i;

	for (i = 0; i < COUNT(competitors); i++) {
		if (!competitors[i])
			continue;
		kill(competitors[i], SIGKILL);
		waitpid(competitors[i], NULL, 0);
		competitors[i] = 0;
	}
}

void cpu_online(unsigned int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_text(path, online ? "1" : "0");
}

/*
 * A failed assertion ends its process. So this function runs @check in a process of its own, and
 * returns the status of that process.
 */
static int run_apart(void (*check)(void))
{
	int status;
	pid_t pid = check_fork();

	ck_assert(pid != -1);
	if (pid == 0) {
		check();
		exit(EXIT_SUCCESS);
	}
	ck_assert(waitpid(pid, &status, 0) == pid);
	return status;
}

static void end_like(int status)
{
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	if (WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));
}

static void change_pmu(const char *from, const char *to, const char *parameters)
{
	int error = from ? module_unload(from) : 0;

	ck_assert_msg(!error, "rmmod %s: %s", from, strerror(error));
	error = module_load(to, parameters);
	ck_assert_msg(!error, "modprobe %s %s: %s", to, parameters, strerror(error));
}

/*
 * Returns the name of the loaded PMU module, or NULL. Does not use pmu_module(), because that calls
 * pmu(), which keeps its result. The process that run_apart() forks would inherit this result,
 * which is about the previous PMU.
 */
static const char *loaded_pmu_module(void)
{
	static const char *const names[] = { "perfmon_armv8", "perfmon_power",
					     "perfmon_intel", "perfmon_amd",
					     "perfmon_soft" };
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		if (module_is_loaded(names[i]))
			return names[i];
	return NULL;
}

void with_pmu(const char *module, const char *parameters, void (*check)(void))
{
	const char *before = loaded_pmu_module();
	int status;

	ck_assert_msg(before, "no PMU module is loaded");
	change_pmu(before, module, parameters);
	status = run_apart(check);
	change_pmu(module, before, "");
	end_like(status);
}

void with_ownership(const char *ownership, void (*check)(void))
{
	const char *module = need_x86();
	char parameters[32];

	need_known_instructions();
	snprintf(parameters, sizeof(parameters), "ownership=%s", ownership);
	with_pmu(module, parameters, check);
}

void with_module(const char *name, void (*check)(void))
{
	with_parameters(name, "", check);
}

void with_parameters(const char *name, const char *parameters, void (*check)(void))
{
	int status;

	ck_assert_int_eq(module_load(name, parameters), 0);
	status = run_apart(check);
	ck_assert_int_eq(module_unload(name), 0);
	end_like(status);
}

void then_put_back(void (*check)(void), void (*put_back)(void))
{
	int status = run_apart(check);

	put_back();
	end_like(status);
}

static const char *const limits[] = { SYSFS "max_sets", SYSFS "max_copies",
				      SYSFS "set_mem_max", SYSFS "set_user_max",
				      SYSFS "arg_mem_max" };
static char limits_before[COUNT(limits)][32];

static void limits_back(void)
{
	unsigned int i;

	for (i = 0; i < COUNT(limits); i++)
		write_text(limits[i], limits_before[i]);
}

void with_limits_back(void (*check)(void))
{
	unsigned int i;

	for (i = 0; i < COUNT(limits); i++)
		snprintf(limits_before[i], sizeof(limits_before[i]), "%s",
			 read_text(limits[i]));
	then_put_back(check, limits_back);
}

/* A CPU that is possible, but not present, has no file "online". */
static bool can_be_online(unsigned int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return path_exists(path);
}

void all_cpus_back(void)
{
	unsigned int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 1; cpu < cpus; cpu++)
		if (can_be_online(cpu))
			cpu_online(cpu, true);
}

void with_all_cpus_back(void (*check)(void))
{
	then_put_back(check, all_cpus_back);
}
