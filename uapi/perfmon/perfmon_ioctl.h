/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon: hardware performance monitoring through /dev/perfmon
 *
 * The protocol in a page
 * ----------------------
 * A file descriptor of /dev/perfmon stands for one monitoring context: counters and their
 * configuration.  At any time, a context is loaded on at most one thread or CPU.  Programs use a
 * context through ioctls on the descriptor:
 *
 *	PFM_IOC_CREATE_CONTEXT	makes the context (once for each open)
 *	PFM_IOC_WRITE_PMCS	selects what is counted (configuration registers)
 *	PFM_IOC_WRITE_PMDS	sets the counters (data registers)
 *	PFM_IOC_LOAD		loads the context on the caller's or another thread, or on a CPU
 *	PFM_IOC_START, _STOP	start and stop the counters, as often as wanted
 *	PFM_IOC_READ_PMDS	reads the counters, running or not
 *	PFM_IOC_UNLOAD		unloads the context; the values can still be read
 *
 * Closing the last descriptor unloads and frees the context.  read() returns messages (struct
 * pfarg_ovfl_msg), and poll() reports when there is a message.  If the kernel unloads the context,
 * for example because the monitored thread ends, it queues PFM_MSG_END.  An overflow queues
 * PFM_MSG_OVFL if the PMD has PFM_REGFL_OVFL_NOTIFY and the sampling format, if there is one,
 * requests a notification.  The program handles this message and calls PFM_IOC_RESTART.
 *
 * A context with a sampling format has a buffer, and mmap() maps it.  At each overflow of a 64-bit
 * value the format writes a sample to the buffer (perfmon_dfl_smpl.h).  Without a format, each
 * overflow masks monitoring.  If the overflow caused a notification, monitoring is masked until
 * PFM_IOC_RESTART.  If it caused none, monitoring is masked until PFM_IOC_UNLOAD.  Counters that
 * switch event sets are an exception: see PFM_IOC_WRITE_PMDS.
 *
 * perfmon_types.h has the structures, perfmon_reason.h has the reasons why calls fail; this header
 * includes both.
 *
 * A PMC is a register that selects what is counted, and a PMD is a register that holds a value.
 * PMCs and PMDs have logical numbers: the header of a PMU's register map (perfmon_armv8.h,
 * perfmon_soft.h, ...) documents what each number stands for and which PMC drives which PMD.  In
 * this interface every counter is 64 bits wide, whatever its width in hardware.  Virtual PMDs have
 * the numbers from PFM_VIRTUAL_PMD_BASE on.  The core adds virtual PMDs to every PMU.  They count
 * time, context switches and the like for the monitored thread.
 *
 * All structures have the same layout for 32-bit and 64-bit programs; a pointer is passed as a
 * 64-bit integer.  Structures named pfarg_* are those of perfmon2, except pfarg_pmr, which comes
 * from perfmon v3.
 *
 * A call that fails sets errno; PFM_IOC_LAST_ERROR then returns why the call failed and, if the
 * call took several elements (struct pfm_vector), which of them was wrong.  Before the context is
 * made, all calls fail with EINVAL, except _CREATE_CONTEXT, _INFO, _LAST_ERROR, and _STATISTICS
 * with PFM_STATISTICS_CPU.
 *
 * How it grows
 * ------------
 * A program works unchanged with every later module.  A program that was built for a later
 * module works with an earlier module if the program uses nothing new.  If the program uses a
 * new call, flag or field, the call fails with one of the errors below.
 *
 * 1. A command is identified by its type and number.  The kernel takes the size of the caller's
 *    structure from the command, and ignores the direction in the command.  A command with an
 *    unknown number fails with ENOTTY.
 *
 * 2. Structures with flags (pfarg_ctx, pfarg_pmc, pfarg_pmd, pfarg_pmr, pfarg_setdesc,
 *    pfm_statistics): unknown flags cause EINVAL (PFM_REASON_FLAGS); PFM_IOC_INFO returns the
 *    known flags.  Reserved fields are ignored: a reserved field gets a meaning only together
 *    with a new flag.
 *
 * 3. Structures without flags (pfarg_load, pfarg_start, and the other pfm_* structures): reserved
 *    fields must be zero (EINVAL, PFM_REASON_RESERVED).  A later version may use these fields
 *    for flags, a CPU, a pidfd or the name of a PMU.
 *
 * 4. Every structure may become longer, at its end.  If the caller's structure is longer than the
 *    kernel's version of it, the additional bytes must be zero.  If they are not, the call fails
 *    with E2BIG (PFM_REASON_TAIL) and changes nothing.  If the caller's structure is shorter than
 *    the first version of this structure, the call fails with EINVAL (PFM_REASON_SIZE; for the
 *    argument of a format, PFM_REASON_FORMAT_SIZE).  The kernel takes the size of an element from
 *    struct pfm_vector or struct pfm_thread_counts, the size of a format's argument (at most 4096
 *    bytes) from struct pfm_create, and the size of any other structure from the command.
 *
 * 5. In structures that the kernel only returns, reserved fields are zero.  If the caller's
 *    structure is longer than the kernel's version of it, the kernel clears the additional bytes.
 *    The caller need not initialise such a structure.
 *
 * 6. A later version may add types of message.  Each message of such a type contains its length,
 *    see struct pfm_msg_header.
 */
