/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon: constants and structures of the calls in perfmon_ioctl.h.  Programs include
 * perfmon_ioctl.h, which includes this header.  The rules for all structures are in
 * perfmon_ioctl.h, under "How it grows".
 */
#ifndef _PERFMON_PERFMON_TYPES_H
#define _PERFMON_PERFMON_TYPES_H

#include <linux/types.h>

/* In a bitmap, register n is bit n % 64 of word n / 64. */
#define PFM_MAX_HARDWARE	 256
#define PFM_MAX_VIRTUAL		 64
#define PFM_MAX_PMCS		 (PFM_MAX_HARDWARE + PFM_MAX_VIRTUAL)
#define PFM_MAX_PMDS		 (PFM_MAX_HARDWARE + PFM_MAX_VIRTUAL)
#define PFM_PMC_BV		 (PFM_MAX_PMCS / 64)
#define PFM_PMD_BV		 (PFM_MAX_PMDS / 64)

/*
 * Virtual PMDs, which the core adds to every PMU.  They never overflow.  A writable virtual PMD
 * counts like any other PMD: only between start and stop, and only while its event set is active.
 * A read-only virtual PMD does not count: it shows a value that the kernel has.  While the context
 * is monitoring with the PMD's set, a read of a read-only PMD returns the present value.  At all
 * other times a read returns the value that the PMD had when the context last stopped monitoring
 * with this set.
 *
 * In a system-wide context, PFM_PMD_TASK_CLOCK counts the time for which the set was active while
 * the context was monitoring, and PFM_PMD_CPU is the number of the context's CPU.  A system-wide
 * context cannot use virtual PMDs that describe a thread: PMDs 257 to 260, and all virtual PMDs of
 * the PMU module.
 */
#define PFM_VIRTUAL_PMD_BASE	 PFM_MAX_HARDWARE
#define PFM_PMD_TASK_CLOCK	 256 /* ns of CPU time of the thread */
#define PFM_PMD_CONTEXT_SWITCHES 257 /* how often the thread was switched out */
#define PFM_PMD_CPU_MIGRATIONS	 258 /* how often the thread went to another CPU */
#define PFM_PMD_MINOR_FAULTS	 259 /* page faults without I/O */
#define PFM_PMD_MAJOR_FAULTS	 260 /* page faults that waited for I/O */
#define PFM_PMD_MONOTONIC_TIME	 261 /* ns of CLOCK_MONOTONIC between start and stop */
#define PFM_PMD_SET_RUNS	 262 /* how often the event set became active; read-only */
#define PFM_PMD_INTERRUPTS	 263 /* overflow interrupts of the set's counters */
#define PFM_PMD_CPU		 264 /* number of the CPU that runs the thread; read-only */
#define PFM_VIRTUAL_PMU_BASE	 288 /* from here on: virtual PMDs of the PMU module */

/* pfarg_ctx.ctx_flags */
#define PFM_FL_NOTIFY_BLOCK	 0x01 /* block the thread after a notification */
#define PFM_FL_SYSTEM_WIDE	 0x02 /* monitor a CPU, not a thread */
#define PFM_FL_MAP_SETS		 0x10 /* not offered: a user-readable page for each set */
#define PFM_FL_OVFL_NO_MSG	 0x80 /* a notification queues no message */
#define PFM_FL_INHERIT_THREADS	 0x100 /* monitor threads created by monitored threads */
#define PFM_FL_INHERIT_ALL	 0x200 /* monitor new threads and new child processes */
#define PFM_FL_KEEP_COUNTS	 0x400 /* keep the counts of each copy that has ended */

/* pfarg_pmc.reg_flags and pfarg_pmd.reg_flags */
#define PFM_REGFL_OVFL_NOTIFY	 0x1 /* PMD: notify on 64-bit overflow */
#define PFM_REGFL_RANDOM	 0x2 /* PMD: randomise reset values */
#define PFM_REGFL_NO_EMUL64	 0x4 /* PMC: do not extend its counters to 64 bits */

/* pfarg_setdesc.set_flags */
#define PFM_SETFL_OVFL_SWITCH	 0x1 /* switch to the next set on overflow */
#define PFM_SETFL_TIME_SWITCH	 0x2 /* switch to the next set after a time */

/*
 * Types of message.  The kernel unloads a context if the monitored thread ends, or if the thread
 * executes a program that the loader may not monitor.  It unloads a system-wide context if the
 * context's CPU goes offline.  A thread that monitors itself gets no PFM_MSG_END when it ends.
 */
