/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon: hardware performance monitoring through /dev/perfmon
 *
 * The protocol in a page
 * ----------------------
 * Open /dev/perfmon and the file descriptor stands for one monitoring
 * context: a set of counters with their configuration, loaded on one thread at a
 * time.  Ioctls on the descriptor do everything:
 *
 *	PFM_IOC_CREATE_CONTEXT	makes the context (once for each open)
 *	PFM_IOC_WRITE_PMCS	selects what is counted (configuration registers)
 *	PFM_IOC_WRITE_PMDS	sets the counters (data registers)
 *	PFM_IOC_LOAD		loads the context on a thread, the caller's or another
 *	PFM_IOC_START, _STOP	start and stop the counters, as often as wanted
 *	PFM_IOC_READ_PMDS	reads the counters, running or not
 *	PFM_IOC_UNLOAD		unloads the context; the values can still be read
 *
 * Closing the last descriptor unloads and frees the context.  read() returns messages
 * (struct pfarg_ovfl_msg), poll() reports when there is a message.  The end of the
 * monitored thread sends PFM_MSG_END.  An overflow sends PFM_MSG_OVFL if the PMD has
 * PFM_REGFL_OVFL_NOTIFY; the program handles it and calls PFM_IOC_RESTART.
 *
 * A context made with a sampling format has a buffer, which mmap() maps.  At each
 * overflow of 64 bits the format writes a sample to it (perfmon_dfl_smpl.h).
 * Without a format an overflow masks monitoring until PFM_IOC_RESTART.
 *
 * A PMC is a register that selects what is counted, a PMD one that holds a count.  Their
 * numbers are logical: the header of a PMU's register map (perfmon_armv8.h,
 * perfmon_soft.h, ...) documents what each number stands for and which PMC drives which
 * PMD.  Every counter is 64 bits wide here, whatever its width in hardware.  PMDs from
 * PFM_VIRTUAL_PMD_BASE on exist with every PMU: time, context switches and the like of
 * the monitored thread.
 *
 * All structures have the same layout for 32-bit and 64-bit programs; a pointer
 * is passed as a 64-bit integer.  Structures named pfarg_* are those of perfmon2.
 *
 * A call that fails sets errno; PFM_IOC_LAST_ERROR then returns which element of
 * the vector was at fault and why.  Before the context is made, every call except
 * _CREATE_CONTEXT, _INFO, _LAST_ERROR and _STATISTICS of a CPU fails with EINVAL.
 *
 * How it grows
 * ------------
 * A program works unchanged with every later module.  A program built for a later module
 * works with an earlier one as long as it uses nothing new; a new call, flag or field
 * that it does use fails with one of the errors below.
 *
 * 1. A command is identified by its type and number.  The size in a command is that of
 *    the caller's structure; the direction is ignored.  An unknown number fails with
 *    ENOTTY.
 *
 * 2. Structures with flags (pfarg_ctx, pfarg_pmc, pfarg_pmd, pfarg_pmr, pfarg_setdesc,
 *    pfm_statistics): unknown flags are EINVAL (PFM_REASON_FLAGS); PFM_IOC_INFO returns the known ones.
 *    Reserved fields are ignored: a reserved field gets a meaning only together with a
 *    new flag.
 *
 * 3. Structures without flags (pfarg_load, pfarg_start, all that are named pfm_*):
 *    reserved fields must be zero (EINVAL, PFM_REASON_RESERVED).  They leave room for
 *    flags, the name of a PMU, a CPU or a pidfd.
 *
 * 4. Every structure may become longer, at its end.  The kernel accepts a structure that
 *    is longer than the one it knows if the rest is zero; if not, the call fails with
 *    E2BIG (PFM_REASON_TAIL) and changes nothing.  A structure that is shorter than its
 *    first version fails with EINVAL (PFM_REASON_SIZE).  The size of a structure is in
 *    the command, that of a vector's elements in struct pfm_vector, that of a format's
 *    argument in struct pfm_create (at most 4096 bytes there).
 *
 * 5. In structures that the kernel only returns, reserved fields are zero.  If such a
 *    structure is longer than the one the kernel knows, the kernel clears the rest.  The
 *    caller need not initialise such a structure.
 *
 * 6. A message contains its length, see struct pfm_msg_header.
 */
#ifndef _PERFMON_PERFMON_IOCTL_H
#define _PERFMON_PERFMON_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PFM_DEVICE		 "/dev/perfmon"

/* The version of perfmon2 with the same calls, as in /sys/kernel/perfmon/version: 2.8. */
#define PFM_VERSION		 0x20008u
/*
 * The version of this interface, as in /sys/kernel/perfmon/interface_version: 1.0.  The
 * minor number grows with each addition.
 */
#define PFM_INTERFACE_VERSION	 0x10000u
#define PFM_VERSION_MAJOR(x)	 (((x) >> 16) & 0xffff)
#define PFM_VERSION_MINOR(x)	 ((x)&0xffff)

/* Register n is bit n % 64 of word n / 64. */
#define PFM_MAX_HARDWARE	 256
#define PFM_MAX_VIRTUAL		 64
#define PFM_MAX_PMCS		 (PFM_MAX_HARDWARE + PFM_MAX_VIRTUAL)
#define PFM_MAX_PMDS		 (PFM_MAX_HARDWARE + PFM_MAX_VIRTUAL)
#define PFM_PMC_BV		 (PFM_MAX_PMCS / 64)
#define PFM_PMD_BV		 (PFM_MAX_PMDS / 64)

/*
 * Virtual PMDs, which the core adds to every PMU.  They count from start to stop like any
 * PMD, in the active event set, and never overflow.  A read-only one does not count: it
 * has the present value or, if its set does not count, the value from when the set last
 * counted.
 */