#ifndef _PERFMON_PERFMON_IOCTL_H
#define _PERFMON_PERFMON_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include <perfmon/perfmon_reason.h>
#include <perfmon/perfmon_types.h>

#define PFM_DEVICE		"/dev/perfmon"

/* The version of perfmon2 that has the same calls, as in /sys/kernel/perfmon/version: 2.8. */
#define PFM_VERSION		0x20008u
/*
 * The version of this interface, as in /sys/kernel/perfmon/interface_version: 1.0.  The
 * minor number grows with each addition.
 */
#define PFM_INTERFACE_VERSION	0x10000u
#define PFM_VERSION_MAJOR(x)	(((x) >> 16) & 0xffff)
#define PFM_VERSION_MINOR(x)	((x)&0xffff)

#define PFM_IOC_TYPE		0xf3

/**
 * PFM_IOC_CREATE_CONTEXT - make the context of this descriptor
 *
 * The new context is not loaded.  It has event set 0, with all PMCs at their defaults.  The call
 * loads the module of the sampling format and the module of the PMU in pmu_name, if they are not
 * loaded yet.  If no PMU is registered, the call first loads the PMU module for the machine.
 * mmap() of the descriptor maps the format's buffer, read-only, at offset 0.  If there is a buffer
 * for each CPU, each buffer has its own offset, see PFM_BUFFER_OFFSET().  A buffer stays readable
 * until munmap().  RLIMIT_MEMLOCK limits the buffers of a user, and
 * /sys/kernel/perfmon/smpl_buffer_mem_max limits the buffers of all users.  The call decides
 * whether the context counts at kernel level, see PFM_STATUS_USER_LEVEL.
 *
 * ENOSYS: no PMU, or no PMU with the name in pmu_name.  EFAULT: argument unreadable.  EINVAL: an
 * unknown flag; flags that exclude each other; the context is not system-wide, but CPUs share the
 * PMU; an unknown format; a format argument that is shorter than its first version, or that the
 * format does not accept; a format argument without a format.  EOPNOTSUPP: a flag that is not
 * offered yet, or that the PMU does not support.  EPERM: kernel.perf_event_paranoid, or one of the
 * files policy and task_group in /sys/kernel/perfmon, forbids the caller to count; the context is
 * system-wide, and the caller neither holds CAP_PERFMON nor is in sys_group; or the caller may
 * count at user level only, and CPUs share the PMU.  EBUSY: the descriptor has a context already.
 * ENOMEM: no memory, or a limit on buffers or event sets is reached.  E2BIG: the structure, or the
 * format's argument, is longer than the kernel's version of it, and the additional bytes are not
 * zero.  The format may return other errors.
 */
#define PFM_IOC_CREATE_CONTEXT	_IOW(PFM_IOC_TYPE, 0, struct pfm_create)

