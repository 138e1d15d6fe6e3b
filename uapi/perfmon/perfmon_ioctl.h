/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon: hardware performance monitoring through /dev/perfmon
 *
 * The protocol in a page
 * ----------------------
 * Open /dev/perfmon and the file descriptor stands for one monitoring
 * context: a set of counters and what is known of them, attached to one
 * thread at a time.  Everything is done by ioctls on it:
 *
 *	PFM_IOC_CREATE_CONTEXT	makes the context (once for each open)
 *	PFM_IOC_WRITE_PMCS	says what is counted (configuration registers)
 *	PFM_IOC_WRITE_PMDS	sets the counters (data registers)
 *	PFM_IOC_LOAD		attaches to a thread, the caller's or another
 *	PFM_IOC_START, _STOP	let the counters run, as often as wanted
 *	PFM_IOC_READ_PMDS	reads them, running or not
 *	PFM_IOC_UNLOAD		detaches; the values stay and can be read
 *
 * Closing the last descriptor undoes it all.  read() returns messages (struct
 * pfarg_ovfl_msg), poll() says when there is one: the end of the monitored
 * thread is a message, PFM_MSG_END, and an overflow is one, PFM_MSG_OVFL, if the PMD
 * has PFM_REGFL_OVFL_NOTIFY.  PFM_IOC_RESTART says that it has been seen to.
 *
 * A context made with a sampling format has a buffer, which mmap() shows: at each
 * overflow of 64 bits the format notes in it what happened (perfmon_dfl_smpl.h).
 * Without a format an overflow suspends monitoring until PFM_IOC_RESTART.
 *
 * A PMC is a register that says what is counted, a PMD one that holds a count.
 * Numbers are logical; which PMC drives which PMD belongs to the PMU and stands
 * in the header of its register map (perfmon_armv8.h, perfmon_soft.h, ...).
 * Every counter is 64 bits wide here, whatever the hardware has.
 * PMDs from PFM_VIRTUAL_PMD_BASE on exist with every PMU: time, context
 * switches and the like of the monitored thread.
 *
 * All structures have the same layout for 32-bit and 64-bit programs; a pointer
 * travels as a 64-bit integer.  Those named pfarg_* are the ones of perfmon2.
 *
 * A call that fails sets errno; PFM_IOC_LAST_ERROR then tells which element of
 * the vector was at fault and why.  Before the context is made every call but
 * _CREATE_CONTEXT, _INFO and _LAST_ERROR fails with EINVAL.
 *
 * How it grows
 * ------------
 * A program works unchanged with every later module.  Built for a later module, it
 * works with an earlier one as long as it uses nothing new, and else is told so.
 *
 * 1. Commands are told apart by type and number.  The size in a command is that of the
 *    caller's structure; the direction means nothing.  An unknown number is ENOTTY.
 *
 * 2. Structures with flags (pfarg_ctx, pfarg_pmc, pfarg_pmd, pfarg_pmr, pfarg_setdesc):
 *    unknown flags are EINVAL (PFM_REASON_FLAGS), and PFM_IOC_INFO tells the known ones.
 *    Reserved fields are ignored; one gets a meaning only together with a new flag.
 *
 * 3. Structures without flags (pfarg_load, pfarg_start, all that are named pfm_*):
 *    reserved fields must be zero (EINVAL, PFM_REASON_RESERVED).  There is room in them
 *    for what is to come: flags, the name of a PMU, a CPU or a pidfd.
 *
 * 4. Every structure may become longer, at its end.  The kernel takes one that is longer
 *    than it knows if the rest is zero; else it is E2BIG (PFM_REASON_TAIL), and nothing has
 *    been done.  One that is shorter than its first version is EINVAL (PFM_REASON_SIZE).
 *    The size of a structure stands in the command, that of a vector's elements in struct
 *    pfm_vector, that of a format's argument in struct pfm_create (at most a page there).
 *
 * 5. In what the kernel only returns reserved fields are zero, and of a structure that
 *    is longer than it knows the rest is made zero.  It may hold anything before.
 *
 * 6. Messages tell their length, see struct pfm_msg_header.
 */
