/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmon-fuzz: runs rounds of random calls, and checks the machine after each round. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"
#include "generate.h"
#include "pairs.h"
#include "print.h"
#include "random.h"
#include "system.h"

/*
 * A round hangs if it executes no operation for so many seconds. Only a very busy host needs more
 * than a second for an operation.
 */
#define HANG_SECONDS 120
#define FINDINGS     16 /* maximum number of findings that are kept in a round */

/* Written by all processes of a round. */
struct report {
	struct seen seen;
	uint64_t found_after; /* operations until the first finding */
	uint32_t findings;
	char finding[FINDINGS][256];
};

static struct report *report;
static bool verbose;
static bool first; /* end the run at the first finding */

/* ---- output of the runner ------------------------------------------------------------- */

void wrong(const char *what, ...)
{
	uint32_t n = __atomic_fetch_add(&report->findings, 1, __ATOMIC_SEQ_CST);
	uint64_t none = 0, operations = report->seen.operations + 1;
	va_list arguments;

	__atomic_compare_exchange_n(&report->found_after, &none, operations, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	if (n >= FINDINGS)
		return;
	va_start(arguments, what);
	vsnprintf(report->finding[n], sizeof(report->finding[n]), what, arguments);
	va_end(arguments);
}

void outcome(const struct executor *executor, const struct operation *operation,
	     int error, enum kind kind)
{
	pair_count(&report->seen, operation->call, error, kind);
	if (verbose)
		dprintf(STDOUT_FILENO, "worker %u: %s, slot %u: %s\n", executor->number,
			call_name(operation->call), operation->slot,
			error ? strerrorname_np(error) : "0");
	if (pair_is_allowed(operation, error, kind))
		return;
	wrong("unexpected pair: %s %s (worker %u, slot %u, place %u)",
	      call_name(operation->call), strerrorname_np(error), executor->number,
	      operation->slot, operation->place);
}

static void show_file(const char *folder, const char *thread, const char *name)
{
	char path[320], text[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, thread, name);
	if (!read_file(path, text, sizeof(text)))
		printf("%s: %s\n", path, text);
}

/*
 * Prints what each thread of a process is doing: its state, its system call and its stack in the
 * kernel.
 */
static void show_process(pid_t pid)
{
	struct dirent *entry;
	char folder[64];
	DIR *threads;

	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	threads = opendir(folder);
	while (threads && (entry = readdir(threads))) {
		if (entry->d_name[0] == '.')
			continue;
		show_file(folder, entry->d_name, "stat");
		show_file(folder, entry->d_name, "syscall");
		show_file(folder, entry->d_name, "stack");
	}
	if (threads)
		closedir(threads);
}

void workers_hang(pid_t group)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	wrong("the round hangs");
	while (proc && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && getpgid(pid) == group)
			show_process(pid);
	}
	if (proc)
		closedir(proc);
}

/*
 * With --first, writes the number of operations so far to the kernel's log. If the kernel crashes,
 * the number can be read there.
 */
uint64_t workers_go_on(void)
{
	const uint64_t operations = report->seen.operations;
	char text[64];

	snprintf(text, sizeof(text), "<3>perfmon-fuzz: %" PRIu64 " operations\n",
		 operations);
	if (first)
		write_file("/dev/kmsg", text);
	return operations;
}

/* ---- a round --------------------------------------------------------------------------- */

/* Parts of the plan that are left out, to find the part that causes a failure. */
static struct drop {
	unsigned int worker;
	unsigned int from;
	unsigned int to;
} drops[256];
static unsigned int drop_count;

/* @operation: index in the list of all operations of the worker, before any are left out */
static bool is_dropped(unsigned int worker, unsigned int operation)
{
	unsigned int n;

	for (n = 0; n < drop_count; n++)
		if (drops[n].worker == worker && operation >= drops[n].from &&
		    operation <= drops[n].to)
			return true;
	return false;
}