/**
 * PFM_IOC_WRITE_PMCS - write configuration registers (struct pfarg_pmc)
 *
 * The values take effect immediately if the set is active and the thread runs.
 *
 * EINVAL: invalid count, PMC, flag, set or value; PFM_REGFL_NO_EMUL64 on a PMC that does not accept
 * this flag.  EBUSY: copies of the context exist (PFM_FL_INHERIT_*).  E2BIG: the vector is longer
 * than pfm_info.arg_mem_max.  EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMCS	_IOW(PFM_IOC_TYPE, 1, struct pfm_vector)

/**
 * PFM_IOC_WRITE_PMDS - write data registers (struct pfarg_pmd)
 *
 * After a write to a PMD, the PMD is in use in its set, and so are the PMDs in its reg_smpl_pmds
 * and reg_reset_pmds.  A PMD counts, and can be read, only if it is in use.  Writing a read-only
 * PMD puts it in use and changes no value.
 *
 * A counter that begins at -N overflows after N events.  After an overflow, the counter and the
 * PMDs in its reg_reset_pmds are reset: each PMD gets its own reg_short_reset as its value.  If the
 * overflow masks monitoring, these PMDs are not reset until PFM_IOC_RESTART, which gives each PMD
 * its own reg_long_reset.  With PFM_REGFL_RANDOM a random number, masked by reg_random_mask, is
 * subtracted from the reset value, which makes the period longer.  The random numbers come from
 * Carta's generator.  The seed of the generator is reg_random_seed.  If reg_random_seed is 0, the
 * kernel chooses a seed.  The generator has 2^31 - 2 states: a seed is taken modulo 2^31 - 1, and a
 * result of 0 becomes 1.
 *
 * In a set with PFM_SETFL_OVFL_SWITCH, a counter can cause a switch to the next set: the switch
 * comes when the counter has overflowed reg_ovfl_switch_cnt times since the set became active.  If
 * several counters have a reg_ovfl_switch_cnt, the first of them to reach its number causes the
 * switch.  Without a sampling format, the overflows of such a counter mask monitoring only if the
 * counter has PFM_REGFL_OVFL_NOTIFY.  A switch that is due while monitoring is masked comes at
 * PFM_IOC_RESTART.
 *
 * Some PMDs have a value only at an overflow.  reg_smpl_pmds can contain such PMDs, but
 * calls can neither write nor read them.  The header of the register map lists these
 * PMDs.
 *
 * EINVAL: invalid count, PMD, flag or set; invalid PMD in reg_smpl_pmds or
 * reg_reset_pmds; reg_ovfl_switch_cnt of a PMD that is not a counter.  EBUSY: copies of the context
 * exist; or the context is loaded, and another user holds a PMD that this call would put in use.
 * E2BIG, EFAULT, ENOMEM.
 */
#define PFM_IOC_WRITE_PMDS	_IOW(PFM_IOC_TYPE, 2, struct pfm_vector)

/**
 * PFM_IOC_READ_PMDS - read data registers (struct pfarg_pmd)
 *
 * Allowed in every state.  Returns live values if the set is active and its counters are running,
 * and saved values in all other cases.  Consecutive elements of the same set are read at the same
 * moment.  If the context has PFM_FL_INHERIT_*, most values are sums over all monitored threads,
 * which are read one after the other (docs/interface.md 3.7).
 *
 * EINVAL: invalid count, PMD or set; PMD not in use.  E2BIG, EFAULT.
 */
#define PFM_IOC_READ_PMDS	_IOWR(PFM_IOC_TYPE, 3, struct pfm_vector)