#ifndef _PERFMON_PERFMON_IOCTL_H
#define _PERFMON_PERFMON_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PFM_DEVICE		 "/dev/perfmon"

/* That of perfmon2 whose calls these are, as in /sys/kernel/perfmon/version: 2.8. */
#define PFM_VERSION		 0x20008u
/*
 * That of this interface, as in /sys/kernel/perfmon/interface_version: 1.0.  The minor
 * number grows with what is added.
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
 * Virtual PMDs, given by the core with every PMU.  They count from start to
 * stop like any PMD, in the event set that is active, and never overflow.  Those that
 * are read-only do not count, they tell how it is: or was, when the set was left.
 */
#define PFM_VIRTUAL_PMD_BASE	 PFM_MAX_HARDWARE
#define PFM_PMD_TASK_CLOCK	 256 /* ns of CPU time of the thread */
#define PFM_PMD_CONTEXT_SWITCHES 257 /* times the thread was switched out */
#define PFM_PMD_CPU_MIGRATIONS	 258 /* times it went to another CPU */
#define PFM_PMD_MINOR_FAULTS	 259 /* page faults without I/O */
#define PFM_PMD_MAJOR_FAULTS	 260 /* page faults that waited for I/O */
#define PFM_PMD_MONOTONIC_TIME	 261 /* ns of CLOCK_MONOTONIC between start and stop */
#define PFM_PMD_SET_RUNS	 262 /* times the event set became active; read-only */
#define PFM_PMD_INTERRUPTS	 263 /* overflow interrupts that its counters made */
#define PFM_PMD_CPU		 264 /* number of the CPU the thread is on; read-only */
#define PFM_VIRTUAL_PMU_BASE	 288 /* from here on: what the PMU module adds */

/* pfarg_ctx.ctx_flags */
#define PFM_FL_NOTIFY_BLOCK	 0x01 /* block the thread on a notification */
#define PFM_FL_SYSTEM_WIDE	 0x02 /* monitor a CPU, not a thread */
#define PFM_FL_MAP_SETS		 0x10 /* a user-readable page for each set */
#define PFM_FL_OVFL_NO_MSG	 0x80 /* signal overflows, queue no message */

/* pfarg_pmc.reg_flags and pfarg_pmd.reg_flags */
#define PFM_REGFL_OVFL_NOTIFY	 0x1 /* PMD: notify on 64-bit overflow */
#define PFM_REGFL_RANDOM	 0x2 /* PMD: randomise reset values */
#define PFM_REGFL_NO_EMUL64	 0x4 /* PMC: its counter keeps the hardware's width */

/* pfarg_setdesc.set_flags */
#define PFM_SETFL_OVFL_SWITCH	 0x1 /* switch to the next set on overflow */
#define PFM_SETFL_TIME_SWITCH	 0x2 /* switch to the next set after a time */

/* Types of message. */
#define PFM_MSG_OVFL		 1 /* an overflow */
#define PFM_MSG_END		 2 /* the monitored thread has ended */

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
 * @reg_flags: in on write: PFM_REGFL_OVFL_NOTIFY, PFM_REGFL_RANDOM; ignored on read:
 *	programs read into what they have written
 * @reg_value: in on write, out on read: 64-bit value
 * @reg_long_reset: in on write: value after a notification
 * @reg_short_reset: in on write: value after an overflow without one
 * @reg_last_reset_val: out on read: value last loaded
 * @reg_ovfl_switch_cnt: in on write: overflows before a set switch;
 *	out on read: those that remain
 * @reg_reset_pmds: in on write: PMDs reset when this one overflows
 * @reg_smpl_pmds: in on write: PMDs recorded when this one overflows
 * @reg_smpl_eventid: in on write: handed to the sampling format
 * @reg_random_mask: in on write: bits of the reset value to randomise
 * @reg_random_seed: in on write: seed of the random numbers, 0 the kernel's own
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
 * @reg_flags: in: 0, none is known
 * @reg_value: out: 64-bit value
 */