#define PFM_MSG_OVFL		 1 /* an overflow */
#define PFM_MSG_END		 2 /* the kernel has unloaded the context */

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
 * @reg_value: in: value. Its reserved bits are ignored: in these bits, the PMC always has its
 *	default value
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
 * @reg_flags: in on write: PFM_REGFL_OVFL_NOTIFY, PFM_REGFL_RANDOM.  A read ignores the flags, so
 *	a program can use the same structure for a write and for later reads
 * @reg_value: in on write, out on read: 64-bit value
 * @reg_long_reset: in on write: reset value that PFM_IOC_RESTART stores in the PMD
 * @reg_short_reset: in on write: reset value after an overflow that does not mask monitoring
 * @reg_last_reset_val: out on read: the value that the last write or reset stored
 * @reg_ovfl_switch_cnt: in on write: number of overflows after which the set is switched; out on
 *	read: number of these overflows that have not happened yet
 * @reg_reset_pmds: in on write: PMDs that are reset when this PMD overflows
 * @reg_smpl_pmds: in on write: PMDs that are recorded when this PMD overflows
 * @reg_smpl_eventid: in on write: a number that is passed to the sampling format
 * @reg_random_mask: in on write: bits of the reset value that PFM_REGFL_RANDOM randomises
 * @reg_random_seed: in on write: seed of the random numbers; with 0, the kernel chooses a seed
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
 * struct pfarg_pmr - a data register to read; only its value is returned
 * @reg_num: in: logical number of the PMD
 * @reg_set: in: event set
 * @reg_flags: in: 0, no flag is defined
 * @reg_value: out: 64-bit value
 *
 * This structure comes from perfmon v3.
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
 * struct pfarg_load - the thread or CPU to load a context on
 * @load_pid: in: id of the thread (tid), as the caller sees it; if the context is system-wide, the
 *	number of the CPU
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
 * @set_timeout: in: with PFM_SETFL_TIME_SWITCH, ns until the switch to the next set; 0 is invalid.
 *	out: the timeout in effect.  This timeout is at least
 *	/sys/kernel/perfmon/min_switch_timeout, and is rounded up to the resolution of the
 *	kernel's timers.
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
 * @set_ovfl_pmds: out: PMDs that overflowed at the set's last overflow.  A restart clears this
 *	bitmap, and a write of a PMD clears the PMD's bit
 * @set_runs: out: how often the set became active
 * @set_timeout: out: time in ns that remains until the timeout
 * @set_act_duration: out: time in ns for which the set was active while the context was monitoring
 *	and its thread was running
 * @set_avail_pmcs: out: PMCs that are not held by others at the moment
 * @set_avail_pmds: out: PMDs that are not held by others at the moment
 * @set_reserved3: zero
 *
 * @set_runs and @set_act_duration are sums over the context and its copies.
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
 * @msg_type: PFM_MSG_OVFL or PFM_MSG_END; all other fields of an END message are zero
 * @msg_ovfl_pid: id of the monitored thread (tid).  In a system-wide context, id of the thread that
 *	was running, as the creator of the context sees it; 0 if the thread has ended or the
 *	creator cannot see it.
 * @msg_active_set: number of the event set that was active
 * @msg_ovfl_cpu: CPU of the overflow
 * @msg_ovfl_tid: id of the process (thread group) of the thread in @msg_ovfl_pid.  perfmon2 swapped
 *	the names of these two fields by mistake.  They stay swapped, so that programs for
 *	perfmon2 still work.
 * @msg_ovfl_ip: address of the interrupted instruction.  If this instruction is in the kernel, and
 *	the user may not see kernel addresses, this field is the user-level address at which the
 *	thread entered the kernel, or 0 if the thread runs no user code.
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
 * @size: size of the message in bytes, including this header; a multiple of 8
 *
 * PFM_MSG_OVFL and PFM_MSG_END are messages of perfmon2: 64 bytes, without @size.
 * PFM_MSG_SIZE() returns the length of a message of any type, so a reader can skip
 * messages of unknown types.
 *
 * read() returns as many whole messages as are queued and fit into the caller's buffer.
 * If the first message does not fit, read() fails with EINVAL.
 */
struct pfm_msg_header {
	__u32 type;
	__u32 size;
};

