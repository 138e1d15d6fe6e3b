/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for the suites drain, drain_disk and drain_hist. These suites test that pfmon writes the
 * samples from sampling buffers to the file. The suites write samples into the buffers as the
 * kernel does; <perfmon/perfmon_*.h> describe the buffers. The address of each sample is its
 * number, so that the suites find a missing or repeated sample.
 */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdbool.h>

#include <perfmon/perfmon_dfl_smpl.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/record/drain.h"
#include "suites.h"

#define PMD	     3
#define PERIOD	     1000
#define MAX_SAMPLES  100000
#define BUFFER_SIZE  4096
#define REGIONS	     4
#define REGION_SIZE  408 /* room for ten entries, but not for eleven */
#define HIST_ENTRIES 64
#define LINEAR_ROOM  ((BUFFER_SIZE - 128) / 40)
#define REGION_ROOM  (REGION_SIZE / 40)

/**
 * struct machine - a buffer, the state of the kernel that fills it, and the state of pfmon
 * @buffer: the sampling buffer
 * @next: number of the next sample
 * @lost: number of samples that did not fit into the buffer
 * @is_masked: monitoring is masked until a restart
 * @chain: number of addresses in the latest sample of format callchain
 */
extern struct machine {
	uint64_t buffer[BUFFER_SIZE / 8];
	uint64_t next;
	uint64_t lost;
	bool is_masked;
	unsigned int chain;
	struct drain drain;
	struct data_writer writer;
	char path[32];
} machine;

/* What finish() found in the file. */
extern struct file {
	uint64_t ips[MAX_SAMPLES];
	size_t count;
	uint64_t hist_count;
	uint64_t hist_sum;
	unsigned int records;
} file;

/* Begin with an empty buffer of @format and an empty file. */
void begin(enum data_format format);

/* Write @count samples into the buffer. The format of the buffer must not be hist. */
void samples(unsigned int count);

/*
 * If @is_attached, do what pfm_restart() does, and return true. Otherwise the context is no longer
 * loaded, so do nothing and return false.
 */
bool restart(bool is_attached);

/*
 * Do what pfmon does at an overflow message: write each full buffer or region to the file, and hand
 * it back with restart(@is_attached).
 */
void drain_all(bool is_attached);

/* Do what pfmon does when the thread has ended: write the rest of the samples to the file. */
void end_of_thread(void);

/* Close the file and read it. */
void finish(void);

/*
 * Calls finish(). Checks that the file contains the samples in order, none of them twice, and that
 * every sample is either in the file or counted as lost.
 */
void check_all(void);

#endif