#define PFM_VIRTUAL_PMD_BASE	 PFM_MAX_HARDWARE
#define PFM_PMD_TASK_CLOCK	 256 /* ns of CPU time of the thread */
#define PFM_PMD_CONTEXT_SWITCHES 257 /* times the thread was switched out */
#define PFM_PMD_CPU_MIGRATIONS	 258 /* times the thread went to another CPU */
#define PFM_PMD_MINOR_FAULTS	 259 /* page faults without I/O */
#define PFM_PMD_MAJOR_FAULTS	 260 /* page faults that waited for I/O */
#define PFM_PMD_MONOTONIC_TIME	 261 /* ns of CLOCK_MONOTONIC between start and stop */
#define PFM_PMD_SET_RUNS	 262 /* times the event set became active; read-only */
#define PFM_PMD_INTERRUPTS	 263 /* overflow interrupts of the set's counters */
#define PFM_PMD_CPU		 264 /* number of the CPU the thread is on; read-only */
#define PFM_VIRTUAL_PMU_BASE	 288 /* from here on: those of the PMU module */

/* pfarg_ctx.ctx_flags */
#define PFM_FL_NOTIFY_BLOCK	 0x01 /* block the thread on a notification */
#define PFM_FL_SYSTEM_WIDE	 0x02 /* monitor a CPU, not a thread */
#define PFM_FL_MAP_SETS		 0x10 /* a user-readable page for each set */
#define PFM_FL_OVFL_NO_MSG	 0x80 /* signal overflows, queue no message */
#define PFM_FL_INHERIT_THREADS	 0x100 /* monitor threads that monitored threads make */
#define PFM_FL_INHERIT_ALL	 0x200 /* monitor threads and child processes that they make */
#define PFM_FL_KEEP_COUNTS	 0x400 /* keep the counts of copies that end */

/* pfarg_pmc.reg_flags and pfarg_pmd.reg_flags */
#define PFM_REGFL_OVFL_NOTIFY	 0x1 /* PMD: notify on 64-bit overflow */
#define PFM_REGFL_RANDOM	 0x2 /* PMD: randomise reset values */
#define PFM_REGFL_NO_EMUL64	 0x4 /* PMC: its counter keeps the hardware's width */

/* pfarg_setdesc.set_flags */
#define PFM_SETFL_OVFL_SWITCH	 0x1 /* switch to the next set on overflow */
#define PFM_SETFL_TIME_SWITCH	 0x2 /* switch to the next set after a time */

/* Types of message. */
#define PFM_MSG_OVFL		 1 /* an overflow */
#define PFM_MSG_END		 2 /* the monitored thread has ended, or its CPU is offline */

/**
 * struct pfarg_ctx - properties of a new context
 * @ctx_flags: in: PFM_FL_*
 * @ctx_reserved1: ignored
 * @ctx_reserved3: ignored
 */
struct pfarg_ctx {
	__u32 ctx_flags;
	__u32 ctx_reserved1;
	__u64 ctx_reserved3[7];
};

/**
 * struct pfarg_pmc - a configuration register to write
 * @reg_num: in: logical number of the PMC
 * @reg_set: in: event set
 * @reg_flags: in: 0 or PFM_REGFL_NO_EMUL64
 * @reg_value: in: value; reserved bits are replaced by the register's default
 * @reg_reserved2: ignored
 */
struct pfarg_pmc {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__u64 reg_value;
	__u64 reg_reserved2[4];
};

/**
 * struct pfarg_pmd - a data register to write or read
 * @reg_num: in: logical number of the PMD
 * @reg_set: in: event set
 * @reg_flags: in on write: PFM_REGFL_OVFL_NOTIFY, PFM_REGFL_RANDOM; ignored on read,
 *	because programs read into the structure that they have written
 * @reg_value: in on write, out on read: 64-bit value
 * @reg_long_reset: in on write: value after PFM_IOC_RESTART
 * @reg_short_reset: in on write: value after an overflow that does not mask
 * @reg_last_reset_val: out on read: the value that the last write or reset stored
 * @reg_ovfl_switch_cnt: in on write: number of overflows until a set switch;
 *	out on read: the number that remains
 * @reg_reset_pmds: in on write: PMDs reset when this one overflows
 * @reg_smpl_pmds: in on write: PMDs recorded when this one overflows
 * @reg_smpl_eventid: in on write: passed to the sampling format
 * @reg_random_mask: in on write: bits of the reset value to randomise
 * @reg_random_seed: in on write: seed of the random numbers; 0: chosen by the kernel
 * @reg_reserved2: ignored
 */
struct pfarg_pmd {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__u64 reg_value;
	__u64 reg_long_reset;
	__u64 reg_short_reset;
	__u64 reg_last_reset_val;
	__u64 reg_ovfl_switch_cnt;
	__u64 reg_reset_pmds[PFM_PMD_BV];
	__u64 reg_smpl_pmds[PFM_PMD_BV];
	__u64 reg_smpl_eventid;
	__u64 reg_random_mask;
	__u32 reg_random_seed;
	__u32 reg_reserved2[7];
};

/**
 * struct pfarg_pmr - a data register to read, its value only (perfmon v3)
 * @reg_num: in: logical number of the PMD
 * @reg_set: in: event set
 * @reg_flags: in: 0, no flag is defined
 * @reg_value: out: 64-bit value
 */
struct pfarg_pmr {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__u64 reg_value;
};

/**
 * struct pfarg_start - the event set to start with
 * @start_set: in: event set that becomes active
 * @start_reserved1: must be zero
 * @start_reserved2: must be zero
 * @reserved3: must be zero
 */