struct pfarg_pmr {
	__u16 reg_num;
	__u16 reg_set;
	__u32 reg_flags;
	__u64 reg_value;
};

/**
 * struct pfarg_start - where to start
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
 * struct pfarg_load - what to attach to
 * @load_pid: in: thread (tid) as the caller sees it
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
 * @set_timeout: in: ns until the next set with PFM_SETFL_TIME_SWITCH, not 0; out: what
 *	that was raised to, by /sys/kernel/perfmon/min_switch_timeout and the resolution
 *	of the kernel's timers
 * @reserved: ignored
 *
 * To delete a set only @set_id is looked at.
 */
struct pfarg_setdesc {
	__u16 set_id;
	__u16 set_reserved1;
	__u32 set_flags;
	__u64 set_timeout;
	__u64 reserved[6];
};

/**
 * struct pfarg_setinfo - what is known of an event set
 * @set_id: in: number of the set
 * @set_reserved1: zero
 * @set_flags: out: PFM_SETFL_*
 * @set_ovfl_pmds: out: PMDs that overflowed last
 * @set_runs: out: times the set became active
 * @set_timeout: out: ns that remain of the timeout
 * @set_act_duration: out: ns the set was active, started and its thread running
 * @set_avail_pmcs: out: PMCs that nobody else has at the moment
 * @set_avail_pmds: out: PMDs that nobody else has at the moment
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
 * @msg_ovfl_pid: thread (tid) that overflowed
 * @msg_active_set: event set at the overflow
 * @msg_ovfl_cpu: CPU of the overflow
 * @msg_ovfl_tid: process (thread group) of that thread; the two names are the
 *	wrong way round and stay so for programs of the time
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
 * struct pfm_msg_header - how every message begins that is not one of perfmon2's
 * @type: PFM_MSG_*
 * @size: bytes of the message, this header included: a multiple of 8
 *
 * PFM_MSG_OVFL and PFM_MSG_END have no room to tell it: they are 64 bytes, as they always
 * were.  So every message tells its length, PFM_MSG_SIZE(), also one of a type that
 * the reader does not know.
 *
 * read() returns as many whole messages as there are and fit; EINVAL if the first one does
 * not.
 */
struct pfm_msg_header {
	__u32 type;
	__u32 size;
};

/* Of the message that begins with struct pfm_msg_header @header. */
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
 *	default, which is hardware if there is any.  The context has this PMU for good.
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
 * @element_size: in: bytes from one element to the next, or 0: as many as the first
 *	version of the element has, which is that of this header
 *
 * Elements are taken in order; the first bad one ends the call with its errno
 * and those before it stay applied.  Calls that return something copy the
 * whole vector back, also on error.
 */
struct pfm_vector {
	__u64 address;
	__s32 count;
	__u32 element_size;
};

/* pfm_info.features */
#define PFM_FEATURE_PER_THREAD 0x1 /* contexts on threads */
#define PFM_FEATURE_EMUL64     0x2 /* 64-bit counters on narrower hardware */
#define PFM_FEATURE_VIRTUAL    0x4 /* virtual PMDs */
#define PFM_FEATURE_SAMPLING   0x8 /* notifications, sampling formats and their buffers */
#define PFM_FEATURE_SETS       0x10 /* event sets, switched by time or by overflows */

