// SPDX-License-Identifier: GPL-2.0-only
/* POWER: tests that either perfmon or perf_event has the whole PMU, never both. */
#if defined(__powerpc64__)

#include <setjmp.h>
#include <signal.h>

#include <sys/ioctl.h>
#include <sys/wait.h>

#include "power.h"
#include "sets.h"

SUITE(power_sharing, 300);

/* Numbers of the registers that programs can read, Power ISA Book III. */
#define SPR_UMMCR2 769
#define SPR_UMMCRA 770
#define SPR_UPMC1  771
#define SPR_UPMC2  772
#define SPR_UPMC3  773
#define SPR_UPMC4  774
#define SPR_UPMC5  775
#define SPR_UPMC6  776
#define SPR_UMMCR0 779

#define READ_SPR(number)                                                                 \
	({                                                                               \
		uint64_t spr_value;                                                      \
		__asm__ volatile("mfspr %0, " #number : "=r"(spr_value));                \
		spr_value;                                                               \
	})
#define READ_REGISTER(number) READ_SPR(number)

#define MMCR0_FROZEN	      0x80000000u

static sigjmp_buf refused;

static void on_refusal(int number)
{
	(void)number;
	siglongjmp(refused, 1);
}

/* Returns whether the CPU lets a program read PMC1. */
static bool programs_may_read(void)
{
	struct sigaction action = { .sa_handler = on_refusal }, old;
	volatile bool may = false;

	sigaction(SIGILL, &action, &old);
	if (!sigsetjmp(refused, 1)) {
		READ_REGISTER(SPR_UPMC1);
		may = true;
	}
	sigaction(SIGILL, &old, NULL);
	return may;
}

/*
 * The registers must be as the kernel set them up at boot, because no process uses the hardware.
 */
static void must_be_clear(const char *when)
{
	const struct {
		const char *name;
		uint64_t value;
		uint64_t wanted;
	} registers[] = {
		{ "PMC1", READ_REGISTER(SPR_UPMC1), 0 },
		{ "PMC2", READ_REGISTER(SPR_UPMC2), 0 },
		{ "PMC3", READ_REGISTER(SPR_UPMC3), 0 },
		{ "PMC4", READ_REGISTER(SPR_UPMC4), 0 },
		{ "PMC5", READ_REGISTER(SPR_UPMC5), 0 },
		{ "PMC6", READ_REGISTER(SPR_UPMC6), 0 },
		{ "MMCR2", READ_REGISTER(SPR_UMMCR2), 0 },
		{ "MMCRA", READ_REGISTER(SPR_UMMCRA), idle_mmcra() },
		{ "MMCR0", READ_REGISTER(SPR_UMMCR0), MMCR0_FROZEN },
	};
	size_t i;

	for (i = 0; i < COUNT(registers); i++)
		ck_assert_msg(registers[i].value == registers[i].wanted,
			      "%s, %s is 0x%jx", when, registers[i].name,
			      (uintmax_t)registers[i].value);
}

TEST(programs_read_no_register_while_it_is_ours)
{
	int fd;

	need_power();
	must_get_back();
	ck_assert(programs_may_read());
	fd = context_using(BIT(PMC6));
	ck_assert(programs_may_read());
	load(fd, thread_id());
	ck_assert(!programs_may_read());
	must(fd, pfm_start(fd, NULL));
	ck_assert(!programs_may_read());
	must(fd, pfm_stop(fd));
	ck_assert(!programs_may_read());
	must(fd, pfm_unload_context(fd));
	must_get_back();
	ck_assert(programs_may_read());
	must_be_clear("after unload");
}

/*
 * Even while the caller monitors itself with @fd, it must not be able to read the counter registers
 * directly.
 */
static void must_not_be_seen(int fd, const char *what)
{
	const struct pfarg_load load = { .load_pid = thread_id() };

	must(fd, pfm_load_context(fd, (struct pfarg_load *)&load));
	ck_assert_msg(!programs_may_read(), "%s: a program can read PMC1 after the load",
		      what);
	must(fd, pfm_start(fd, NULL));
	ck_assert_msg(!programs_may_read(), "%s: a program can read PMC1 after the start",
		      what);
	must(fd, pfm_stop(fd));
	ck_assert_msg(!programs_may_read(), "%s: a program can read PMC1 after the stop",
		      what);
	must(fd, pfm_unload_context(fd));
}

/*
 * A program that monitors itself must not be able to read the counts of a thread that ran on the
 * CPU before. This is also true for a program that monitors only its own CPU time.
 */
TEST(no_context_exposes_the_counts_of_other_threads)
{
	struct child child;
	int other, fd;

	need_power();
	pin(0);
	child = child_new();
	other = four_counters();
	load(other, child.pid);
	must(other, pfm_start(other, NULL));
	child_call(&child, work, MILLION);
	ck_assert_uint_gt(read_pmd(other, PMC6), 0);

	fd = make_context();
	must_not_be_seen(fd, "nothing in use");
	write_pmd(fd, PFM_PMD_TASK_CLOCK, 0);
	must_not_be_seen(fd, "a virtual PMD");
	write_pmc(fd, PFM_POWER_MMCR0, 0);
	must_not_be_seen(fd, "MMCR0 written");
	close(fd);
	fd = make_context();
	write_pmd(fd, PFM_POWER_TIMEBASE, 0);
	must_not_be_seen(fd, "the time base");
	make_set(fd, 0, 0, 0);
	write_pmd(fd, PFM_POWER_TIMEBASE, 0);
	must_not_be_seen(fd, "the time base, in a set that was created again");
	make_set(fd, 1, 0, 0);
	must_not_be_seen(fd, "the time base, and a second set without events");
	child_exit(&child);
	close(other);
	close(fd);
}

/*
 * A lower bound for the cycles that 10000 instructions take. Without --icount, a cycle in QEMU
 * takes one nanosecond of the host's clock, and the guest may execute several instructions in a
 * cycle.
 */
#define LEAST_CYCLES_OF_10000 1000

/* A load must fail because @holder has the hardware, and the last error must name @holder. */
static void must_be_held(int fd, const char *holder)
{
	struct pfm_error error;

	must_fail(fd, try_load(fd, thread_id()), EBUSY, PFM_REASON_PMU_HELD,
		  PFM_NO_INDEX);
	must(fd, pfm_get_error(fd, &error));
	ck_assert_str_eq(error.holder, holder);
	ck_assert_uint_eq(error.value, 0);
	ck_assert_uint_eq(status_of(fd).state, PFM_STATE_UNLOADED);
	ck_assert_uint_eq(sessions(), 0);
}

/* While perf has an event of the hardware, no context that uses the hardware can be loaded. */
static void perf_has_it(void)
{
	int event, other, fd = four_counters();

	must_get_back();
	event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);
	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	perf_enable(event);
	must_be_held(fd, "perf");
	loop(10000);
	perf_disable(event);
	must_be_between(perf_read(event).value, LEAST_CYCLES_OF_10000, ~0ull);
	/* A context that uses no hardware can be loaded. */
	other = make_context();
	load(other, thread_id());
	close(other);
	close(event);
	close(fd);
}