static void drop_operations(struct worker *worker, unsigned int number)
{
	struct operation *operations = (struct operation *)worker->operations;
	unsigned int n, kept = 0;

	for (n = 0; n < worker->count; n++)
		if (!is_dropped(number, n))
			operations[kept++] = operations[n];
	worker->count = kept;
}

static const struct plan *plan_of(uint64_t seed, enum pmu pmu)
{
	static struct plan plan;
	unsigned int n;

	plan = *generate(seed, pmu);
	for (n = 0; drop_count && n < plan.count; n++)
		drop_operations(&plan.workers[n], n);
	return &plan;
}

static bool run_round(uint64_t seed, enum pmu pmu)
{
	uint32_t n;

	report->findings = 0;
	if (workers_run(plan_of(seed, pmu), HANG_SECONDS))
		system_check();
	system_restore();
	for (n = 0; n < report->findings && n < FINDINGS; n++)
		printf("FAIL: round 0x%" PRIx64 ": %s\n", seed, report->finding[n]);
	if (report->findings > FINDINGS)
		printf("FAIL: and %u more findings\n", report->findings - FINDINGS);
	return report->findings == 0;
}

/* ---- the program ----------------------------------------------------------------------- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/*
 * Announces a round on standard output and in the kernel's log, before the round begins, because
 * the round may crash the guest.
 */
static void announce(unsigned int number, uint64_t seed)
{
	char text[120];

	snprintf(text, sizeof(text),
		 "<3>perfmon-fuzz: round %u after %" PRIu64 " operations: seed 0x%" PRIx64
		 "\n",
		 number, report->seen.operations, seed);
	fputs(strchr(text, ' ') + 1, stdout);
	write_file("/dev/kmsg", text);
}

/**
 * struct run - options of the run
 * @seed: determines the seeds of all rounds; if @only is set, it is the seed of the round
 * @only: repeat one round @times times, instead of running different rounds
 * @seconds: after this time no new round begins
 * @operations: after this number of operations no new round begins
 */
struct run {
	uint64_t seed;
	enum pmu pmu;
	bool only;
	unsigned int times;
	unsigned int seconds;
	uint64_t operations;
};

static bool goes_on(const struct run *run, unsigned int rounds, unsigned int failed,
		    double begun)
{
	if (failed >= 10 || (first && failed))
		return false;
	if (run->only)
		return rounds < run->times;
	return now() < begun + run->seconds && report->seen.operations < run->operations;
}

static int fuzz(const struct run *run)
{
	struct random random = { run->seed };
	unsigned int rounds = 0, failed = 0;
	double begun, lasted;
	bool enough;

	system_begin();
	begun = now();
	while (goes_on(run, rounds, failed, begun)) {
		uint64_t round = run->only ? run->seed : random_next(&random);

		announce(++rounds, round);
		failed += !run_round(round, run->pmu);
	}
	lasted = now() - begun;
	printf("\nseed 0x%" PRIx64 ": %u rounds, %" PRIu64 " operations in %.0f s, "
	       "%.0f operations per second\n",
	       run->seed, rounds, report->seen.operations, lasted,
	       report->seen.operations / lasted);
	if (report->found_after)
		printf("found after %" PRIu64 " operations\n", report->found_after);
	enough = pairs_report(&report->seen, !run->only);
	printf("%u passed, %u failed\n", rounds - failed, failed + !enough);
	return failed || !enough ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void usage(FILE *stream)
{
	fputs("Usage: perfmon-fuzz [--seed N] [--seconds N]\n"
	      "       perfmon-fuzz --round SEED [--times N] [--drop WORKER[:FROM-TO]]...\n"
	      "       perfmon-fuzz --print SEED [--drop WORKER[:FROM-TO]]...\n\n"
	      "Call perfmon at random.  Run this as root, in a guest that is used for nothing\n"
	      "else, because it changes the machine's settings, CPUs and modules.  The same\n"
	      "seed gives the same calls.\n\n"
	      "  --seed N       begin with this seed (default: from the clock)\n"
	      "  --seconds N    begin new rounds for N seconds (default 60)\n"
	      "  --round SEED   run only the round with this seed; each run prints its seeds\n"
	      "  --times N      run this round N times (default 1)\n"
	      "  --print SEED   print the round with this seed as a C program; needs no guest\n"
	      "  --drop W[:F-T] leave out worker W, or its operations F to T\n"
	      "  --pmu NAME     use the registers of this PMU: soft, armv8, power, intel or amd\n"
	      "                 (default: armv8 or power if the architecture has it, else soft)\n"
	      "  --operations N begin new rounds until N operations were executed\n"
	      "  --first        end at the first finding\n"
	      "  --verbose      print the result of each call\n"
	      "  -h, --help     this text\n\n"
	      "Exit status: 0 if nothing was found, 1 if something was found, 2 if the command\n"
	      "line is wrong.\n",
	      stream);
}

static void bad(const char *what, const char *text)
{
	fprintf(stderr, "perfmon-fuzz: bad %s: %s\n", what, text);
	exit(2);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end)
		bad("number", text);
	return value;
}