/* Size in bytes of the message that begins with struct pfm_msg_header @header. */
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
 * @format_size: in: size of the format's argument in bytes, 0 without @format_name
 * @pmu_name: in: address of the name of a PMU, as in pfm_info.pmu_name; 0 for the default
 *	PMU, which is a hardware PMU if one is registered.  The PMU of a context never changes.
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
 * @count: in: number of elements; with 0, the call changes nothing
 * @element_size: in: distance from one element to the next in bytes; 0 means the size that the
 *	element had in the first version of this interface
 *
 * Elements are handled in order.  The first element with an error ends the call; the elements
 * before it have taken effect.  If the call returns values, these elements contain the returned
 * values.
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
#define PFM_FEATURE_INHERIT	0x40 /* monitoring of new threads and child processes */

/**
 * struct pfm_info - what the module and the machine's PMU offer
 * @version: out: PFM_VERSION of the module
 * @features_low: out: lower 32 bits of @features
 * @pmu_name: out: kind of PMU, such as "armv8" or "soft"; it identifies the register map.
 *	"perfmon_" and this name together are the name, or an alias, of the PMU's module.
 * @pmu_model: out: model, as in /sys/kernel/perfmon/pmus/@pmu_name/model
 * @pmu_id: out: value of the CPU's identification register (MIDR_EL1, PVR, ...), or 0
 * @arg_mem_max: out: maximum size of a vector in bytes
 * @message_queue_depth: out: number of messages that a context can queue
 * @max_sets: out: maximum number of event sets of a context
 * @implemented_pmcs: out: PMCs that the PMU has
 * @implemented_pmds: out: PMDs that the PMU has, including virtual ones
 * @available_pmcs: out: PMCs that are not held by others at the moment, as far as the PMU module
 *	can find out.  A context that uses a register held by others cannot be loaded.
 * @available_pmds: out: PMDs that are not held by others at the moment.  For callers without
 *	CAP_PERFMON, @available_pmcs and @available_pmds may be up to a second old.
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
#define PFM_STATE_MASKED       3 /* on a thread or CPU; an overflow has stopped monitoring */

/* pfm_status.flags */
#define PFM_STATUS_STARTED     0x1 /* between start and stop */
#define PFM_STATUS_FOREIGN_CPU 0x2 /* see pfm_status.foreign_runs */
#define PFM_STATUS_USER_LEVEL  0x4 /* hardware events are counted at user level only */
#define PFM_STATUS_CLOSED      0x8 /* unloaded because of an exec, see docs/security.md */

/**
 * struct pfm_status - state of a context
 * @state: out: PFM_STATE_*
 * @flags: out: PFM_STATUS_*; PFM_STATUS_USER_LEVEL never changes after the context was made
 * @target: out: for a context on a thread: id of the thread (tid), as the caller sees it, or 0 if
 *	there is no thread or the caller cannot see it.  For a system-wide context: number of the
 *	CPU, or 0 while the context is not loaded
 * @active_set: out: number of the active event set
 * @foreign_runs: out: how often, since the load, the context should have begun to count but could
 *	not.  This happens each time the thread runs on a foreign CPU: the PMU of such a CPU is not
 *	that of the context (big.LITTLE).  It also happens each time a set cannot start because perf
 *	uses the set's counters for other events (docs/pmu-x86.md).  @foreign_runs includes the
 *	copies of the context.  If it is not 0, PFM_STATUS_FOREIGN_CPU is set.
 * @copies: out: number of copies of the context (PFM_FL_INHERIT_*) that are loaded on threads
 * @dropped_counts: out: number of ended copies whose own counts the kernel has dropped since the
 *	load, to make room for newer copies, see PFM_IOC_READ_THREAD.  The sums that PFM_IOC_READ
 *	returns still contain these counts.
 * @not_followed: out: number of new threads and child processes that got no copy since the load.
 *	There are three reasons: there was no memory, a limit was reached, or another process had
 *	already loaded a context on the new thread
 * @closed_copies: out: number of copies that have ended since the load because their thread
 *	executed a program that the loader may not monitor
 * @buffer_size: out: size in bytes of the sampling buffer, or of each CPU's buffer; 0 if there is
 *	no buffer
 * @buffer_cpus: out: number of the last CPU that has a buffer, plus 1; 0 if the context has one
 *	buffer or none, see PFM_BUFFER_OFFSET()
 * @lost_samples: out: number of samples that were lost because their CPU has no buffer.  This
 *	happens on CPUs that were added to the machine after the context was made.
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
 * A context with PFM_FL_INHERIT_* and a sampling format has a buffer for each CPU. A sample of any
 * monitored thread is written to the buffer of the CPU that took the sample. mmap() with the offset
 * PFM_BUFFER_OFFSET(cpu) maps the buffer of this CPU, or the first part of it if the length is
 * smaller than the buffer:
 *
 *	for (cpu = 0; cpu < status.buffer_cpus; cpu++)
 *		buffer[cpu] = mmap(NULL, status.buffer_size, PROT_READ, MAP_SHARED, fd,
 *				   PFM_BUFFER_OFFSET(cpu));
 *
 * mmap() fails with EINVAL if the machine has no CPU of this number, or did not have it when the
 * context was made.  A 32-bit program needs an off_t of 64 bits.
 *
 * Monitoring is never masked in such a context.  If the buffer of a CPU is full, the format counts
 * the samples of this CPU as lost until PFM_IOC_RESTART_CPU hands back the buffer.  A CPU has at
 * most one message in the queue.  The message asks the program to read the buffer of CPU
 * msg_ovfl_cpu.  Until the message is read, later notifications of this CPU add no message.
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
#define PFM_THREAD_OWN	     0 /* only the thread on which the context was loaded */
#define PFM_THREAD_ENDED     1 /* the next ended copy, in the order in which they ended */