struct pfarg_start {
	__u16 start_set;
	__u16 start_reserved1;
	__u32 start_reserved2;
	__u64 reserved3[3];
};

/**
 * struct pfarg_load - what to load a context on
 * @load_pid: in: thread (tid) as the caller sees it; number of the CPU if the context is
 *	system-wide
 * @load_set: in: event set that becomes active
 * @load_reserved1: must be zero
 * @load_reserved2: must be zero
 */
struct pfarg_load {
	__u32 load_pid;
	__u16 load_set;
	__u16 load_reserved1;
	__u64 load_reserved2[3];
};

/**
 * struct pfarg_setdesc - an event set to create, change or delete
 * @set_id: in: number of the set; set 0 always exists
 * @set_reserved1: ignored
 * @set_flags: in: PFM_SETFL_*
 * @set_timeout: in: with PFM_SETFL_TIME_SWITCH, ns until the next set, not 0; out: the
 *	timeout in effect, which is at least /sys/kernel/perfmon/min_switch_timeout and
 *	rounded up to the resolution of the kernel's timers
 * @reserved: ignored
 *
 * PFM_IOC_DELETE_EVTSETS uses @set_id only.
 */
struct pfarg_setdesc {
	__u16 set_id;
	__u16 set_reserved1;
	__u32 set_flags;
	__u64 set_timeout;
	__u64 reserved[6];
};

/**
 * struct pfarg_setinfo - state of an event set
 * @set_id: in: number of the set
 * @set_reserved1: zero
 * @set_flags: out: PFM_SETFL_*
 * @set_ovfl_pmds: out: PMDs that overflowed last
 * @set_runs: out: times the set became active
 * @set_timeout: out: ns that remain of the timeout
 * @set_act_duration: out: ns during which the set was active and monitoring and its
 *	thread was running
 * @set_avail_pmcs: out: PMCs that are not held by others at the moment
 * @set_avail_pmds: out: PMDs that are not held by others at the moment
 * @set_reserved3: zero
 */
struct pfarg_setinfo {
	__u16 set_id;
	__u16 set_reserved1;
	__u32 set_flags;
	__u64 set_ovfl_pmds[PFM_PMD_BV];
	__u64 set_runs;
	__u64 set_timeout;
	__u64 set_act_duration;
	__u64 set_avail_pmcs[PFM_PMC_BV];
	__u64 set_avail_pmds[PFM_PMD_BV];
	__u64 set_reserved3[6];
};

/**
 * struct pfarg_ovfl_msg - a message, as read() returns it
 * @msg_type: PFM_MSG_OVFL or PFM_MSG_END; with END the rest is zero
 * @msg_ovfl_pid: monitored thread (tid); in a system-wide context the thread that ran, as its
 *	creator sees it, or 0
 * @msg_active_set: event set that was active
 * @msg_ovfl_cpu: CPU of the overflow
 * @msg_ovfl_tid: process (thread group) of that thread.  perfmon2 swapped the names of
 *	@msg_ovfl_pid and @msg_ovfl_tid by mistake; they stay swapped for its programs.
 * @msg_ovfl_ip: interrupted instruction
 * @msg_ovfl_pmds: PMDs that overflowed
 */
struct pfarg_ovfl_msg {
	__u32 msg_type;
	__u32 msg_ovfl_pid;
	__u16 msg_active_set;
	__u16 msg_ovfl_cpu;
	__u32 msg_ovfl_tid;
	__u64 msg_ovfl_ip;
	__u64 msg_ovfl_pmds[PFM_PMD_BV];
};

/**
 * struct pfm_msg_header - beginning of every message except those of perfmon2
 * @type: PFM_MSG_*
 * @size: bytes of the message, including this header; a multiple of 8
 *
 * PFM_MSG_OVFL and PFM_MSG_END are those of perfmon2: 64 bytes, without @size.
 * PFM_MSG_SIZE() returns the length of any message, so a reader can skip messages of
 * unknown types.
 *
 * read() returns as many whole messages as are queued and fit into its buffer; EINVAL if
 * the first one does not fit.
 */
struct pfm_msg_header {
	__u32 type;
	__u32 size;
};

/* Bytes of the message that begins with struct pfm_msg_header @header. */
#define PFM_MSG_SIZE(header) ((header)->type <= PFM_MSG_END ? 64 : (header)->size)

union pfarg_msg {
	__u32 type;
	struct pfm_msg_header header;
	struct pfarg_ovfl_msg pfm_ovfl_msg;
};

/**
 * struct pfm_create - argument of PFM_IOC_CREATE_CONTEXT
 * @context: in: properties of the context
 * @format_name: in: address of the name of a sampling format, or of its UUID as
 *	text; 0 for none
 * @format_argument: in: address of the format's argument, 0 for none
 * @format_size: in: bytes of the format's argument, 0 without @format_name
 * @pmu_name: in: address of the name of a PMU, as in pfm_info.pmu_name; 0 for the
 *	default, which is hardware if there is any.  The PMU of a context never changes.
 */
struct pfm_create {
	struct pfarg_ctx context;
	__u64 format_name;
	__u64 format_argument;
	__u64 format_size;
	__u64 pmu_name;
};

/**
 * struct pfm_vector - argument of the calls that take several elements
 * @address: in: address of the first element
 * @count: in: number of elements; 0 does nothing
 * @element_size: in: bytes from one element to the next; 0: the size that the first
 *	version of the element has, as in this header
 *
 * Elements are handled in order.  The first bad one ends the call with its errno;
 * those before it stay applied.  Calls that return values copy the
 * whole vector back, also on error.
 */
struct pfm_vector {
	__u64 address;
	__s32 count;
	__u32 element_size;
};

