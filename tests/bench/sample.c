// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of a sample: for how many instructions a sample interrupts the sampled thread.
 * To find this out, the sampled thread reads the ruler (ruler.h) in a loop.
 *
 * Both perfmon and perf sample user-level cycles. The buffer never becomes full, and nobody is
 * notified. With both tools a sample contains the same data: instruction, thread, time, CPU and
 * period.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>

#include "measure.h"
#include "operations.h"
#include "sample.h"

#define PERIOD	    20000
#define BUFFER_SIZE (1 << 20)
#define DEBUG	    "/sys/kernel/perfmon/debug"
#define TIMING	    "4" /* PFM_DEBUG_TIMING */
#define STATISTICS  "/sys/kernel/debug/perfmon/cpu0/"

/* ---- perfmon ------------------------------------------------------------------------ */

struct sampler {
	int fd;
	void *buffer;
	size_t size;
};

struct format {
	char *name;
	void *argument;
	size_t size;
};

static void must(int fd, int result)
{
	char reason[PFM_LAST_ERROR_SIZE];

	if (result == -1)
		errx(1, "%s", pfm_last_error(fd, reason, sizeof(reason)));
}

/*
 * Programs a counter of cycles that overflows every PERIOD cycles. If @recorded is true, each
 * sample contains the values of four PMDs.
 */
static void program_cycles(int fd, bool user_only, bool recorded)
{
	const struct pmu *pmu = find_pmu();
	struct pfarg_pmc pmc = {
		.reg_num = pmu->cycles.pmc,
		.reg_value = user_only ? pmu->cycles_of_user : pmu->cycles.value,
	};
	struct pfarg_pmd pmd = {
		.reg_num = pmu->cycles.pmd,
		.reg_value = -(uint64_t)PERIOD,
		.reg_short_reset = -(uint64_t)PERIOD,
		.reg_long_reset = -(uint64_t)PERIOD,
		.reg_smpl_pmds = { recorded ? pmu->recorded : 0 },
	};

	must(fd, pfm_write_pmcs(fd, &pmc, 1));
	must(fd, pfm_write_pmds(fd, &pmd, 1));
}

static void begin(struct sampler *sampler, const struct format *format, bool user_only,
		  bool recorded)
{
	struct pfarg_load load = { .load_pid = gettid() };
	struct pfarg_ctx context = { 0 };

	sampler->fd = pfm_create_context(&context, format->name, format->argument,
					 format->size);
	must(sampler->fd, sampler->fd);
	sampler->size = BUFFER_SIZE;
	sampler->buffer =
		mmap(NULL, sampler->size, PROT_READ, MAP_SHARED, sampler->fd, 0);
	if (sampler->buffer == MAP_FAILED)
		err(1, "mmap of a sampling buffer");
	program_cycles(sampler->fd, user_only, recorded);
	must(sampler->fd, pfm_load_context(sampler->fd, &load));
	must(sampler->fd, pfm_start(sampler->fd, NULL));
}

static void end(struct sampler *sampler)
{
	const struct pfm_dfl_smpl_hdr *header = sampler->buffer;

	must(sampler->fd, pfm_stop(sampler->fd));
	if (header->hdr_count < REPETITIONS / 2)
		errx(1, "the buffer has only %llu samples",
		     (unsigned long long)header->hdr_count);
	munmap(sampler->buffer, sampler->size);
	close(sampler->fd);
}

static double measure_format(const struct format *format, bool recorded)
{
	struct sampler sampler;
	double cost;

	begin(&sampler, format, true, recorded);
	cost = measure_interruptions(REPETITIONS).cost;
	end(&sampler);
	return cost;
}

/*
 * Measures the cost of the return from the interrupt handler to the program. The handler starts the
 * counter again before it returns. In this measurement the counter also counts at kernel level. So
 * each period consists of the return and of the program's instructions up to the next overflow.
 */