/* Size of a thread's name in bytes, including the zero at its end. */
#define PFM_THREAD_NAME_SIZE 16

/**
 * struct pfm_thread_counts - counts of one thread
 * @address: in: address of the first element.  Each element is a struct pfarg_pmr; the call fills
 *	in its @reg_value.
 * @count: in: number of elements
 * @element_size: in: distance from one element to the next in bytes; 0 for the size of
 *	struct pfarg_pmr
 * @which: in: PFM_THREAD_*
 * @tid: out: id of the thread, as the loader of the context sees it
 * @tgid: out: id of the thread's process, as the loader sees it
 * @reserved1: must be zero
 * @name: out: name of the thread; if the context or the copy is no longer loaded on the thread, the
 *	name that the thread had at the unload
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
#define PFM_STATISTICS_CPU 0x1 /* return the statistics of a CPU, not of the context */

/**
 * struct pfm_statistics - what monitoring costs, and what monitoring misses
 * @flags: in: PFM_STATISTICS_*
 * @cpu: in: with PFM_STATISTICS_CPU, the number of the CPU; without this flag, zero
 * @interrupts: out: number of overflow interrupts at which a counter had wrapped.  A counter of
 *	fewer than 64 bits raises an interrupt when it wraps, even if its 64-bit value does not
 *	overflow.
 * @spurious: out: number of overflow interrupts at which no counter had wrapped, such as the
 *	interrupts of perf; counted for each CPU, but not for contexts
 * @timed_interrupts: out: number of those @interrupts that were timed: one in 16, or a larger share
 *	if max_interrupts_per_tick is small
 * @timed_ns: out: total time of the timed interrupts in ns.  The time of an interrupt begins when
 *	the PMU module calls the core, and ends when the core returns.  It includes the time of the
 *	format.  The mean time of an interrupt is @timed_ns / @timed_interrupts.
 * @notifications: out: number of notifications, including those that were not sent because the
 *	queue was full
 * @samples: out: number of samples that the format got
 * @lost: out: number of these samples for which the format had no room
 * @throttled: out: how often an event set was throttled: it counted nothing for a tick, because it
 *	had too many interrupts, or because its interrupts took too much time
 * @set_switches: out: number of set switches by time, by overflow and by restart
 * @switches: out: how often a monitored thread was switched out while the context was loaded; zero
 *	if the context is system-wide
 * @copies: out: number of copies that were made (PFM_FL_INHERIT_*)
 * @not_followed: out: see pfm_status
 * @foreign_runs: out: see pfm_status
 * @reserved: zero
 *
 * The statistics of a context begin at its last load.  They stay after the unload, until the next
 * load.  They include the statistics of all copies, even of copies that have ended.
 * PFM_IOC_STATISTICS reads the statistics of one thread after the other, and adds those of each
 * thread exactly once, even if the thread ends during the call.
 *
 * The statistics of a CPU include all contexts that monitored on this CPU.  They begin with zero
 * when the module is inserted into the kernel.  Each write to /sys/kernel/perfmon/reset_stats sets
 * them to zero again.
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

#endif