/* pfm_info.features */
#define PFM_FEATURE_PER_THREAD	0x1 /* contexts on threads */
#define PFM_FEATURE_EMUL64	0x2 /* 64-bit counters on narrower hardware */
#define PFM_FEATURE_VIRTUAL	0x4 /* virtual PMDs */
#define PFM_FEATURE_SAMPLING	0x8 /* notifications, sampling formats and their buffers */
#define PFM_FEATURE_SETS	0x10 /* event sets, switched by time or by overflows */
#define PFM_FEATURE_SYSTEM_WIDE 0x20 /* contexts on CPUs */
#define PFM_FEATURE_INHERIT	0x40 /* threads and children are monitored, too */

/**
 * struct pfm_info - what the module and the machine's PMU offer
 * @version: out: PFM_VERSION of the module
 * @features_low: out: lower half of @features
 * @pmu_name: out: kind of PMU, the name of its module after "perfmon_":
 *	"armv8", "soft", ...; it identifies the register map
 * @pmu_model: out: model, as in /sys/kernel/perfmon/pmu_desc/model
 * @pmu_id: out: value of the CPU's identification register (MIDR_EL1, PVR, ...), or 0
 * @arg_mem_max: out: maximum size of a vector in bytes
 * @message_queue_depth: out: number of messages that a context can queue
 * @max_sets: out: maximum number of event sets of a context
 * @implemented_pmcs: out: PMCs that the PMU has
 * @implemented_pmds: out: PMDs that the PMU has, including virtual ones
 * @available_pmcs: out: PMCs that are not held by others at the moment, as far as the
 *	PMU's module knows; a context that uses held registers cannot be loaded
 * @available_pmds: out: PMDs that are not held by others at the moment
 * @counter_pmds: out: PMDs that count events
 * @features: out: PFM_FEATURE_*
 * @interface_version: out: PFM_INTERFACE_VERSION of the module
 * @context_flags: out: known flags of pfarg_ctx
 * @pmc_flags: out: known flags of pfarg_pmc
 * @pmd_flags: out: known flags of pfarg_pmd
 * @pmr_flags: out: known flags of pfarg_pmr
 * @set_flags: out: known flags of pfarg_setdesc
 * @statistics_flags: out: known flags of pfm_statistics
 * @reserved1: zero
 * @reserved: zero
 */
struct pfm_info {
	__u32 version;
	__u32 features_low;
	char pmu_name[32];
	char pmu_model[64];
	__u64 pmu_id;
	__u64 arg_mem_max;
	__u32 message_queue_depth;
	__u32 max_sets;
	__u64 implemented_pmcs[PFM_PMC_BV];
	__u64 implemented_pmds[PFM_PMD_BV];
	__u64 available_pmcs[PFM_PMC_BV];
	__u64 available_pmds[PFM_PMD_BV];
	__u64 counter_pmds[PFM_PMD_BV];
	__u64 features;
	__u32 interface_version;
	__u32 context_flags;
	__u32 pmc_flags;
	__u32 pmd_flags;
	__u32 pmr_flags;
	__u32 set_flags;
	__u32 statistics_flags;
	__u32 reserved1;
	__u64 reserved[3];
};

/* pfm_status.state */
#define PFM_STATE_UNLOADED     1 /* on no thread and no CPU */
#define PFM_STATE_LOADED       2 /* on a thread or CPU, started or not */
#define PFM_STATE_MASKED       3 /* on a thread or CPU, suspended by an overflow */

/* pfm_status.flags */
#define PFM_STATUS_STARTED     0x1 /* between start and stop */
#define PFM_STATUS_FOREIGN_CPU 0x2 /* see pfm_status.foreign_runs */
#define PFM_STATUS_USER_LEVEL  0x4 /* nothing is counted at kernel level */
#define PFM_STATUS_CLOSED      0x8 /* unloaded by an exec, see docs/security.md */

/**
 * struct pfm_status - state of a context
 * @state: out: PFM_STATE_*
 * @flags: out: PFM_STATUS_*; USER_LEVEL is decided when the context is made
 * @target: out: thread (tid) on which the context is loaded, as the caller sees it; 0 if
 *	none.  If the context is system-wide: the CPU, or 0 while it is not loaded
 * @active_set: out: the active event set
 * @foreign_runs: out: number of times the thread ran on a foreign CPU while the context
 *	was started, since the load.  The PMU of such a CPU is not that of the context
 *	(big.LITTLE), so nothing was counted.  Includes the times that a set could not start
 *	because perf had moved its counters (docs/pmu-x86.md).  If not 0,
 *	PFM_STATUS_FOREIGN_CPU is set.  Includes those of copies.
 * @copies: out: number of copies of the context, PFM_FL_INHERIT_*, that are loaded on threads
 * @dropped_counts: out: number of copies that ended and whose own counts were dropped to make room,
 *	since the load, see PFM_IOC_READ_THREAD.  The sums contain them.
 * @not_followed: out: number of threads and child processes that should have got a copy and
 *	did not, since the load: there was no memory, or a limit was reached
 * @closed_copies: out: number of copies that ended because their thread executed a program that
 *	the loader may not monitor, since the load
 * @buffer_size: out: bytes of the sampling buffer, or of each CPU's buffer; 0 if there is none
 * @buffer_cpus: out: number of the last CPU that has a buffer, plus 1; 0 if the context has one
 *	buffer or none, see PFM_BUFFER_OFFSET()
 * @lost_samples: out: number of samples on CPUs that have been added to the machine since the
 *	context was made, and so have no buffer
 */
struct pfm_status {
	__u32 state;
	__u32 flags;
	__u32 target;
	__u32 active_set;
	__u64 foreign_runs;
	__u32 copies;
	__u32 dropped_counts;
	__u64 not_followed;
	__u64 closed_copies;
	__u64 buffer_size;
	__u32 buffer_cpus;
	__u32 lost_samples;
};