static double measure_return(const struct format *format)
{
	struct sampler sampler;
	double between;

	begin(&sampler, format, false, false);
	between = measure_interruptions(REPETITIONS).between;
	end(&sampler);
	return PERIOD - between;
}

static void write_setting(const char *text)
{
	FILE *file = fopen(DEBUG, "w");

	if (!file || fputs(text, file) == EOF || fclose(file))
		err(1, DEBUG);
}

static double statistic(const char *name)
{
	char path[128];
	double value;
	FILE *file;

	snprintf(path, sizeof(path), STATISTICS "%s", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%lf", &value) != 1)
		err(1, "%s", path);
	fclose(file);
	return value;
}

/*
 * If PFM_DEBUG_TIMING is set, perfmon itself measures how much time a sample spends in the core and
 * how much in the format. For this, each of these two parts reads a clock at its beginning and at
 * its end. These four readings make a sample more expensive. Their cost is the cost of a sample
 * with the readings minus the cost of a sample without them. A reading takes some time, and we
 * assume that it returns the time at its middle. So a part's measured time includes the second half
 * of its first reading and the first half of its second reading.
 */
static void measure_parts(const struct format *format, double whole, double *costs)
{
	double with_clocks, of_clock, in_handler, in_format, calls;

	write_setting("0"); /* resets the statistics */
	write_setting(TIMING);
	with_clocks = measure_format(format, false);
	calls = statistic("fmt_handler_calls");
	in_handler = statistic("ovfl_intr_ns") / statistic("ovfl_intr_all_count");
	in_format = statistic("fmt_handler_ns") / calls;
	write_setting("0");

	of_clock = (with_clocks - whole) / 4;
	costs[ROW_SAMPLE_FORMAT] = in_format - of_clock;
	costs[ROW_SAMPLE_CORE] = in_handler - 3 * of_clock - costs[ROW_SAMPLE_FORMAT];
	costs[ROW_SAMPLE_RETURN] = measure_return(format);
	costs[ROW_SAMPLE_ENTRY] =
		whole - in_handler + 3 * of_clock - costs[ROW_SAMPLE_RETURN];
}

/* ---- perf_event --------------------------------------------------------------------- */

static double measure_perf(uint64_t more)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = find_pmu()->perf.cycles,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | more,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = BUFFER_SIZE, /* nobody is woken */
	};
	long page = sysconf(_SC_PAGESIZE);
	double cost;
	void *ring;
	int fd;

	/*
	 * After an unload, perfmon releases the hardware of POWER and x86 within a second. Until
	 * then, perf refuses the event with EBUSY.
	 */
	while ((fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0)) == -1 &&
	       errno == EBUSY)
		usleep(10000);
	if (fd == -1)
		return NOT_MEASURED;
	ring = mmap(NULL, page + BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		err(1, "mmap of perf's ring");
	cost = measure_interruptions(REPETITIONS).cost;
	munmap(ring, page + BUFFER_SIZE);
	close(fd);
	return cost;
}

void measure_samples(double *ours, double *perf)
{
	struct pfm_dfl_smpl_arg argument = { .buf_size = BUFFER_SIZE };
	struct format format = { PFM_DFL_SMPL_NAME, &argument, sizeof(argument) };
	struct pfm_callchain_arg deep = { .buf_size = BUFFER_SIZE };
	struct format callchain = { PFM_CALLCHAIN_NAME, &deep, sizeof(deep) };

	if (!has_hardware_events())
		return; /* the software PMU: there are no hardware events to sample */
	ours[ROW_SAMPLE] = measure_format(&format, false);
	ours[ROW_SAMPLE_4] = measure_format(&format, true);
	ours[ROW_SAMPLE_CALLCHAIN] = measure_format(&callchain, false);
	measure_parts(&format, ours[ROW_SAMPLE], ours);
	perf[ROW_SAMPLE] = measure_perf(0);
	perf[ROW_SAMPLE_CALLCHAIN] = measure_perf(PERF_SAMPLE_CALLCHAIN);
}
