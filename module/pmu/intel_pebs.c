// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon_intel: precise event-based sampling (PEBS), with exclusive ownership.
 *
 * PMC 17, IA32_PEBS_ENABLE, arms general counters.  After an armed counter has wrapped, the
 * processor writes a record of the counter's next event to a buffer in memory.  The record contains
 * the instruction's address and the registers.  Then the processor loads a value from memory into
 * the counter, and raises the interrupt (SDM 3B, "Processor Event Based Sampling").
 *
 * Each record raises an interrupt, whose handler takes the record and resets the PMD.  So the
 * buffer never contains data of another thread, and a PMD can have any reset value, even a random
 * one.  The value that the processor loads from memory into the counter is always 1.  Without PEBS,
 * the counter would contain 1, too, because after its wrap to 0 it would count the event that PEBS
 * records.  So with and without PEBS, the counter's highest bit, the overflow flag (x86.c), is
 * clear.
 *
 * The processor writes the records to a linear address, even while user code runs.  With page-table
 * isolation, almost no kernel memory is mapped while user code runs.  perf's buffer is mapped, but
 * ours would not be.  So precise sampling is not possible with page-table isolation.
 */
#include <asm/cpufeature.h>
#include <asm/msr-index.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "intel_pebs.h"
#include <perfmon/perfmon_intel.h>

/* IA32_PERF_CAPABILITIES (SDM 4, table of architectural MSRs) */
#define CAPABILITY_FORMAT(value) ((value) >> 8 & 0xf)
#define CAPABILITY_BASELINE	 BIT_ULL(14)

/*
 * Formats of records. Formats 1, 2 and 3 each add fields at the end. From format 4 on, a record
 * consists of groups of fields.
 */
#define FORMAT_CORE		 0
#define FORMAT_ADAPTIVE		 4
#define FORMAT_LAST		 6

#define DATA_REGISTERS		 BIT_ULL(1) /* IA32_PEBS_DATA_CFG: group of general registers */
#define SELECT_ADAPTIVE		 BIT_ULL(34) /* in an event select: write an adaptive record */
#define STATUS_BUFFER		 BIT_ULL(62) /* IA32_PERF_GLOBAL_STATUS: buffer overflow */

/* A record in formats 0 to 3. */
struct record {
	u64 flags;
	u64 ip;
	u64 ax, bx, cx, dx, si, di, bp, sp;
	u64 r[8]; /* R8 to R15 */
	u64 counters; /* format 1 adds this field and the next three */
	u64 address;
	u64 source;
	u64 latency;
	u64 instruction; /* format 2 adds this field and the next one */
	u64 transaction;
	u64 tsc; /* format 3 adds this field */
};

/* A record in format 4 or later, with the group of general registers. */
struct adaptive_record {
	u64 groups;
	u64 instruction;
	u64 counters;
	u64 tsc;
	u64 flags;
	u64 ip;
	u64 ax, cx, dx, bx, sp, bp, si, di;
	u64 r[8];
};

/* Room for a record of each counter, because several counters may overflow at the same time. */
#define RECORDS	     8
#define BUFFER_BYTES (RECORDS * sizeof(struct record))
static_assert(sizeof(struct record) >= sizeof(struct adaptive_record));

/* SDM 3B, "Debug Store (DS) Mechanism": the area's layout in 64-bit mode. */
struct ds_area {
	u64 branches[4];
	u64 base;
	u64 index;
	u64 maximum;
	u64 threshold;
	u64 resets[8];
};

/**
 * struct pebs_cpu - what a CPU needs for its records
 * @ds: the area that tells the processor where it has to write the records
 * @buffer: the records that the processor writes
 * @noted: the same records, converted for pfm_overflow()
 * @payloads: the data of the records; @noted[i].payload points to @payloads[i]
 */
struct pebs_cpu {
	struct ds_area ds;
	u8 buffer[BUFFER_BYTES] __aligned(8);
	struct pfm_hardware_sample noted[RECORDS + 1];
	struct pfm_intel_pebs payloads[RECORDS];
};

static struct pebs_cpu __percpu *pebs_cpus;
static unsigned int format;
static size_t record_size;
static u64 pebs_counters;

/* ---- records ------------------------------------------------------------------------------ */