/*
 * A context with PFM_FL_INHERIT_* and a sampling format has a buffer for each CPU.  All monitored
 * threads write the samples that they take on a CPU to the buffer of this CPU.  mmap() maps it,
 * or its first part, at this offset:
 *
 *	for (cpu = 0; cpu < status.buffer_cpus; cpu++)
 *		buffer[cpu] = mmap(NULL, status.buffer_size, PROT_READ, MAP_SHARED, fd,
 *				   PFM_BUFFER_OFFSET(cpu));
 *
 * EINVAL: the machine has no such CPU, or did not have it when the context was made.  A 32-bit
 * program needs an off_t of 64 bits.
 *
 * Monitoring is never masked.  A format that would mask elsewhere, as "default" does when its buffer
 * is full, counts the samples of this CPU as lost until PFM_IOC_RESTART_CPU.  A CPU has at most one
 * message in the queue: it says that the buffer of msg_ovfl_cpu should be read, and stands for all
 * notifications of this CPU until it is read.
 */
#define PFM_BUFFER_OFFSET(cpu) ((__u64)(cpu) << 32)

/**
 * struct pfm_restart_cpu - the CPU whose buffer is handed back
 * @cpu: in: number of the CPU
 * @reserved1: must be zero
 * @reserved2: must be zero
 */
struct pfm_restart_cpu {
	__u32 cpu;
	__u32 reserved1;
	__u64 reserved2[3];
};

/* pfm_thread_counts.which */
#define PFM_THREAD_OWN	     0 /* the thread on which the context was loaded, without copies */
#define PFM_THREAD_ENDED     1 /* the copy that ended first of those that were not read yet */

/* Bytes of a thread's name, with the zero at its end. */
#define PFM_THREAD_NAME_SIZE 16

/**
 * struct pfm_thread_counts - counts of one thread
 * @address: in: address of the first element, a struct pfarg_pmr; its @reg_value is returned
 * @count: in: number of elements
 * @element_size: in: bytes from one element to the next; 0: the size of struct pfarg_pmr
 * @which: in: PFM_THREAD_*
 * @tid: out: the thread, as the loader of the context sees it
 * @tgid: out: its process
 * @reserved1: must be zero
 * @name: out: name of the thread when it ended, or now
 * @reserved2: must be zero
 */
struct pfm_thread_counts {
	__u64 address;
	__s32 count;
	__u32 element_size;
	__u32 which;
	__u32 tid;
	__u32 tgid;
	__u32 reserved1;
	char name[PFM_THREAD_NAME_SIZE];
	__u64 reserved2[2];
};

/* pfm_statistics.flags */
#define PFM_STATISTICS_CPU 0x1 /* of a CPU, not of the context */

/**
 * struct pfm_statistics - what monitoring costs, and what it misses
 * @flags: in: PFM_STATISTICS_*
 * @cpu: in: number of the CPU with PFM_STATISTICS_CPU, otherwise zero
 * @interrupts: out: overflow interrupts in which a counter had wrapped.  A counter of fewer
 *	than 64 bits also interrupts when its 64-bit value does not overflow
 * @spurious: out: overflow interrupts in which no counter had wrapped, such as those of
 *	perf; CPUs only
 * @timed_interrupts: out: those of @interrupts that were timed: one in 16, or more if
 *	max_interrupts_per_tick is small
 * @timed_ns: out: ns that these took, from the call of the PMU's module to its return,
 *	including the format's work; @timed_ns / @timed_interrupts is the mean
 * @notifications: out: notifications, including those that were not sent because the
 *	queue was full
 * @samples: out: samples that the format got
 * @lost: out: those of @samples for which the format had no room
 * @throttled: out: times that an event set was throttled for a tick because of too many
 *	interrupts: it counted nothing meanwhile
 * @set_switches: out: set switches by time, by overflow and by restart
 * @switches: out: times that monitored threads were switched out while the context was
 *	loaded; zero if the context is system-wide
 * @copies: out: copies that were made (PFM_FL_INHERIT_*)
 * @not_followed: out: see pfm_status
 * @foreign_runs: out: see pfm_status
 * @reserved: zero
 *
 * Those of a context count from its last load, and stay after the unload until the next load.
 * They include those of its copies, living or not; each thread is asked once, one after the
 * other.  Those of a CPU count for all contexts from the load of the module, or from the last
 * time that somebody reset them (/sys/kernel/perfmon/reset_stats).
 */
struct pfm_statistics {
	__u32 flags;
	__u32 cpu;
	__u64 interrupts;
	__u64 spurious;
	__u64 timed_interrupts;
	__u64 timed_ns;
	__u64 notifications;
	__u64 samples;
	__u64 lost;
	__u64 throttled;
	__u64 set_switches;
	__u64 switches;
	__u64 copies;
	__u64 not_followed;
	__u64 foreign_runs;
	__u64 reserved[10];
};

/*
 * Why a call failed.  Numbers never change; new reasons are added at the end.
 * libpfmdev has a sentence for each.
 */