/**
 * PFM_IOC_LOAD - load the context on a thread or, with PFM_FL_SYSTEM_WIDE, on a CPU
 *
 * The thread is not stopped, and the context is not started.  Messages in the context's queue are
 * discarded, load_set becomes active, and PMDs keep their values.  The load claims all PMDs that
 * are in use in any set of the context.  The context holds these PMDs until it is unloaded or its
 * thread ends.  Before the load, others may use these PMDs.
 *
 * ESRCH: no such thread.  EPERM: the thread is a kernel thread; or the caller fails the kernel's
 * ptrace read check for the thread and lacks CAP_PERFMON.  With PFM_FL_NOTIFY_BLOCK, EPERM also
 * means that the caller fails the ptrace attach check, or that the thread belongs to process 1.
 * EBUSY: the context is loaded already, copies of it exist, the thread is ending, or another user
 * holds a PMD or the PMU.  EEXIST: the thread has a context already; pfm_error.value is the id of
 * the process that loaded that context, or 0 if the caller cannot see the process.  EINVAL: there
 * is no such set; a reserved field is not zero; the context has PFM_FL_NOTIFY_BLOCK, and the thread
 * is the caller; or the context has PFM_FL_INHERIT_* and more than 64 event sets.  EFAULT.  ENOMEM:
 * no memory.  ENFILE: too many files are open in the system (the ptrace check opens a file).  The
 * PMU module may return other errors.
 *
 * A system-wide context is loaded on a CPU; the caller may run on any CPU.  The context counts the
 * events of all threads on its CPU, and those of the kernel.  For a system-wide context, EINVAL
 * also means that there is no such CPU, or that the CPU does not have the context's PMU.  ENODEV:
 * the CPU is offline.  EPERM: the caller neither holds CAP_PERFMON nor is in
 * /sys/kernel/perfmon/sys_group.  EEXIST: the CPU has a system-wide context already.  EBUSY also
 * means that contexts on threads use one of this context's PMDs.  On some PMUs, an operation on one
 * counter can affect other counters.  On such a PMU, EBUSY also means that contexts on threads use
 * any other PMD of the PMU.  Conversely, a load on a thread fails with EBUSY if system-wide
 * contexts use one of the context's PMDs or, on such a PMU, any other PMD of the PMU.  When the CPU
 * goes offline, the context is unloaded, and PFM_MSG_END is queued.
 */
#define PFM_IOC_LOAD		_IOW(PFM_IOC_TYPE, 4, struct pfarg_load)

/**
 * PFM_IOC_START - start the counters
 *
 * The argument is a struct pfarg_start, or NULL for the set that is active.  If the context is
 * already started, a call with NULL changes nothing.
 *
 * EINVAL: the context is not loaded, there is no such set, or a reserved field is not zero.
 * EFAULT.
 */
#define PFM_IOC_START		_IOW(PFM_IOC_TYPE, 5, struct pfarg_start)

/**
 * PFM_IOC_STOP - stop the counters; PMDs keep their values.  EINVAL: the context is not loaded.
 */
#define PFM_IOC_STOP		_IO(PFM_IOC_TYPE, 6)

/**
 * PFM_IOC_RESTART - continue after a notification
 *
 * The sampling format, if there is one, empties its buffer; "nway" hands back only its oldest full
 * region.  PMDs that overflowed get their long reset values, monitoring is unmasked, and a blocked
 * thread continues.  All this happens before the call returns.
 *
 * EBUSY has one of these reasons:
 * - The context is not loaded, or each CPU has a buffer (see PFM_IOC_RESTART_CPU).
 * - No notification waits for a restart ("nway" can be restarted without a notification).
 * - Monitoring is not masked, and there is no format that can be restarted.
 * - The format refuses the restart.
 */
#define PFM_IOC_RESTART		_IO(PFM_IOC_TYPE, 7)

/**
 * PFM_IOC_CREATE_EVTSETS - create or change event sets (struct pfarg_setdesc)
 *
 * If the call changes a set, the set's PMCs get their defaults, and the field reg_ovfl_switch_cnt
 * of its PMDs becomes 0.  The PMDs keep their values.  All their other fields stay as
 * PFM_IOC_WRITE_PMDS has written them.
 *
 * Each set has its own PMCs and PMDs.  One set is active at a time.  The argument of PFM_IOC_LOAD
 * or PFM_IOC_START selects the set that becomes active first.  Each set switch makes the set with
 * the next higher number active; the last set is followed by the first one.  The flag of the active
 * set determines when the switch comes.  A set without a flag stays active.
 *
 * PFM_SETFL_TIME_SWITCH: the switch comes when the thread has used set_timeout ns of CPU time while
 * it was monitored with this set.  If the context has only one set, this set becomes active again
 * after each timeout, and its set_runs grows by 1.
 * PFM_SETFL_OVFL_SWITCH: the switch comes after reg_ovfl_switch_cnt overflows, see
 * PFM_IOC_WRITE_PMDS.
 *
 * When a set becomes active, its counters continue from their saved values.  If a PMD of the set
 * has overflowed and has not been reset yet, it gets its short reset value, and the PMDs in its
 * reg_reset_pmds get theirs.  These PMDs get their long reset values instead if the set became
 * active through PFM_IOC_RESTART, or through PFM_IOC_START with a set as its argument.
 *
 * EBUSY: the context is loaded, or copies of it exist.  EINVAL: invalid flags;
 * PFM_SETFL_TIME_SWITCH without a timeout.  ENOMEM: no memory, or a limit in /sys/kernel/perfmon is
 * reached: max_sets, set_mem_max or set_user_max.  E2BIG, EFAULT.
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
 * EBUSY: the context is loaded, or copies of it exist.  EINVAL: no such set, or set 0.  E2BIG,
 * EFAULT, ENOMEM.
 */