/**
 * struct pfm_info - what the module and the machine's PMU offer
 * @version: out: PFM_VERSION of the module
 * @features_low: out: lower half of @features
 * @pmu_name: out: kind of PMU, the name of its module after "perfmon_":
 *	"armv8", "soft", ...; it tells which register map holds
 * @pmu_model: out: model, as in /sys/kernel/perfmon/pmu_desc/model
 * @pmu_id: out: model as the CPU tells it (MIDR_EL1, PVR, ...), 0 if it does not
 * @arg_mem_max: out: bytes of a vector at most
 * @message_queue_depth: out: messages that are kept
 * @max_sets: out: event sets of a context at most
 * @implemented_pmcs: out: PMCs that the PMU has
 * @implemented_pmds: out: PMDs that the PMU has, virtual ones too
 * @available_pmcs: out: PMCs that nobody else has at the moment, as far as the PMU's
 *	module can tell; a context that uses others cannot be loaded
 * @available_pmds: out: PMDs that nobody else has at the moment
 * @counter_pmds: out: PMDs that count events
 * @features: out: PFM_FEATURE_*
 * @interface_version: out: PFM_INTERFACE_VERSION of the module
 * @context_flags: out: known flags of pfarg_ctx
 * @pmc_flags: out: known flags of pfarg_pmc
 * @pmd_flags: out: known flags of pfarg_pmd
 * @pmr_flags: out: known flags of pfarg_pmr
 * @set_flags: out: known flags of pfarg_setdesc
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
	__u64 reserved[4];
};

/* pfm_status.state */
#define PFM_STATE_UNLOADED     1 /* not attached */
#define PFM_STATE_LOADED       2 /* attached, started or not */
#define PFM_STATE_MASKED       3 /* attached, suspended by an overflow */

/* pfm_status.flags */
#define PFM_STATUS_STARTED     0x1 /* between start and stop */
#define PFM_STATUS_FOREIGN_CPU 0x2 /* see pfm_status.foreign_runs */
#define PFM_STATUS_USER_LEVEL  0x4 /* nothing is counted at kernel level */
#define PFM_STATUS_CLOSED      0x8 /* unloaded since the thread executed a closed program */

/**
 * struct pfm_status - where a context stands
 * @state: out: PFM_STATE_*
 * @flags: out: PFM_STATUS_*; USER_LEVEL is decided when the context is made
 * @target: out: thread it is attached to, as the caller sees it; 0 if none
 * @active_set: out: the active event set
 * @foreign_runs: out: times since load that the thread ran, started, on a CPU
 *	whose PMU is not the one the context is programmed for (big.LITTLE):
 *	nothing was counted then, and PFM_STATUS_FOREIGN_CPU is set
 * @reserved: zero
 */
struct pfm_status {
	__u32 state;
	__u32 flags;
	__u32 target;
	__u32 active_set;
	__u64 foreign_runs;
	__u64 reserved[5];
};

/*
 * Why a call failed.  Numbers never change: only ever added to at the end.  libpfmdev
 * has a sentence for each.
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
	PFM_REASON_COUNT_OF_REASONS
};

#define PFM_NO_INDEX 0xffffffffu

/**
 * struct pfm_error - why the last failed call on this descriptor failed
 * @operation: out: its ioctl number (_IOC_NR of the command)
 * @error: out: its errno
 * @reason: out: enum pfm_reason
 * @index: out: element of the vector at fault, PFM_NO_INDEX if none
 * @value: out: the offending value, where one value is to blame
 * @holder: out: who holds the PMU or the register, or why the PMU refuses a context; ""
 *	if nobody or not known
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
 * Loads the best PMU description of the machine if there is none, and the module
 * of the sampling format.  The format's buffer is mapped by mmap() of the descriptor,
 * read-only, at offset 0, and stays readable until munmap().  The buffers of a user
 * together are limited by RLIMIT_MEMLOCK, those of all by
 * /sys/kernel/perfmon/smpl_buffer_mem_max.
 *
 * ENOSYS: no PMU.  EFAULT: argument unreadable.  EINVAL: unknown flag, reserved
 * field not zero; no such format, argument shorter than its first version, or one that the
 * format does not accept; an argument without format.  EOPNOTSUPP: a flag that is not offered
 * yet.  EPERM: kernel.perf_event_paranoid, or policy or task_group there, do not let the
 * caller count.  Whether the context counts at kernel level is decided here, too, see
 * PFM_STATUS_USER_LEVEL.  EBUSY: the descriptor has a context.  ENOMEM: no
 * memory, or the buffer is over one of the limits.  E2BIG: the structure, or the format's
 * argument, has more in it than is known.  And what the format may have of its own.
 */
#define PFM_IOC_CREATE_CONTEXT	_IOW(PFM_IOC_TYPE, 0, struct pfm_create)

