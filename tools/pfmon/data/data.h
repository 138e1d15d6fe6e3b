/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a recording: a header and then records, see docs/data-file.md. This header defines
 * the structures in the file. The functions in data_write.h write the structures, and the functions
 * in data_read.h read them.
 *
 * All numbers are little endian. A record is a struct data_record and a body. The body begins with
 * one of the structures below. Strings, numbers or entries may follow; the structure's comment says
 * which. Strings end with a zero byte. Zero bytes at the end of a record pad its size to a multiple
 * of 8.
 */
#ifndef PFMON_DATA_H
#define PFMON_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATA_MAGIC	  "PFMDATA" /* 8 bytes, including the zero byte */
#define DATA_VERSION	  0x10002u /* 1.2: major << 16 | minor */
#define DATA_ALIGNMENT	  8
#define DATA_FILE_NAME	  "pfmon.data"

/*
 * Maximum numbers of events and contexts in a file. Readers skip all EVENT records after the first
 * DATA_MAX_EVENTS. They also skip SAMPLES, LOSSES and CPU records with a context number of
 * DATA_MAX_CONTEXTS or more.
 */
#define DATA_MAX_EVENTS	  4096
#define DATA_MAX_CONTEXTS (1u << 20)

/**
 * struct data_header - the first bytes of the file
 * @magic: DATA_MAGIC
 * @version: DATA_VERSION; a reader must support the major version
 * @size: size of this header in bytes; the first record follows the header
 */
struct data_header {
	char magic[8];
	uint32_t version;
	uint32_t size;
};

enum data_type {
	DATA_MACHINE = 1,
	DATA_COMMAND = 2,
	DATA_EVENT = 3,
	DATA_THREAD = 4,
	DATA_MAPPING = 5,
	DATA_SAMPLES = 6,
	DATA_LOSSES = 7,
	DATA_END = 8,
	DATA_UNSAMPLED = 9, /* since version 1.1 */
	DATA_FORK = 10, /* since version 1.2 */
	DATA_CPU = 11, /* since version 1.2 */
};

/**
 * struct data_record - head of a record
 * @type: enum data_type; a reader skips unknown types
 * @size: size of the record in bytes, including this head and the padding
 */
struct data_record {
	uint32_t type;
	uint32_t size;
};

/**
 * struct data_machine - where and when the recording was made. This is the first record; the
 *	strings of enum data_machine_string follow
 * @time: when recording began, in ns since 1970 (CLOCK_REALTIME). If the recording has several
 *	files: when this file began
 * @flags: DATA_PER_THREAD, or 0
 * @recording: number of the recording; all files of a recording have the same number. 0 before
 *	version 1.2
 */
struct data_machine {
	uint64_t time;
	uint32_t flags;
	uint32_t recording;
};

/*
 * A flag in data_machine.flags, since version 1.2: readers show the results of each thread
 * separately.
 */
#define DATA_PER_THREAD 0x1

/* Order of the strings of a DATA_MACHINE record. A string that is not known is empty. */
enum data_machine_string {
	DATA_MACHINE_PFMON, /* version of pfmon */
	DATA_MACHINE_ARCHITECTURE, /* as uname -m */
	DATA_MACHINE_KERNEL, /* as uname -r */
	DATA_MACHINE_KERNEL_BUILD_ID, /* hexadecimal digits */
	DATA_MACHINE_BOOT_ID, /* /proc/sys/kernel/random/boot_id */
	DATA_MACHINE_PMU, /* pfm_info.pmu_name */
	DATA_MACHINE_MODEL, /* pfm_info.pmu_model */
	DATA_MACHINE_STRINGS
};

/**
 * struct data_command - what was recorded; @count strings follow. Since version 1.1 another string
 *	follows: the numbers of all threads that the user chose (-t). Since version 1.2 two more
 *	strings follow: the numbers of the CPUs and the numbers of the processes that were recorded.
 *	Commas separate the numbers in these strings
 * @count: number of strings of the command: its name and its arguments
 * @tid: number of the first thread that the user chose; 0 if the user chose no thread
 */
