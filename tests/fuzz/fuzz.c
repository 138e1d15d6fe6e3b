/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmon-fuzz: rounds of calls made at random, and what must hold after each. */
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

#define ROUND_SECONDS 120 /* a round takes about one */
#define FINDINGS      16 /* kept of a round */

/* Written by all processes of a round. */
struct report {
	struct seen seen;
	uint32_t findings;
	char finding[FINDINGS][256];
};

static struct report *report;
static bool verbose;

/* ---- what the runner tells ------------------------------------------------------------ */

void wrong(const char *what, ...)
{
	uint32_t n = __atomic_fetch_add(&report->findings, 1, __ATOMIC_SEQ_CST);
	va_list arguments;

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

/* What all threads of a process do. */
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

/* ---- a round --------------------------------------------------------------------------- */

/* Parts of plans that are left out, to find what a failure needs. */
static struct drop {
	unsigned int worker;
	unsigned int from;
	unsigned int to;
} drops[256];
static unsigned int drop_count;

/* Numbers are those of the whole plan. */
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
	if (workers_run(plan_of(seed, pmu), ROUND_SECONDS))
		system_check();
	system_restore();
	for (n = 0; n < report->findings && n < FINDINGS; n++)
		printf("FAIL: round 0x%" PRIx64 ": %s\n", seed, report->finding[n]);
	if (report->findings > FINDINGS)
		printf("FAIL: and %u more\n", report->findings - FINDINGS);
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
 * Before the round, because nothing may come after it: to the host, and among the
 * kernel's words on the console.
 */
static void announce(unsigned int number, uint64_t seed)
{
	char text[80];

	printf("round %u: seed 0x%" PRIx64 "\n", number, seed);
	snprintf(text, sizeof(text), "<3>perfmon-fuzz: round %u: seed 0x%" PRIx64 "\n",
		 number, seed);
	write_file("/dev/kmsg", text);
}

/*
 * Rounds of seeds that follow from @seed, or with @only, that one @times times; they
 * have to reach @wanted per cent of the documented pairs.
 */
static int fuzz(uint64_t seed, enum pmu pmu, unsigned int seconds, bool only,
		unsigned int times, unsigned int wanted)
{
	struct random random = { seed };
	unsigned int rounds = 0, failed = 0, reached;
	double begun, lasted;

	system_begin();
	begun = now();
	while (only ? rounds < times : now() < begun + seconds) {
		uint64_t round = only ? seed : random_next(&random);

		announce(++rounds, round);
		failed += !run_round(round, pmu);
		if (failed >= 10)
			break;
	}
	lasted = now() - begun;
	printf("\nseed 0x%" PRIx64 ": %u rounds, %" PRIu64 " operations in %.0f s, "
	       "%.0f operations per second\n",
	       seed, rounds, report->seen.operations, lasted,
	       report->seen.operations / lasted);
	reached = pairs_report(&report->seen);
	if (reached < wanted)
		printf("FAIL: %u %% of perfmon-api.md's pairs reached, should be %u %%\n",
		       reached, wanted);
	printf("%u passed, %u failed\n", rounds - failed, failed + (reached < wanted));
	return failed || reached < wanted ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void usage(FILE *stream)
{
	fputs("Usage: perfmon-fuzz [--seed N] [--seconds N] [--pairs PERCENT]\n"
	      "       perfmon-fuzz --round SEED [--times N] [--drop WORKER[:FROM-TO]]...\n"
	      "       perfmon-fuzz --print SEED [--drop WORKER[:FROM-TO]]...\n\n"
	      "Call perfmon at random, as root in a guest that is good for nothing else: the\n"
	      "settings, CPUs and modules of the machine change.  The same seed makes the same\n"
	      "calls.\n\n"
	      "  --seed N       begin with this seed (default: from the clock)\n"
	      "  --seconds N    begin rounds for so long (default 60)\n"
	      "  --round SEED   only the round of this seed, which a run printed\n"
	      "  --times N      so often (default 1)\n"
	      "  --print SEED   print that round as a C program; may run anywhere\n"
	      "  --drop W[:F-T] leave out worker W, or its operations F to T\n"
	      "  --pmu NAME     registers of that PMU: soft, armv8 (default: armv8 on arm64,\n"
	      "                 else soft)\n"
	      "  --pairs P      fail if less than P per cent of perfmon-api.md's pairs of\n"
	      "                 operation and errno are reached\n"
	      "  --verbose      print what came of each call\n"
	      "  -h, --help     this text\n\n"
	      "Exit status: 0 if nothing was found, 1 if something was, 2 for a wrong command\n"
	      "line.\n",
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

static enum pmu pmu_named(const char *name)
{
	if (!strcmp(name, "soft"))
		return PMU_SOFT;
	if (strcmp(name, "armv8"))
		bad("PMU", name);
	return PMU_ARMV8;
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
		{ "round", required_argument, NULL, 'r' },
		{ "times", required_argument, NULL, 't' },
		{ "print", required_argument, NULL, 'p' },
		{ "drop", required_argument, NULL, 'd' },
		{ "pmu", required_argument, NULL, 'u' },
		{ "pairs", required_argument, NULL, 'w' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
#if defined(__aarch64__)
	enum pmu pmu = PMU_ARMV8;
#else
	enum pmu pmu = PMU_SOFT;
#endif
	uint64_t seed = time(NULL);
	unsigned int seconds = 60, times = 1, pairs = 0;
	bool only = false, print = false;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = number(optarg);
			break;
		case 'l':
			seconds = number(optarg);
			break;
		case 'r':
			seed = number(optarg);
			only = true;
			break;
		case 't':
			times = number(optarg);
			break;
		case 'p':
			seed = number(optarg);
			print = true;
			break;
		case 'd':
			add_drop(optarg);
			break;
		case 'u':
			pmu = pmu_named(optarg);
			break;
		case 'w':
			pairs = number(optarg);
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

		snprintf(title, sizeof(title), "perfmon-fuzz: round 0x%" PRIx64, seed);
		print_plan(plan_of(seed, pmu), title);
		return EXIT_SUCCESS;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED) {
		perror("perfmon-fuzz: mmap");
		return EXIT_FAILURE;
	}
	return fuzz(seed, pmu, seconds, only, times, pairs);
}