/**
 * PFM_IOC_WRITE_PMCS - write configuration registers (struct pfarg_pmc)
 *
 * Takes effect at once if the set is active and the thread runs.
 *
 * EINVAL: count, PMC, flag, set or value; NO_EMUL64 on a PMC without counter.
 * E2BIG: longer than arg_mem_max.  EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMCS	_IOW(PFM_IOC_TYPE, 1, struct pfm_vector)

/**
 * PFM_IOC_WRITE_PMDS - write data registers (struct pfarg_pmd)
 *
 * A PMD written is in use in its set from then on; only PMDs in use count and
 * can be read.  So are those in reg_smpl_pmds and reg_reset_pmds.  Writing a
 * read-only PMD marks it in use and changes no value.
 *
 * A counter that begins at -N overflows after N events.  Then, and for each
 * PMD in its reg_reset_pmds, the value becomes that PMD's own reg_short_reset; or, if
 * monitoring was masked, its reg_long_reset at PFM_IOC_RESTART.  With
 * PFM_REGFL_RANDOM a random number & reg_random_mask is subtracted, which makes the
 * period longer by that; the generator is Carta's with reg_random_seed, or a
 * seed of the kernel's if that is 0.  It has 2^31 - 2 states: seeds are taken modulo
 * 2^31 - 1, and 2^31 - 1 itself as 1.
 *
 * In a set with PFM_SETFL_OVFL_SWITCH a counter with reg_ovfl_switch_cnt N switches to the
 * next set when it overflows for the Nth time since the set became active.  Several may:
 * the first one does.  Without a sampling format its overflows do not mask, unless
 * it has PFM_REGFL_OVFL_NOTIFY: then the switch comes with PFM_IOC_RESTART.
 *
 * Some PMDs exist only at the moment of an overflow: they can be in reg_smpl_pmds, and
 * neither be written nor read.  The header of the register map names them.
 *
 * EINVAL: count, PMD, flag or set; PMD in reg_smpl_pmds or reg_reset_pmds;
 * reg_ovfl_switch_cnt of a PMD that is no counter.  EBUSY: loaded, and a PMD that would
 * come into use is held by someone else.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMDS	_IOW(PFM_IOC_TYPE, 2, struct pfm_vector)

/**
 * PFM_IOC_READ_PMDS - read data registers (struct pfarg_pmd)
 *
 * Live values if the set is active and counts, kept ones otherwise; in every state.
 * Neighbours of the same set are of the same moment.
 *
 * EINVAL: count, PMD or set; PMD not in use.  E2BIG, EFAULT.
 */
#define PFM_IOC_READ_PMDS	_IOWR(PFM_IOC_TYPE, 3, struct pfm_vector)

/**
 * PFM_IOC_LOAD - attach to a thread
 *
 * The thread is not stopped and may run.  Monitoring is stopped, messages
 * are dropped, the set becomes active, counts stay.
 * The PMDs in use of all sets are claimed, until the context is unloaded or its thread ends:
 * others may use them until then.
 *
 * ESRCH: no such thread.  EPERM: the caller may not look at it (the kernel's
 * own ptrace read check, or CAP_PERFMON), or a kernel thread; with PFM_FL_NOTIFY_BLOCK,
 * he may not attach to it with ptrace, or it is of process 1.  EBUSY: loaded
 * already, thread ending, other sessions in the way, a PMD or the PMU held by
 * someone else.  EEXIST: the thread has a context.  EINVAL: no such set, reserved field
 * not zero.  EFAULT.  ENOMEM, ENFILE: no memory, or no file, for that check.
 * And what the PMU module may have of its own.
 */
#define PFM_IOC_LOAD		_IOW(PFM_IOC_TYPE, 4, struct pfarg_load)

/**
 * PFM_IOC_START - let the counters run
 *
 * The argument is a struct pfarg_start or NULL for the last active set.
 * Starting what is started changes nothing.
 *
 * EINVAL: not loaded, no such set, reserved field not zero.  EFAULT.
 */
#define PFM_IOC_START		_IOW(PFM_IOC_TYPE, 5, struct pfarg_start)