static const char *const pmus[] = {
	[PMU_SOFT] = "soft",   [PMU_ARMV8] = "armv8", [PMU_POWER] = "power",
	[PMU_INTEL] = "intel", [PMU_AMD] = "amd",
};

static enum pmu pmu_named(const char *name)
{
	unsigned int pmu;

	for (pmu = 0; pmu < COUNT(pmus); pmu++)
		if (!strcmp(name, pmus[pmu]))
			return pmu;
	bad("PMU", name);
	return PMU_SOFT;
}

static enum pmu default_pmu(void)
{
#if defined(__aarch64__)
	return PMU_ARMV8;
#elif defined(__powerpc64__)
	return PMU_POWER;
#else
	return PMU_SOFT;
#endif
}

static void add_drop(const char *text)
{
	struct drop drop = { .to = ~0u };
	int fields = sscanf(text, "%u:%u-%u", &drop.worker, &drop.from, &drop.to);

	if ((fields != 1 && fields != 3) || drop.worker >= WORKERS ||
	    drop.to < drop.from || drop_count == sizeof(drops) / sizeof(drops[0]))
		bad("part of a plan", text);
	drops[drop_count++] = drop;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 'l' },
		{ "operations", required_argument, NULL, 'o' },
		{ "first", no_argument, NULL, 'f' },
		{ "round", required_argument, NULL, 'r' },
		{ "times", required_argument, NULL, 't' },
		{ "print", required_argument, NULL, 'p' },
		{ "drop", required_argument, NULL, 'd' },
		{ "pmu", required_argument, NULL, 'u' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct run run = { .seed = time(NULL),
			   .pmu = default_pmu(),
			   .times = 1,
			   .seconds = 60,
			   .operations = UINT64_MAX };
	bool print = false;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 's':
			run.seed = number(optarg);
			break;
		case 'l':
			run.seconds = number(optarg);
			break;
		case 'o':
			run.operations = number(optarg);
			break;
		case 'r':
			run.seed = number(optarg);
			run.only = true;
			break;
		case 't':
			run.times = number(optarg);
			break;
		case 'p':
			run.seed = number(optarg);
			print = true;
			break;
		case 'd':
			add_drop(optarg);
			break;
		case 'u':
			run.pmu = pmu_named(optarg);
			break;
		case 'f':
			first = true;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			usage(stdout);
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc)
		bad("argument", argv[optind]);
	if (print) {
		char title[80];

		snprintf(title, sizeof(title), "perfmon-fuzz: round 0x%" PRIx64,
			 run.seed);
		print_plan(plan_of(run.seed, run.pmu), title);
		return EXIT_SUCCESS;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED) {
		perror("perfmon-fuzz: mmap");
		return EXIT_FAILURE;
	}
	return fuzz(&run);
}