#define PFM_IOC_DELETE_EVTSETS	_IOW(PFM_IOC_TYPE, 10, struct pfm_vector)

/**
 * PFM_IOC_UNLOAD - stop and unload the context; succeeds even if it is not loaded.
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
 * PFM_IOC_STATISTICS - what monitoring costs, and what monitoring misses
 *
 * Returns the statistics of the context.  With PFM_STATISTICS_CPU, the call returns the statistics
 * of a CPU instead.  In this case the call needs no context, does not interrupt the CPU, and also
 * works if the CPU is offline.
 *
 * EPERM: PFM_STATISTICS_CPU is set, and the caller neither holds CAP_PERFMON nor is in
 * /sys/kernel/perfmon/sys_group.  EINVAL: an unknown flag; no such CPU; the field cpu is not zero
 * although PFM_STATISTICS_CPU is not set.  E2BIG, EFAULT.
 */
#define PFM_IOC_STATISTICS	_IOWR(PFM_IOC_TYPE, 16, struct pfm_statistics)

/**
 * PFM_IOC_RESTART_CPU - hand back a CPU's buffer, see PFM_BUFFER_OFFSET()
 *
 * Allowed in every state of the context.  The caller may run on any CPU, and the CPU of the buffer
 * may be offline.  The formats "default" and "callchain" empty the buffer if it is full; "nway"
 * hands back its oldest full region.
 *
 * EINVAL: the context has no buffer for this CPU; reserved field not zero.  EBUSY: the buffer is
 * not full ("nway": no region is full), the format cannot be restarted, or the format refuses the
 * restart.  EFAULT.
 */
#define PFM_IOC_RESTART_CPU	_IOW(PFM_IOC_TYPE, 17, struct pfm_restart_cpu)

/**
 * PFM_IOC_READ_THREAD - read the counts of one of the threads that a context monitors
 *
 * With PFM_FL_INHERIT_*, a thread that is created by a monitored thread gets a copy of the context.
 * With PFM_FL_KEEP_COUNTS a copy keeps its own counts when it ends.  A copy ends when its thread
 * ends, when its thread executes a program that the loader may not monitor, or when the context is
 * unloaded.  PFM_THREAD_ENDED selects a copy that has ended.  Each call with PFM_THREAD_ENDED reads
 * the next copy, in the order in which the copies ended.  After an unload, the values of all
 * threads add up to the values that PFM_IOC_READ returns, unless counts were dropped or PMDs were
 * written.  The values of some PMDs are not added up: counters with reset values, read-only PMDs
 * such as PFM_PMD_CPU, and PFM_PMD_MONOTONIC_TIME.  In the counts of a copy, the values of these
 * PMDs are 0.
 *
 * The counts of a copy that has ended take as much memory as the copy itself.  The file max_copies
 * in /sys/kernel/perfmon limits the number of ended copies whose counts a context keeps.  If one
 * more copy ends, or if there is no memory for a new copy, the counts of the copy that ended first
 * are dropped.  pfm_status.dropped_counts is the number of copies whose counts were dropped.  A
 * load drops the counts that are left from the previous load.  A load that fails may drop these
 * counts, too.
 *
 * EINVAL: invalid @which or @count; invalid PMD, flags or set; PMD not in use; reserved field not
 * zero; PFM_THREAD_ENDED without PFM_FL_KEEP_COUNTS; system-wide context.  ENOENT: the counts of
 * all copies that have ended have been read already.  E2BIG, ENOMEM, EFAULT.  If a call fails, the
 * counts stay in the kernel, and a later call can read them.
 */
#define PFM_IOC_READ_THREAD	_IOWR(PFM_IOC_TYPE, 18, struct pfm_thread_counts)

#endif