enum pfm_reason {
	PFM_REASON_NONE = 0,
	PFM_REASON_FAULT,
	PFM_REASON_MEMORY,
	PFM_REASON_NO_CONTEXT,
	PFM_REASON_HAS_CONTEXT,
	PFM_REASON_COUNT,
	PFM_REASON_TOO_LONG,
	PFM_REASON_RESERVED,
	PFM_REASON_FLAGS,
	PFM_REASON_UNSUPPORTED,
	PFM_REASON_NO_PMU,
	PFM_REASON_PMU_HELD,
	PFM_REASON_GROUP,
	PFM_REASON_NO_PMC,
	PFM_REASON_NO_PMD,
	PFM_REASON_PMD_HELD,
	PFM_REASON_PMC_VALUE,
	PFM_REASON_NOT_A_COUNTER,
	PFM_REASON_PMD_UNUSED,
	PFM_REASON_NO_SET,
	PFM_REASON_SET_ZERO,
	PFM_REASON_LOADED,
	PFM_REASON_UNLOADED,
	PFM_REASON_NO_THREAD,
	PFM_REASON_THREAD_ENDED,
	PFM_REASON_KERNEL_THREAD,
	PFM_REASON_PERMISSION,
	PFM_REASON_THREAD_TAKEN,
	PFM_REASON_NOTHING_TO_RESTART,
	PFM_REASON_TIMEOUT,
	PFM_REASON_NO_FORMAT,
	PFM_REASON_FORMAT_SIZE,
	PFM_REASON_FORMAT_ARGUMENT,
	PFM_REASON_BUFFER_LIMIT,
	PFM_REASON_BUFFER_MEMLOCK,
	PFM_REASON_BLOCK_SELF,
	PFM_REASON_SMPL_PMDS,
	PFM_REASON_RESET_PMDS,
	PFM_REASON_SET_LIMIT,
	PFM_REASON_SET_MEMORY,
	PFM_REASON_SWITCH_COUNT,
	PFM_REASON_FORMAT,
	PFM_REASON_SIZE,
	PFM_REASON_TAIL,
	PFM_REASON_FORMAT_NAME,
	PFM_REASON_ONLY_SAMPLED,
	PFM_REASON_PMU_REFUSES,
	PFM_REASON_PARANOID,
	PFM_REASON_MAY_NOT_BLOCK,
	PFM_REASON_SET_SHARE,
	PFM_REASON_SYS_GROUP,
	PFM_REASON_NO_CPU,
	PFM_REASON_FOREIGN_CPU,
	PFM_REASON_CPU_OFFLINE,
	PFM_REASON_CPU_TAKEN,
	PFM_REASON_OF_THREAD,
	PFM_REASON_COPIES,
	PFM_REASON_COPIED_SETS,
	PFM_REASON_SHARED_PMU,
	PFM_REASON_NO_LEVELS,
	PFM_REASON_NO_BUFFER,
	PFM_REASON_KEEPS_NO_COUNTS,
	PFM_REASON_NO_COUNTS,
	PFM_REASON_COUNT_OF_REASONS
};

#define PFM_NO_INDEX 0xffffffffu

/**
 * struct pfm_error - why the last failed call on this descriptor failed
 * @operation: out: its ioctl number (_IOC_NR of the command)
 * @error: out: its errno
 * @reason: out: enum pfm_reason
 * @index: out: element of the vector at fault, PFM_NO_INDEX if none
 * @value: out: the offending value, 0 if the reason has none
 * @holder: out: name of the user that holds the PMU or the register, or why the PMU
 *	refuses a context; "" if there is none or it is not known
 */
struct pfm_error {
	__u32 operation;
	__s32 error;
	__u32 reason;
	__u32 index;
	__u64 value;
	char holder[40];
};

#define PFM_IOC_TYPE		0xf3

/**
 * PFM_IOC_CREATE_CONTEXT - make the context of this descriptor
 *
 * The context is unloaded and has event set 0, all PMCs at their defaults.
 * The call loads the PMU module for the machine if no PMU is registered, and the
 * module of the sampling format.  mmap() of the descriptor maps the format's buffer,
 * read-only, at offset 0 (or one for each CPU, see PFM_BUFFER_OFFSET()); it stays readable until
 * munmap().  RLIMIT_MEMLOCK limits the buffers of a user, /sys/kernel/perfmon/smpl_buffer_mem_max those of all users.
 * This call also decides whether the context counts at kernel level, see
 * PFM_STATUS_USER_LEVEL.
 *
 * ENOSYS: no PMU.  EFAULT: argument unreadable.  EINVAL: an unknown flag; a reserved
 * field that is not zero; an unknown format; an argument that is shorter than its first
 * version, that the format does not accept, or that has no format.  EOPNOTSUPP: a flag
 * that is not offered yet.  EPERM: kernel.perf_event_paranoid, or policy or task_group in
 * /sys/kernel/perfmon, do not let the caller count; or the context is system-wide, and the
 * caller neither holds CAP_PERFMON nor is in sys_group.  EBUSY: the descriptor has a context
 * already.  ENOMEM: no memory, or a limit on buffers or event sets is reached.  E2BIG: the
 * structure, or the format's argument, is longer than the kernel knows and the rest is not zero.
 * The format may return other errors.
 */
#define PFM_IOC_CREATE_CONTEXT	_IOW(PFM_IOC_TYPE, 0, struct pfm_create)