struct data_command {
	uint32_t count;
	uint32_t tid;
};

/* data_event.modes */
#define DATA_MODE_USER	 0x1
#define DATA_MODE_KERNEL 0x2

/**
 * struct data_event - an event; an array of uint16_t and a string follow
 * @code: code of the event on the PMU
 * @period: sampling period; if @frequency is not 0, the period at the beginning
 * @frequency: samples per second, as the user gave it; 0 if the user gave a period
 * @random_mask: a random number is added to each period. Only the bits of this mask may be set in
 *	the number
 * @set: event set
 * @pmd: PMD that overflows. A sample belongs to this event if it was taken in the event set @set
 *	because of an overflow of @pmd
 * @modes: DATA_MODE_*
 * @value_count: number of values in each sample of this event
 *
 * For each value in a sample, the array has the number of the PMD that the value comes from. The
 * string is the event's name as the user gave it. The DATA_EVENT records come before all samples.
 */
struct data_event {
	uint64_t code;
	uint64_t period;
	uint64_t frequency;
	uint64_t random_mask;
	uint16_t set;
	uint16_t pmd;
	uint16_t modes;
	uint16_t value_count;
};

/*
 * data_thread.flags. DATA_THREAD_EXEC: the thread executed a program at data_thread.time. The exec
 * ended all earlier mappings of the thread's process.
 */
#define DATA_THREAD_EXEC 0x1

/**
 * struct data_thread - the name of a thread; the name (comm) follows
 * @time: when the thread got the name, on the samples' clock; 0: the thread has had the name from
 *	its beginning
 * @tid: thread
 * @tgid: its process
 * @context: number of the thread's context in this recording, from 0; DATA_NO_CONTEXT if
 *	the thread has none
 * @flags: DATA_THREAD_*
 */
struct data_thread {
	uint64_t time;
	uint32_t tid;
	uint32_t tgid;
	uint32_t context;
	uint32_t flags;
};

#define DATA_NO_CONTEXT UINT32_MAX

/**
 * struct data_fork - a thread or process begins. The new thread takes over the current name of its
 *	parent. A new process also takes over the mappings of its parent. The name and the
 *	mappings are valid until later records change them
 * @time: when the thread begins, on the samples' clock. If an earlier thread had the number @tid,
 *	that thread has ended
 * @tid: thread
 * @tgid: its process
 * @parent_tid: thread that created @tid
 * @parent_tgid: process of @parent_tid
 */
struct data_fork {
	uint64_t time;
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent_tid;
	uint32_t parent_tgid;
};

/* data_mapping.flags */
#define DATA_MAPPING_KERNEL 0x1 /* kernel text, in all processes; tgid is 0 */

/**
 * struct data_mapping - executable memory; its path and build-id follow
 * @time: when the memory was mapped, on the samples' clock; 0: the process has had the mapping from
 *	its beginning. A mapping replaces earlier mappings at the same addresses
 * @start: first address
 * @end: first address after the mapping
 * @offset: offset of @start in the file
 * @inode: inode of the file, 0 if there is none
 * @device_major: major number of the file's device
 * @device_minor: minor number of the file's device
 * @tgid: process
 * @flags: DATA_MAPPING_*
 *
 * The path is as in /proc/PID/maps: a file, "[vdso]", or empty. The path of kernel text is
 * "[kernel]" or a module's name in brackets. The build-id consists of hexadecimal digits, or is
 * empty if it is not known.
 */
struct data_mapping {
	uint64_t time;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t tgid;
	uint32_t flags;
};

/* data_samples.format. The structures of the entries are defined in <perfmon/perfmon_*.h>. */
enum data_format {
	DATA_FORMAT_DEFAULT = 1, /* struct pfm_dfl_smpl_entry and values */
	DATA_FORMAT_NWAY = 2, /* as DATA_FORMAT_DEFAULT */
	DATA_FORMAT_CALLCHAIN = 3, /* struct pfm_callchain_entry, values and addresses */
	DATA_FORMAT_HIST = 4, /* struct pfm_hist_entry */
};