/**
 * PFM_IOC_STOP - stop the counters; values stay.  EINVAL: not loaded.
 */
#define PFM_IOC_STOP		_IO(PFM_IOC_TYPE, 6)

/**
 * PFM_IOC_RESTART - go on after a notification
 *
 * The sampling format empties its buffer, PMDs that wait for it get their long
 * reset values, monitoring is unmasked and a blocked thread goes on; all that has
 * happened when the call returns.
 *
 * EBUSY: no notification waits for it; not loaded; not masked and no format that could
 * be restarted.
 */
#define PFM_IOC_RESTART		_IO(PFM_IOC_TYPE, 7)

/**
 * PFM_IOC_CREATE_EVTSETS - create or change event sets (struct pfarg_setdesc)
 *
 * Changing a set puts its PMCs at their defaults and its switch counts to 0; values of
 * PMDs and the rest of what was written with them stay.
 *
 * Each set has its own PMCs and PMDs.  One is active at a time: that of load or start,
 * then the one with the next number, and after the last the first again.  What makes it
 * go on is the flag of the set that is left; one without flag is not left.
 *
 * PFM_SETFL_TIME_SWITCH: after set_timeout ns of CPU time of the thread, monitoring.  It
 * holds for a single set, too, whose set_runs then count the time.
 * PFM_SETFL_OVFL_SWITCH: by reg_ovfl_switch_cnt, see PFM_IOC_WRITE_PMDS.
 *
 * What a set that becomes active finds: counters as it left them; those that overflowed,
 * and their reg_reset_pmds, at their short reset values, or at the long ones if it was
 * the user who made it active (load, start, restart).
 *
 * EBUSY: loaded.  EINVAL: flags; no timeout where one is needed.
 * ENOMEM: no memory, or a limit, max_sets, set_mem_max or set_user_max there.  E2BIG,
 * EFAULT.
 */
#define PFM_IOC_CREATE_EVTSETS	_IOWR(PFM_IOC_TYPE, 8, struct pfm_vector)

/**
 * PFM_IOC_GETINFO_EVTSETS - ask about event sets (struct pfarg_setinfo)
 *
 * EINVAL: no such set.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_GETINFO_EVTSETS _IOWR(PFM_IOC_TYPE, 9, struct pfm_vector)

/**
 * PFM_IOC_DELETE_EVTSETS - delete event sets (struct pfarg_setdesc)
 *
 * EBUSY: loaded.  EINVAL: no such set, or set 0.  E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_DELETE_EVTSETS	_IOW(PFM_IOC_TYPE, 10, struct pfm_vector)

/**
 * PFM_IOC_UNLOAD - stop and detach; succeeds on a context that is not loaded.
 */
#define PFM_IOC_UNLOAD		_IO(PFM_IOC_TYPE, 11)

/**
 * PFM_IOC_INFO - what the module and the PMU offer; needs no context.
 *
 * Loads the best PMU description of the machine if there is none.
 * EFAULT, ENOMEM.  Without a PMU it succeeds with an empty pmu_name.
 */
#define PFM_IOC_INFO		_IOR(PFM_IOC_TYPE, 12, struct pfm_info)

/**
 * PFM_IOC_LAST_ERROR - why the last failed call on this descriptor failed;
 * needs no context.  EFAULT.
 */
#define PFM_IOC_LAST_ERROR	_IOR(PFM_IOC_TYPE, 13, struct pfm_error)

/**
 * PFM_IOC_STATUS - where the context stands.  EFAULT.
 */
#define PFM_IOC_STATUS		_IOR(PFM_IOC_TYPE, 14, struct pfm_status)

/**
 * PFM_IOC_READ - read values of data registers (struct pfarg_pmr)
 *
 * As PFM_IOC_READ_PMDS, with less to carry: the fastest way to read.
 *
 * EINVAL: count, PMD, flags or set; PMD not in use.  E2BIG, EFAULT.
 */
#define PFM_IOC_READ		_IOWR(PFM_IOC_TYPE, 15, struct pfm_vector)

#endif
