/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers that write synthetic recordings with the code of pfmon record. */
#ifndef UNIT_SYNTHETIC_H
#define UNIT_SYNTHETIC_H

#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>

#include "../../tools/pfmon/data/data_write.h"
#include "../../tools/pfmon/data/data.h"

#define MACHINE_TIME 1700000000123456789ull /* 2023-11-14 22:13:20 UTC */
#define CYCLES_PMD   3
#define FAULTS_PMD   256

/*
 * Make an empty file in memory, and return its name. The file exists until the test ends. Child
 * processes can open the file by this name, because they inherit the descriptor of the file. The
 * next call overwrites the name.
 */
const char *synthetic_path(void);

/* synthetic_begin() writes these flags into the machine record. */
extern uint32_t synthetic_flags;

/* Create the file @path, with a record for the machine and one for the command "app --size 100". */
void synthetic_begin(struct data_writer *writer, const char *path);
void synthetic_event(struct data_writer *writer, const char *name, uint16_t pmd,
		     uint64_t period, uint16_t values);
void synthetic_thread(struct data_writer *writer, uint32_t tid, uint32_t tgid,
		      uint32_t context, const char *comm);
void synthetic_mapping(struct data_writer *writer, uint32_t tgid, uint64_t start,
		       uint64_t end, uint64_t offset, const char *path);

/* Returns a sample of CPU 1 that stands for @period events. */
struct pfm_dfl_smpl_entry synthetic_entry(uint32_t tid, uint32_t tgid, uint16_t pmd,
					  uint64_t ip, uint64_t time, uint64_t period);
void synthetic_samples(struct data_writer *writer, enum data_format format,
		       uint32_t context, uint64_t count, const void *entries,
		       size_t size);
void synthetic_losses(struct data_writer *writer, uint32_t context, uint64_t lost,
		      uint64_t throttled);
void synthetic_end(struct data_writer *writer, uint64_t written, uint64_t lost);

#endif