static void we_have_it(void)
{
	int fd = four_counters(), event;
	uint64_t fresh;

	load(fd, thread_id());
	event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);
	ck_assert_int_eq(event, -1);
	ck_assert_int_eq(errno, EBUSY);
	fresh = read_pmd(fd, 1) | read_pmd(fd, 2) | read_pmd(fd, PMC5) |
		read_pmd(fd, PMC6);
	ck_assert_uint_eq(fresh, 0);
	must_be_between(count_loop(fd, 2, 10000), LEAST_CYCLES_OF_10000, ~0ull);
	must_be_between(count_loop(fd, PMC6, 10000), LEAST_CYCLES_OF_10000, ~0ull);
	close(fd);
}

/*
 * When perf's driver refuses an event, newer kernels decrement the driver's count of events,
 * although the event was never added to this count. If the count became too low, perf would accept
 * the next events although a context holds the hardware.
 */
TEST(an_event_that_was_refused_is_refused_again)
{
	int fd, event, i;

	need_power();
	pin(0);
	fd = four_counters();
	load(fd, thread_id());
	for (i = 0; i < 3; i++) {
		event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);
		ck_assert_msg(event == -1 && errno == EBUSY, "event %d: %s", i,
			      event == -1 ? strerror(errno)
					  : "perf has the hardware, too");
	}
	must_be_between(count_loop(fd, 2, 10000), LEAST_CYCLES_OF_10000, ~0ull);
	close(fd);
	/* No context is loaded any more, so perf can have the hardware. */
	for (i = 0; i < 3; i++)
		perf_has_it();
}

/*
 * The hardware goes from perf to contexts and back, on each CPU in turn. Each handover to perf
 * takes up to a second.
 */
TEST(the_hardware_goes_to_perf_and_back_again_and_again)
{
	int i;

	need_power();
	for (i = 0; i < 20; i++) {
		pin(i % cpus_online());
		perf_has_it();
		we_have_it();
		must_get_back();
		must_be_clear("after a context");
		ck_assert(programs_may_read());
	}
}