/*
 * Copy the registers to struct pfm_intel_pebs.  The fields for registers have the same names in
 * both kinds of record.
 */
#define COPY_REGISTERS(to, from)                                                         \
	do {                                                                             \
		(to)->flags = (from)->flags;                                             \
		(to)->ip = (from)->ip;                                                   \
		(to)->ax = (from)->ax;                                                   \
		(to)->bx = (from)->bx;                                                   \
		(to)->cx = (from)->cx;                                                   \
		(to)->dx = (from)->dx;                                                   \
		(to)->si = (from)->si;                                                   \
		(to)->di = (from)->di;                                                   \
		(to)->bp = (from)->bp;                                                   \
		(to)->sp = (from)->sp;                                                   \
		memcpy((to)->r, (from)->r, sizeof((to)->r));                             \
	} while (0)

static void decode_adaptive(struct pfm_intel_pebs *payload, const void *at)
{
	const struct adaptive_record *record = at;

	payload->instruction = record->instruction;
	payload->tsc = record->tsc;
	COPY_REGISTERS(payload, record);
}

/* If the record's format lacks a field, this field of @payload stays 0. */
static void decode(struct pfm_intel_pebs *payload, const void *at)
{
	struct record record = {};

	memcpy(&record, at, record_size);
	COPY_REGISTERS(payload, &record);
	payload->address = record.address;
	payload->source = record.source;
	payload->latency = record.latency;
	payload->instruction = record.instruction;
	payload->tsc = record.tsc;
}

/*
 * Return: a bitmap of the counters that the record is for.  If the record names no armed counter,
 * and only one counter is armed, the record is for that counter.
 */
static u64 counters_of(const void *at, u64 armed)
{
	u64 counters = 0;

	if (format >= FORMAT_ADAPTIVE)
		counters = ((const struct adaptive_record *)at)->counters;
	else if (format > FORMAT_CORE)
		counters = ((const struct record *)at)->counters;
	counters &= armed;
	if (!counters && hweight64(armed) == 1)
		counters = armed;
	return counters;
}

/*
 * Return: the number of complete records.  The processor writes a record before it increases the
 * index, so all records below the index are complete.
 */
static unsigned int records_of(const struct pebs_cpu *cpu)
{
	return min_t(u64, (READ_ONCE(cpu->ds.index) - cpu->ds.base) / record_size,
		     RECORDS);
}

static u64 pebs_recorded(u64 armed)
{
	const struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);
	unsigned int count = records_of(cpu), i;
	u64 counters = 0;

	for (i = 0; i < count; i++)
		counters |= counters_of(cpu->buffer + i * record_size, armed);
	return counters;
}

static const struct pfm_hardware_sample *pebs_collect(u64 armed)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);
	unsigned int count = records_of(cpu), i;

	for (i = 0; i < count; i++) {
		const void *at = cpu->buffer + i * record_size;
		struct pfm_intel_pebs *payload = &cpu->payloads[i];

		*payload = (struct pfm_intel_pebs){ .format = format };
		if (format >= FORMAT_ADAPTIVE)
			decode_adaptive(payload, at);
		else
			decode(payload, at);
		cpu->noted[i] = (struct pfm_hardware_sample){
			.counters = counters_of(at, armed),
			.ip = payload->instruction,
			.is_kernel = (s64)payload->instruction < 0 ||
				     (s64)payload->ip < 0 || (s64)payload->sp < 0,
			.payload = payload,
			.payload_size = sizeof(*payload),
		};
	}
	cpu->noted[count].counters = 0;
	return cpu->noted;
}

static void pebs_empty(void)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);

	WRITE_ONCE(cpu->ds.index, cpu->ds.base);
}

/* ---- a CPU -------------------------------------------------------------------------------- */

static void pebs_begin(void)
{
	struct pebs_cpu *cpu = this_cpu_ptr(pebs_cpus);
	const u64 base = (unsigned long)cpu->buffer;
	unsigned int n;

	cpu->ds = (struct ds_area){
		.base = base,
		.index = base,
		.maximum = base + RECORDS * record_size + 1,
		.threshold = base + record_size,
	};
	for (n = 0; n < ARRAY_SIZE(cpu->ds.resets); n++)
		cpu->ds.resets[n] = 1;
	if (format >= FORMAT_ADAPTIVE)
		x86_write(MSR_PEBS_DATA_CFG, DATA_REGISTERS);
	x86_write(MSR_IA32_DS_AREA, (unsigned long)&cpu->ds);
}