/**
 * struct data_samples - samples of one context; the entries follow as the kernel wrote them
 * @context: number of the context
 * @format: enum data_format of the entries
 * @format_version: version of the format, from the header of the buffer
 * @reserved: 0
 * @count: number of entries
 *
 * With DATA_FORMAT_HIST, the count and the sum in an entry include only the samples that the kernel
 * has added since the context's previous DATA_SAMPLES record.
 */
struct data_samples {
	uint32_t context;
	uint32_t format;
	uint32_t format_version;
	uint32_t reserved;
	uint64_t count;
};

/**
 * struct data_losses - the losses of one context, from the beginning of the file to this record
 * @lost: number of samples that did not fit into the buffer or could not be written to the file
 * @lost_sum: with hist, sum of the periods of the samples that did not fit into the buffer; 0 with
 *	the other formats, which do not keep this sum
 * @throttled: number of times that an event set was throttled: the set counted nothing for a tick,
 *	because it had too many overflow interrupts
 * @context: number of the context; a later DATA_LOSSES record of the same context
 *	replaces this record
 * @reserved: 0
 */
struct data_losses {
	uint64_t lost;
	uint64_t lost_sum;
	uint64_t throttled;
	uint32_t context;
	uint32_t reserved;
};

/**
 * struct data_cpu - numbers of samples of one context. Only a context whose buffer belongs to one
 *	CPU has this record
 * @produced: number of samples that the kernel took
 * @written: number of samples in the file; with hist, the sum of the counts of all entries
 * @lost: number of samples that were lost, as in struct data_losses
 * @context: number of the context
 * @cpu: the CPU
 */
struct data_cpu {
	uint64_t produced;
	uint64_t written;
	uint64_t lost;
	uint32_t context;
	uint32_t cpu;
};

/**
 * struct data_unsampled - events that a context counted, but for which the PMU delivered no
 *	sample
 * @counted: number of all events, both those that belong to a sample and those that belong to none.
 *	A second counter, which is never reset, has counted these events
 * @events: number of these events that belong neither to a sample in the file nor to a lost sample.
 *	The events of unfinished periods are not included: a period is unfinished if a thread or the
 *	recording ended during the period, or if pfmon changed the period
 * @samples: number of samples that the PMU should have delivered for @events
 * @context: number of the context
 * @set: event set
 * @pmd: PMD of the event
 *
 * The file has this record only if a second counter was available for the event.
 */
struct data_unsampled {
	uint64_t counted;
	uint64_t events;
	uint64_t samples;
	uint32_t context;
	uint16_t set;
	uint16_t pmd;
};

/**
 * struct data_end - the last record; if a file has it, the file is complete
 * @produced: number of samples that the kernel took, in all contexts
 * @written: number of samples in the file; with hist, the sum of the counts of all entries
 * @lost: number of samples that were lost, as in struct data_losses
 * @duration: ns from the beginning to the end of recording
 * @flags: DATA_END_*; not in files of version 1.0
 * @reserved: 0
 *
 * If a recording has several files, the numbers describe this file only. When pfmon ends a file,
 * the kernel may already have taken samples that pfmon will write to the next file. In the file
 * that ends, @produced does not include these samples: it is the sum of @written and @lost.
 */
struct data_end {
	uint64_t produced;
	uint64_t written;
	uint64_t lost;
	uint64_t duration;
	uint32_t flags;
	uint32_t reserved;
};

/* Size of struct data_end in version 1.0. */
#define DATA_END_LEAST	  offsetof(struct data_end, flags)

/* data_end.flags */
#define DATA_END_FAILED	  0x1 /* an error ended the recording */
#define DATA_END_SWITCHED 0x2 /* the next samples are in another file */

#endif