/*
 * If perf holds the hardware when a PMU is first used, the software PMU must not become the
 * default.
 */
TEST(the_module_is_loaded_while_perf_has_the_hardware)
{
	int event, error, fd;

	need_power();
	error = module_unload(pmu_module());
	ck_assert_msg(!error, "%s", strerror(error));
	pmu_forget();
	event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);
	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	fd = context_using(BIT(PMC6));
	ck_assert_str_eq(pmu_module(), best_pmu_module());
	must_be_held(fd, "perf");
	close(event);
	load(fd, thread_id());
}

#define INTERPOSER "perf_interposer"
#define WARNING	   "another module has interposed a function of perf's PMU driver"

static void unload_pmu(int unused)
{
	(void)unused;
	_exit(module_unload(pmu_module()));
}

/* perf must be able to use the hardware, and must call the function that INTERPOSER interposed. */
static void perf_calls_interposer(void)
{
	const uint64_t before = module_parameter(INTERPOSER, "events");
	int event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);

	ck_assert_msg(event != -1, "perf_event_open: %s", strerror(errno));
	close(event);
	ck_assert_uint_gt(module_parameter(INTERPOSER, "events"), before);
}

/*
 * The wait for the kernel's warning has a limit. Without this limit, the test's timeout might end
 * the test, and then nobody would unload the other module. The unload of the PMU module would never
 * end, and the guest would hang.
 */
static void check_unload_waits(void)
{
	pid_t unload;
	int i;

	ck_assert_int_eq(module_load(INTERPOSER, ""), 0);
	perf_calls_interposer();
	unload = fork_child(unload_pmu, 0);
	for (i = 0; i < 100 && !strstr(kernel_log(), WARNING); i++)
		usleep(100000);
	ck_assert(strstr(kernel_log(), WARNING));
	perf_calls_interposer();
	sleep(3);
	ck_assert_msg(waitpid(unload, NULL, WNOHANG) == 0, "the unload did not wait");
	ck_assert_int_eq(module_unload(INTERPOSER), 0);
	must_exit_well(unload);
	ck_assert(!module_is_loaded(best_pmu_module()));
	must_get_back();
}

static void unload_interposer(void)
{
	if (module_is_loaded(INTERPOSER))
		ck_assert_int_eq(module_unload(INTERPOSER), 0);
}

/* The other module's function calls ours, so ours must exist until that module is unloaded. */
TEST(an_unload_waits_for_a_module_that_interposes_after_us)
{
	need_power();
	must_get_back();
	then_put_back(check_unload_waits, unload_interposer);
	pmu_forget();
	count_must_be_right(make_context());
}

static bool has_hash_mmu(void)
{
	return strstr(read_text("/proc/cpuinfo"), "MMU\t\t: Hash");
}

/*
 * The path for write_text(). The test cannot use set_module_parameter(), which only writes numbers.
 */
#define HASH_PARAMETER "/sys/module/perfmon_power/parameters/hash"

static void check_hash(void)
{
	int fd = context_using(BIT(PMC6));

	must_get_back(); /* the parameter is read only when the hardware is claimed again */
	write_text(HASH_PARAMETER, "N");
	if (has_hash_mmu())
		must_be_held(fd, "hash MMU, see perfmon_power.hash");
	else
		count_must_be_right(make_context());
	write_text(HASH_PARAMETER, "Y");
	count_must_be_right(make_context());
}

static void allow_hash(void)
{
	write_text(HASH_PARAMETER, "Y");
}

TEST(the_hash_mmu_needs_the_parameter)
{
	need_power();
	then_put_back(check_hash, allow_hash);
}

/* Values that perf left in the registers are not counted. */
TEST(the_first_count_after_perf_is_right)
{
	uint64_t counted;
	int event, fd, i;

	need_exact_power();
	for (i = 0; i < 20; i++) {
		must_get_back();
		event = perf_open(CYCLES_1_TO_4, false, 0, -1, -1);
		ck_assert_int_ne(event, -1);
		perf_enable(event);
		loop(1000 * (i + 1));
		close(event); /* while it counts */
		fd = four_counters();
		load(fd, thread_id());
		counted = count_loop(fd, 1, MILLION);
		must_be_between(counted, MILLION, MILLION + most_around(MILLION));
		ck_assert_uint_eq(read_pmd(fd, PMC5), counted);
		close(fd);
	}
}

#endif