/**
 * PFM_IOC_WRITE_PMCS - write configuration registers (struct pfarg_pmc)
 *
 * The values take effect at once if the set is active and the thread runs.
 *
 * EINVAL: invalid count, PMC, flag, set or value; NO_EMUL64 on a PMC without a counter.
 * EBUSY: copies live.  E2BIG: the vector is longer than arg_mem_max.  EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMCS	_IOW(PFM_IOC_TYPE, 1, struct pfm_vector)

/**
 * PFM_IOC_WRITE_PMDS - write data registers (struct pfarg_pmd)
 *
 * A PMD that is written is in use in its set from then on, and so are the PMDs in its
 * reg_smpl_pmds and reg_reset_pmds.  Only PMDs in use count and can be read.  Writing a
 * read-only PMD puts it in use and changes no value.
 *
 * A counter that begins at -N overflows after N events.  After an overflow the counter
 * and each PMD in its reg_reset_pmds get their own reg_short_reset; or, if monitoring was
 * masked, their own reg_long_reset at PFM_IOC_RESTART.  With PFM_REGFL_RANDOM a random
 * number, masked by reg_random_mask, is subtracted from the reset value, which makes the
 * period longer.  The generator is Carta's.  Its seed is reg_random_seed; the kernel
 * chooses a seed if that is 0.  The generator has 2^31 - 2 states: seeds are taken modulo
 * 2^31 - 1, and a result of 0 becomes 1.
 *
 * In a set with PFM_SETFL_OVFL_SWITCH a counter with reg_ovfl_switch_cnt N switches to
 * the next set when it overflows for the Nth time since the set became active.  If
 * several counters have a count, the first one that reaches its count switches.  Without
 * a sampling format such overflows do not mask, unless the counter has
 * PFM_REGFL_OVFL_NOTIFY: then PFM_IOC_RESTART does the switch.
 *
 * Some PMDs have a value only at an overflow.  They can be in reg_smpl_pmds, but
 * calls can neither write nor read them.  The header of the register map names them.
 *
 * EINVAL: invalid count, PMD, flag or set; invalid PMD in reg_smpl_pmds or
 * reg_reset_pmds; reg_ovfl_switch_cnt of a PMD that is not a counter.  EBUSY: copies
 * live; the context is loaded, and another user holds a PMD that this call would put in
 * use.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMDS	_IOW(PFM_IOC_TYPE, 2, struct pfm_vector)

/**
 * PFM_IOC_READ_PMDS - read data registers (struct pfarg_pmd)
 *
 * Allowed in every state.  Returns live values if the set is active and counts, otherwise
 * saved ones.  Consecutive elements of the same set are read at the same moment.
 *
 * EINVAL: invalid count, PMD or set; PMD not in use.  E2BIG, EFAULT.
 */
#define PFM_IOC_READ_PMDS	_IOWR(PFM_IOC_TYPE, 3, struct pfm_vector)

/**
 * PFM_IOC_LOAD - load the context on a thread or, with PFM_FL_SYSTEM_WIDE, on a CPU
 *
 * The thread is not stopped, and the context is not started.  Messages in the context's
 * queue are dropped, load_set becomes active, and the values of PMDs stay.  The PMDs that
 * any set of the context uses are claimed until the context is unloaded or its thread
 * ends.  Before the load, others may use these PMDs.
 *
 * ESRCH: no such thread.  EPERM: the thread is a kernel thread, or the caller fails the
 * kernel's ptrace read check for the thread and lacks CAP_PERFMON; with
 * PFM_FL_NOTIFY_BLOCK also: the caller fails the ptrace attach check, or the thread
 * belongs to process 1.  EBUSY: the context is loaded already, copies live, the thread is
 * ending, or another user holds a PMD or the PMU.  EEXIST: the thread has a context already;
 * pfm_error.value is the process that loaded it, 0 if the caller cannot see it.
 * EINVAL: no such set, reserved field not zero.  EFAULT.  ENOMEM, ENFILE: no memory, or
 * no file, for the ptrace check.  The PMU module may return other errors.
 *
 * A system-wide context is loaded on a CPU, which the caller need not run on.  It counts all
 * threads there, and the kernel.  EINVAL: also: no such CPU, or the CPU lacks the context's PMU.
 * ENODEV: the CPU is offline.  EPERM: the caller neither holds CAP_PERFMON nor is in
 * /sys/kernel/perfmon/sys_group.  EEXIST: the CPU has a system-wide context.  EBUSY: also:
 * contexts of the other kind, on threads or on CPUs, use a PMD, or the PMU if its counters
 * cannot be shared one by one.  When the CPU goes offline, the context is unloaded, and
 * PFM_MSG_END is queued.
 */
#define PFM_IOC_LOAD		_IOW(PFM_IOC_TYPE, 4, struct pfarg_load)

/**
 * PFM_IOC_START - start the counters
 *
 * The argument is a struct pfarg_start, or NULL for the set that is active.
 * Starting a started context without an argument changes nothing.
 *
 * EINVAL: not loaded, no such set, reserved field not zero.  EFAULT.
 */
#define PFM_IOC_START		_IOW(PFM_IOC_TYPE, 5, struct pfarg_start)

/**
 * PFM_IOC_STOP - stop the counters; values stay.  EINVAL: not loaded.
 */
#define PFM_IOC_STOP		_IO(PFM_IOC_TYPE, 6)

/**
 * PFM_IOC_RESTART - continue after a notification
 *
 * The sampling format, if there is one, empties its buffer; "nway" releases its oldest full
 * region.
 * PMDs that overflowed get their long reset values, monitoring is unmasked and a blocked
 * thread continues.  All this is done when the call returns.
 *
 * EBUSY: the context is not loaded; no notification waits for a restart (some formats allow
 * a restart without a notification); or there is nothing to restart: monitoring is not
 * masked and no format can be restarted, or the format refuses, or each CPU has a buffer.
 */
#define PFM_IOC_RESTART		_IO(PFM_IOC_TYPE, 7)