static void pebs_end(void)
{
	if (format >= FORMAT_ADAPTIVE)
		x86_write(MSR_PEBS_DATA_CFG, 0);
	x86_write(MSR_IA32_DS_AREA, 0);
}

static struct x86_pebs pebs = {
	.enable = MSR_IA32_PEBS_ENABLE,
	.acknowledge = STATUS_BUFFER,
	.begin = pebs_begin,
	.end = pebs_end,
	.empty = pebs_empty,
	.recorded = pebs_recorded,
	.collect = pebs_collect,
};

/* ---- the processor ------------------------------------------------------------------------ */

static const char *refusal = "this processor has no precise sampling";

static int show(char *text, const struct kernel_param *unused)
{
	if (refusal)
		return sysfs_emit(text, "no: %s\n", refusal);
	return sysfs_emit(text, "format %u\n", format);
}

static const struct kernel_param_ops show_operations = { .get = show };
module_param_cb(pebs, &show_operations, NULL, 0444);
MODULE_PARM_DESC(
	pebs, "format of the records of precise events, or the reason why there are none "
	      "(read only)");

/* Return: why precise sampling is not possible; NULL if it is possible. */
static const char *why_not(u64 capabilities, bool mixed, bool shared, const char *erratum)
{
	if (mixed)
		return "this processor has several kinds of core";
	if (!boot_cpu_has(X86_FEATURE_DTES64) || !boot_cpu_has(X86_FEATURE_PEBS))
		return refusal;
	if (erratum)
		return erratum;
	if (format > FORMAT_LAST ||
	    (format >= FORMAT_ADAPTIVE && !(capabilities & CAPABILITY_BASELINE)))
		return "the format of this processor's records is not known";
	if (boot_cpu_has(X86_FEATURE_PTI))
		return "page-table isolation hides the buffer (boot with pti=off)";
	if (shared)
		return "the counters are shared with perf (load with ownership=exclusive)";
	return NULL;
}

/**
 * intel_pebs_set_up() - describe PMC 17, if precise sampling is possible
 * @counters: the counters that all CPUs have
 * @mixed: true if the processor has several kinds of core
 * @shared: true if the ownership is shared, false if it is exclusive
 * @erratum: a text that says why an erratum prevents precise sampling; NULL if no erratum does
 * @pmc: the description of PMC 17, which this function fills in if precise sampling is possible
 *
 * Process context, may sleep.
 *
 * Return: the operations for PEBS; NULL if precise sampling is not possible; ERR_PTR(-ENOMEM) if
 * there is no memory.
 */
const struct x86_pebs *intel_pebs_set_up(const struct intel_counters *counters,
					 bool mixed, bool shared, const char *erratum,
					 struct pfm_register *pmc)
{
	static const size_t sizes[] = {
		offsetof(struct record, counters),
		offsetof(struct record, instruction),
		offsetof(struct record, tsc),
		sizeof(struct record),
	};

	format = CAPABILITY_FORMAT(counters->capabilities);
	refusal = why_not(counters->capabilities, mixed, shared, erratum);
	if (refusal)
		return NULL;
	if (format >= FORMAT_ADAPTIVE) {
		record_size = sizeof(struct adaptive_record);
		pebs.select = SELECT_ADAPTIVE;
		pebs_counters = counters->general & 0xff;
	} else {
		record_size = sizes[format];
		pebs_counters = counters->general & (format == FORMAT_CORE ? 1 : 0xf);
	}
	pebs_cpus = alloc_percpu(struct pebs_cpu);
	if (!pebs_cpus)
		return ERR_PTR(-ENOMEM);
	*pmc = (struct pfm_register){
		.name = "IA32_PEBS_ENABLE",
		.reserved = ~pebs_counters,
		.address = MSR_IA32_PEBS_ENABLE,
		.counters = pebs_counters,
	};
	return &pebs;
}

/* Undo intel_pebs_set_up(), whatever it returned. */
void intel_pebs_free(void)
{
	free_percpu(pebs_cpus);
}