/**
 * PFM_IOC_CREATE_EVTSETS - create or change event sets (struct pfarg_setdesc)
 *
 * Changing a set resets its PMCs to their defaults and its switch counts to 0; values of PMDs and
 * the other fields that were written with them stay.
 *
 * Each set has its own PMCs and PMDs.  One set is active at a time: first the one that
 * load or start names, then the one with the next number; the first follows the last.
 * The flag of the active set determines when the switch to the next one comes; a set
 * without a flag stays active.
 *
 * PFM_SETFL_TIME_SWITCH: when the thread has used set_timeout ns of CPU time while it was
 * monitored with this set.  This also works with a single set, whose set_runs then counts the
 * timeouts.  PFM_SETFL_OVFL_SWITCH: after reg_ovfl_switch_cnt overflows, see PFM_IOC_WRITE_PMDS.
 *
 * When a set becomes active, its counters continue from the values at the last switch.
 * PMDs that overflowed, and those in their reg_reset_pmds, get their short reset values,
 * or the long ones if PFM_IOC_START with a set or PFM_IOC_RESTART made the set active.
 *
 * EBUSY: loaded, or copies live.  EINVAL: invalid flags; PFM_SETFL_TIME_SWITCH without a timeout.
 * ENOMEM: no memory, or a limit in /sys/kernel/perfmon is reached: max_sets, set_mem_max or
 * set_user_max.  E2BIG, EFAULT.
 */
#define PFM_IOC_CREATE_EVTSETS	_IOWR(PFM_IOC_TYPE, 8, struct pfm_vector)

/**
 * PFM_IOC_GETINFO_EVTSETS - state of event sets (struct pfarg_setinfo)
 *
 * EINVAL: no such set.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_GETINFO_EVTSETS _IOWR(PFM_IOC_TYPE, 9, struct pfm_vector)

/**
 * PFM_IOC_DELETE_EVTSETS - delete event sets (struct pfarg_setdesc)
 *
 * EBUSY: loaded, or copies live.  EINVAL: no such set, or set 0.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_DELETE_EVTSETS	_IOW(PFM_IOC_TYPE, 10, struct pfm_vector)

/**
 * PFM_IOC_UNLOAD - stop and unload; succeeds on a context that is not loaded.
 */
#define PFM_IOC_UNLOAD		_IO(PFM_IOC_TYPE, 11)

/**
 * PFM_IOC_INFO - what the module and the PMU offer; needs no context.
 *
 * Loads the PMU module for the machine if no PMU is registered.  EFAULT, ENOMEM.  Without
 * a PMU the call succeeds with an empty pmu_name.
 */
#define PFM_IOC_INFO		_IOR(PFM_IOC_TYPE, 12, struct pfm_info)

/**
 * PFM_IOC_LAST_ERROR - why the last failed call on this descriptor failed;
 * needs no context.  EFAULT.
 */
#define PFM_IOC_LAST_ERROR	_IOR(PFM_IOC_TYPE, 13, struct pfm_error)

/**
 * PFM_IOC_STATUS - state of the context.  EFAULT.
 */
#define PFM_IOC_STATUS		_IOR(PFM_IOC_TYPE, 14, struct pfm_status)

/**
 * PFM_IOC_READ - read values of data registers (struct pfarg_pmr)
 *
 * Like PFM_IOC_READ_PMDS, but with smaller elements.  This is the fastest way to read.
 *
 * EINVAL: invalid count, PMD, flags or set; PMD not in use.  E2BIG, EFAULT.
 */
#define PFM_IOC_READ		_IOWR(PFM_IOC_TYPE, 15, struct pfm_vector)

/**
 * PFM_IOC_STATISTICS - what monitoring costs, and what it misses
 *
 * Returns the statistics of the context; with PFM_STATISTICS_CPU those of a CPU, online or
 * not, which needs no context and does not interrupt the CPU.
 *
 * EPERM: the caller asks about a CPU, and neither holds CAP_PERFMON nor is in
 * /sys/kernel/perfmon/sys_group.  EINVAL: an unknown flag; no such CPU; @cpu is not zero without
 * the flag.  E2BIG, EFAULT.
 */
#define PFM_IOC_STATISTICS	_IOWR(PFM_IOC_TYPE, 16, struct pfm_statistics)

/**
 * PFM_IOC_RESTART_CPU - hand back a CPU's buffer, see PFM_BUFFER_OFFSET()
 *
 * Allowed in every state, from any CPU, also while the CPU is offline.  "default" and "callchain"
 * empty the buffer, if it is full; "nway" releases its oldest full region.
 *
 * EINVAL: the context has no buffer of this CPU; reserved field not zero.  EBUSY: the buffer is not
 * full, or the format cannot be restarted, or refuses.  EFAULT.
 */
#define PFM_IOC_RESTART_CPU	_IOW(PFM_IOC_TYPE, 17, struct pfm_restart_cpu)

/**
 * PFM_IOC_READ_THREAD - read the counts of one of the threads that a context monitors
 *
 * With PFM_FL_KEEP_COUNTS a copy that ends keeps its own counts.  A copy ends with its thread, with
 * an exec that closes it, or when the context is unloaded.  PFM_THREAD_ENDED returns the counts of
 * the copy that ended first, once.  The values of all threads together are those that PFM_IOC_READ
 * returns.  PMDs whose values are not added up (those with reset values, PFM_PMD_CPU,
 * PFM_PMD_MONOTONIC_TIME and the like) are 0 for a copy.
 *
 * Counts that are kept take the memory of a copy.  At most max_copies are kept, and if a new copy
 * gets no memory, it takes that of the oldest counts: pfm_status.dropped_counts.  A load, even
 * one that fails, drops those of the load before.
 *
 * EINVAL: invalid @which, count, PMD, flags or set; PMD not in use; reserved field not zero;
 * PFM_THREAD_ENDED without PFM_FL_KEEP_COUNTS; system-wide context.  ENOENT: no copy has ended that
 * was not read yet.  E2BIG, ENOMEM, EFAULT.  After a failure the counts are still there.
 */
#define PFM_IOC_READ_THREAD	_IOWR(PFM_IOC_TYPE, 18, struct pfm_thread_counts)

#endif
