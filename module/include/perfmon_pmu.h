/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the core and PMU modules.  A PMU module includes this header and
 * no other header of the core.
 *
 * A PMU module describes the registers of a PMU and moves values between the registers and memory.
 * The core handles contexts, threads, permissions, 64-bit emulation and sampling.
 *
 * The module fills a struct pfm_pmu.  If the module supports the CPU, it registers this structure
 * at module init and unregisters it at exit.  PFM_PMU_ALIAS names the processors that the module
 * supports.  There may be several PMUs; a context has one of them.
 */
#ifndef PERFMON_PMU_H
#define PERFMON_PMU_H

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <perfmon/perfmon_ioctl.h>

struct list_head;
struct pfm_cpu;
struct module;
struct pfm_pmu;
struct pt_regs;
struct task_struct;

/*
 * The number of this interface.  A module stores it in struct pfm_pmu.interface.  The number
 * changes with every change of this header that would break a compiled module.
 */
#define PFM_PMU_INTERFACE	 1

/*
 * If no PMU is registered when a program creates a context, the core requests a module by its
 * MODULE_ALIAS(PFM_PMU_ALIAS(processor)).  The request contains an identification of the
 * processor: MIDR_EL1, as in "arm64:midr410fd070"; PVR, as in "powerpc:pvr004e1200"; or the
 * kernel's numbers for vendor, family and model, as in "x86:ven0000fam0006mod008f".  All numbers
 * are hexadecimal, in lower case.  The alias of a module is a pattern as in fnmatch(3).  If no
 * module has registered a PMU after this request, the core requests "fallback".
 */
#define PFM_PMU_ALIAS(processor) "perfmon-pmu:" processor

/* Size of struct pfm_info.pmu_name in bytes, including the terminating zero. */
#define PFM_PMU_NAME_SIZE	 sizeof_field(struct pfm_info, pmu_name)

/* struct pfm_pmu.rank */
#define PFM_RANK_HARDWARE	 0
#define PFM_RANK_SOFTWARE	 100

/* All counters are among the first 64 PMDs, so that one word has a bit for each counter. */
#define PFM_MAX_COUNTERS	 64
#define PFM_MAX_CONFIG		 16 /* number of words in struct pfm_registers.config */

/* Number of words in a bitmap of hardware registers. */
#define PFM_HARDWARE_BV		 (PFM_MAX_HARDWARE / 64)

/* Kinds of register, struct pfm_register.type.  PMDs from 64 on must be read-only or sampled. */
#define PFM_REG_COUNTER		 BIT(0) /* PMD that counts events and can overflow */
#define PFM_REG_READ_ONLY	 BIT(1) /* PMD that a user cannot write */
#define PFM_REG_NO_EMUL64	 BIT(2) /* PMC that accepts PFM_REGFL_NO_EMUL64 */
#define PFM_REG_SAMPLED		 BIT(3) /* PMD whose value exists only in samples */
#define PFM_REG_NO_LEVELS	 BIT(4) /* PMC without levels: see struct pfm_register */

/**
 * struct pfm_register - a PMC or a PMD
 * @name: name in the manual; NULL if there is no register of this number
 * @type: PFM_REG_*
 * @width: number of bits that a PMD has in hardware, 1 to 64
 * @default_value: value of a PMC in a new context
 * @reserved: bits of a PMC that always keep the values that they have in @default_value, whatever a
 *	user writes
 * @user_set: if the context may count only at user level, the core sets these bits in every value
 *	of a PMC, including @default_value
 * @user_clear: if the context may count only at user level, the core clears these bits in every
 *	value of a PMC, including @default_value
 * @address: number of the register in hardware; the core only shows it in /sys/kernel/perfmon
 * @counters: bitmap of the counters that a PMC drives
 *
 * Each counter needs a PMC that drives it and that can exclude the kernel level.  Such a PMC has
 * @user_set or @user_clear.  If a counter reveals no more than /proc does, it is enough that a PMC
 * with PFM_REG_NO_LEVELS drives the counter.  Registration fails if a counter has no PMC of either
 * kind.  The counters of a PMU with a scope need no such PMC.
 */
struct pfm_register {
	const char *name;
	u32 type;
	u8 width;
	u64 default_value;
	u64 reserved;
	u64 user_set;
	u64 user_clear;
	unsigned long address;
	u64 counters;
};

/**
 * struct pfm_registers - the registers of one event set, in memory
 * @used_pmcs: PMCs below 256: those that drive a counter in use, and those that drive no counter
 *	but were written.  The PMU module must program them while the set counts; on shared hardware
 *	it must not program any other PMC.
 * @used_pmds: PMDs below 256 in use; only these PMDs count and are saved and restored
 * @counters: those of @used_pmds that are counters, all below 64
 * @interrupting: those of @counters that must raise an interrupt when they wrap
 * @pmcs: values of PMCs
 * @pmds: 64-bit values of PMDs; the hardware holds only the low bits (pfm_register.width), see
 *	pfm_pmd_merge()
 * @config: values that configure() computes from the fields above, for the PMU module.
 *	Only configure() writes @config.  Zero in a new set.
 * @state: data of the PMU module that changes while the set counts, one word for each PMD below
 *	64.  On the CPU where the set counts, write_pmds(), start(), stop(), read(), acknowledge()
 *	and the interrupt handler may change @state; configure() may not.  Zero in a new set.
 * @changed: one bit for each PMD below 64.  The core sets the bit when the user writes the PMD
 *	and when the PMD is reset.  Only write_pmds() may clear the bit.
 * @task: the monitored thread; NULL in a system-wide context
 * @resumed: the set starts because the thread was switched in, not because of a user's
 *	call
 * @sees_kernel: samples may contain kernel addresses, see struct pfm_session.privileged
 *
 * The core owns this structure.  The PMU module may read all of it, but may write only @config,
 * @state, @changed and @pmds.  It may write @pmds when it halts the counters, in stop() or in the
 * interrupt handler.
 */
struct pfm_registers {
	u64 used_pmcs[PFM_HARDWARE_BV];
	u64 used_pmds[PFM_HARDWARE_BV];
	u64 counters;
	u64 interrupting;
	u64 changed;
	struct task_struct *task;
	bool resumed;
	bool sees_kernel;
	u64 pmcs[PFM_MAX_HARDWARE];
	u64 pmds[PFM_MAX_HARDWARE];
	u64 config[PFM_MAX_CONFIG];
	u64 state[PFM_MAX_COUNTERS];
};

/**
 * struct pfm_session - a context that is loaded on a thread or on a CPU
 * @pmu: the PMU of the context
 * @task: the thread; NULL if the context is system-wide
 * @cpu: the CPU of a system-wide context; -1 for a context on a thread
 * @privileged: the user may see the kernel: the loader holds CAP_PERFMON, and the context may count
 *	at kernel level
 * @why: before load() returns an errno, it may write the reason into this field, in a few words for
 *	users
 * @sets: for the core's use
 */
struct pfm_session {
	const struct pfm_pmu *pmu;
	struct task_struct *task;
	int cpu;
	bool privileged;
	char why[40];
	const struct list_head *sets;
};

/**
 * pfm_session_next() - registers of the next event set of a context
 * @session: argument of load() or unload()
 * @registers: registers of the previous set; NULL to get the registers of the first set
 *
 * Return: the registers of the next set; NULL after the last set.
 */
const struct pfm_registers *pfm_session_next(const struct pfm_session *session,
					     const struct pfm_registers *registers);

/**
 * struct pfm_pmu_operations - operations of a PMU
 *
 * Hot operations are called with interrupts off, on the CPU whose registers they access.  They must
 * not wait, and only an NMI of the same PMU can interrupt them.  The core calls them in the order
 * can_count, write_pmcs, write_pmds, start, ..., stop.  It leaves out write_pmcs if this CPU was
 * last programmed with the same values.  It leaves out write_pmds if the counters of this CPU still
 * contain the set's values.  While start() runs and while the set counts,
 * pfm_running_registers() returns the set's registers.  While stop() runs, that function returns
 * NULL.  If an overflow interrupt comes during stop(), the interrupt handler must not lose
 * overflows: overflows() must still return them.
 *
 * @owner: returns the owner of the registers that CPU @number shares with other CPUs.  The owner is
 *	the CPU that accesses these registers, perhaps CPU @number itself.  It remains the owner
 *	until it goes offline.  Returns a negative errno on failure.  -ENODEV means that CPU @number
 *	is online and has no such registers.  Process context, may sleep, CPU hotplug held off.  A
 *	PMU with a @scope must have this operation; it is not called for other PMUs.
 * @claim: claims the PMDs in the bitmap @pmds (PFM_HARDWARE_BV words) and the PMCs that drive them,
 *	on all CPUs of the PMU.  Called when a load needs PMDs that are not claimed, or when a write
 *	to a loaded context needs such PMDs; other contexts may be counting.  Returns 0 or a
 *	negative errno.  If it cannot claim all of @pmds, it must claim none of them.  If somebody
 *	else holds a PMD, it must call pfm_pmu_blame() and return -EBUSY.  Exclusive hardware is
 *	claimed as a whole at the first call.  Process context, may sleep, CPU hotplug held off.
 * @release: releases the PMDs in the bitmap @pmds.  Called when no loaded context uses these PMDs
 *	any more; contexts that use other PMDs may be counting.  Process context, may sleep, CPU
 *	hotplug held off.  If no other software uses the hardware, the PMU needs neither @release
 *	nor @claim.
 * @held_by_others: for each PMD that @claim could not claim at the moment, sets the PMD's bit in
 *	@pmds (PFM_HARDWARE_BV words).  Process context, may sleep.  Optional.
 * @load: called before a context is loaded on a thread or on a CPU.  @session has the values that
 *	the context's registers have now; PMCs and PMDs may be written later.  Returns 0 or a
 *	negative errno; the load then fails with this errno.  Before @load returns an errno, @load
 *	must undo what it has done.  Called by the loader (current), in process context, may sleep.
 *	Optional.
 * @unload: undo @load.  Called once for each @load that returned 0: when the user unloads the
 *	context, when the thread or the context ends, or when the load fails later.  For a
 *	system-wide context, called on the context's CPU; for a thread, on the CPU where it runs, or
 *	on any CPU if it does not run.  The counters are halted.  Interrupts are off, and a run
 *	queue may be locked, so it must not wait, allocate or free.  Optional.  A context with
 *	PFM_FL_INHERIT_* cannot use a PMU that has @unload.  @load is not called for the copies of a
 *	context.
 * @check_pmc: returns whether PMC @n accepts @value; may change @value.  Reserved bits
 *	already have their defaults.  Process context, may sleep.  Optional.
 * @counts_threads: returns whether PMC @n with @value selects an event that only a thread can have,
 *	such as a page fault.  A system-wide context cannot use such a value.  Process context, may
 *	sleep.  Optional.
 * @configure: computes @config, so that write_pmcs and start are short.  Called after PMC values,
 *	@counters or @interrupting of a set have changed, while the set does not count.  Interrupts
 *	are off, and the call may come on any CPU.  Optional.
 * @can_count: hot; returns whether the set can count on this CPU at the moment.  If it cannot, the
 *	core does not start the set, and increments foreign_runs (docs/interface.md).  Called before
 *	write_pmcs.  Optional.
 * @write_pmcs: hot; program @used_pmcs.  Of @counters, only those in @interrupting may raise
 *	interrupts.  Either write_pmcs() or start() enables these interrupts.  @programmed has the
 *	values that the last call wrote on this CPU, or is NULL if these values are not known.  A
 *	PMC whose new value is equal to its value in @programmed need not be written again.
 * @write_pmds: hot; write the values of the PMDs in the bitmap @pmds to the hardware.  The bitmap
 *	contains the PMDs of @used_pmds whose numbers are below 64; after an overflow, it may
 *	contain only some of these PMDs.
 * @start: hot; let @counters count.  One register write is enough if one bit enables all counters,
 *	or if one register has the enable bits of all counters.
 * @stop: hot; halt @counters, then do what @read does, with the set's @pmds as @values.  When @stop
 *	returns, the set's counters must no longer count.
 * @read: hot; store the 64-bit values of @used_pmds in @values; the counters may be running.
 *	@values[n] is pfm_pmd_merge() of the values of PMD n in memory and in hardware.  Returns the
 *	same as overflows(); @read must read the overflow flags after the values.
 * @sample: hot; called after an overflow, with counters halted.  For each PMD n in the bitmap @pmds
 *	that has type PFM_REG_SAMPLED, store the value in @values[n].  Required if the PMU has such
 *	registers.
 * @callers: hot; called after an overflow, with counters halted.  From the program's calls that the
 *	hardware has recorded, take those that have not returned.  Store the addresses of their call
 *	instructions in @to, innermost first, at most @most addresses.  Returns the number of
 *	addresses.  Optional.
 * @overflows: hot; returns the @counters that have wrapped and have not been acknowledged; required
 *	if the PMU module calls pfm_overflow().
 * @acknowledge: hot; clear the overflows of @counters; the core has recorded these overflows.
 */
struct pfm_pmu_operations {
	int (*owner)(const struct pfm_pmu *pmu, int number);
	int (*claim)(struct pfm_pmu *pmu, const u64 *pmds);
	void (*release)(struct pfm_pmu *pmu, const u64 *pmds);
	void (*held_by_others)(const struct pfm_pmu *pmu, u64 *pmds);
	int (*load)(struct pfm_session *session);
	void (*unload)(const struct pfm_session *session);
	bool (*check_pmc)(unsigned int n, u64 *value);
	bool (*counts_threads)(unsigned int n, u64 value);
	void (*configure)(struct pfm_registers *registers);
	bool (*can_count)(const struct pfm_registers *registers);
	void (*write_pmcs)(const struct pfm_registers *registers,
			   const struct pfm_registers *programmed);
	void (*write_pmds)(struct pfm_registers *registers, u64 pmds);
	void (*start)(struct pfm_registers *registers);
	u64 (*stop)(struct pfm_registers *registers);
	u64 (*read)(struct pfm_registers *registers, u64 *values);
	void (*sample)(const struct pfm_registers *registers, const u64 *pmds,
		       u64 *values);
	unsigned int (*callers)(const struct pfm_registers *registers, u64 *to,
				unsigned int most);
	u64 (*overflows)(const struct pfm_registers *registers);
	void (*acknowledge)(struct pfm_registers *registers, u64 counters);
};

/* Maximum number of virtual PMDs of a PMU module, from PFM_VIRTUAL_PMU_BASE on. */
#define PFM_MAX_PMU_VIRTUAL (PFM_MAX_PMDS - PFM_VIRTUAL_PMU_BASE)

/**
 * struct pfm_virtual_pmd - a virtual PMD of a PMU module
 * @name: name that the PMU's directory in sysfs shows
 * @is_state: true if the PMD shows the value that @read returns at the moment.  False if the PMD
 *	counts: while an event set is active and its context monitors, each increase of this value
 *	is added to the set's PMD.
 * @read: returns the value for the thread @task.  Called on the CPU where the thread
 *	runs, or on any CPU if it does not run; with interrupts off, perhaps in an NMI.
 *
 * Like any PMD, a virtual PMD can be read, recorded in samples and, if it counts, reset.
 */
struct pfm_virtual_pmd {
	const char *name;
	bool is_state;
	u64 (*read)(const struct task_struct *task);
};

/**
 * struct pfm_pmu - a PMU description
 * @interface: PFM_PMU_INTERFACE; always the first field, because registration checks this field
 *	before it reads any other field
 * @name: kind of PMU: letters, digits, underscores.  "perfmon_NAME" is the module's name or, as
 *	with "amd_ibs", an alias of the module
 * @model: name of the model, for people
 * @id: value of the CPU's identification register, or 0
 * @operations: see struct pfm_pmu_operations
 * @pmcs: registers 0 .. @pmc_count - 1, at most PFM_MAX_HARDWARE
 * @pmds: registers 0 .. @pmd_count - 1, at most PFM_MAX_HARDWARE
 * @pmc_count: length of @pmcs
 * @pmd_count: length of @pmds
 * @virtuals: the PMU's own virtual PMDs, from PFM_VIRTUAL_PMU_BASE on.  Optional.
 * @virtual_count: length of @virtuals, at most PFM_MAX_PMU_VIRTUAL
 * @rank: PFM_RANK_*, or a value between them.  The default PMU is the one with the lowest
 *	rank; among equals, the one that was registered first.
 * @cpus: CPUs that have this PMU; empty means all.  The module may add CPUs later.
 * @scope: NULL if each CPU has its own registers.  If several CPUs share the registers, @scope
 *	names what the registers belong to, such as "l3" or "package".  The registers can be used in
 *	system-wide contexts only, by users who may count at all levels.  Only one context at a time
 *	can use the registers of a cache or package.  This context counts on the CPU that
 *	@operations->owner returns.  Such a PMU is never the default.
 * @independent: true if an operation on a set affects only the counters of this set.  Then a
 *	thread's context and a system-wide context may count on a CPU at the same time, with
 *	different counters.  The module of such a PMU must call pfm_running_sets() and
 *	pfm_overflow_of() instead of pfm_running_registers() and pfm_overflow().
 * @owner: set by the core: the PMU's module
 * @is_partial: set by the core: true if some CPU does not have this PMU, or if the PMU has the
 *	operation can_count()
 * @node: for the core's use
 * @scope_node: for the core's use
 * @cpu_data: for the core's use
 * @claims: for the core's use
 * @facts: for the core's use
 * @directory: for the core's use
 */
struct pfm_pmu {
	u32 interface;
	const char *name;
	const char *model;
	u64 id;
	const struct pfm_pmu_operations *operations;
	const struct pfm_register *pmcs;
	const struct pfm_register *pmds;
	unsigned int pmc_count;
	unsigned int pmd_count;
	const struct pfm_virtual_pmd *virtuals;
	unsigned int virtual_count;
	unsigned int rank;
	struct cpumask cpus;
	const char *scope;
	bool independent;
	struct module *owner;
	bool is_partial;
	struct list_head node;
	struct list_head scope_node;
	struct pfm_cpu __percpu *cpu_data;
	struct pfm_claims *claims;
	struct pfm_pmu_facts *facts;
	struct pfm_pmu_directory *directory;
};

/**
 * pfm_pmu_register() - register a PMU
 * @pmu: a static object; the caller has filled in all fields that come before @owner
 *
 * Other software may hold the hardware at this time, because a PMU is claimed only when a context
 * is loaded.  Process context, may sleep.
 *
 * Return: 0, -ENOEXEC if the module was built for another PFM_PMU_INTERFACE, -EBUSY if a PMU of
 * that name is already registered, -EINVAL if the description is not consistent, or -ENOMEM.
 */
#define pfm_pmu_register(pmu) __pfm_pmu_register(pmu, THIS_MODULE)
int __pfm_pmu_register(struct pfm_pmu *pmu, struct module *owner);

/**
 * pfm_pmu_unregister() - unregister a PMU
 * @pmu: a registered PMU
 *
 * A module calls this when it is removed.  No context uses the PMU at that time, because each
 * context holds a reference to its PMU's module.  Process context, may sleep.
 */
void pfm_pmu_unregister(struct pfm_pmu *pmu);

#define PFM_WHOLE_PMU (~0u)

/**
 * pfm_pmu_blame() - record who holds a PMD; called by claim() before it returns -EBUSY
 * @holder: name of the holder, up to 39 bytes; the function copies the name
 * @pmd: the PMD that is held, or PFM_WHOLE_PMU
 */
void pfm_pmu_blame(const char *holder, unsigned int pmd);

/**
 * struct pfm_hardware_sample - data that the hardware recorded at an overflow
 * @counters: the counters whose overflows this data describes; all ones if the hardware records the
 *	same data for all counters
 * @ip: address of the instruction that made the counter overflow; 0 if it was not recorded
 * @is_kernel: whether the data is about the kernel; if so, the core withholds it from users who may
 *	not see the kernel
 * @payload: other recorded data, or NULL; the header of the register map documents its layout
 * @payload_size: size of @payload in bytes
 */
struct pfm_hardware_sample {
	u64 counters;
	u64 ip;
	bool is_kernel;
	const void *payload;
	u32 payload_size;
};

/**
 * struct pfm_overflow_result - result of an overflow interrupt
 * @next: registers of the set that counts next; the handler starts this set.  NULL if no set
 *	counts on this CPU now
 * @ours: whether a counter of the running set had overflowed.  If none had, perhaps another device
 *	raised the shared interrupt or the NMI.  @next is valid in any case.
 */
struct pfm_overflow_result {
	struct pfm_registers *next;
	bool ours;
};

/**
 * pfm_overflow() - handle an overflow interrupt
 * @pmu: PMU of the interrupt
 * @regs: registers of the interrupted code
 * @noted: array of the data that the hardware recorded.  It ends with an element whose @counters is
 *	0.  The array must stay valid until pfm_overflow() returns.  If several elements are about
 *	the same counter, the first one is used.  @noted is NULL if the hardware records nothing.
 *
 * Called by the PMU module's handler, in an interrupt or NMI, on the CPU of the overflow,
 * with the counters of the running set halted.  The core calls overflows(), records the
 * overflows and acknowledges them.
 */
struct pfm_overflow_result pfm_overflow(const struct pfm_pmu *pmu, struct pt_regs *regs,
					const struct pfm_hardware_sample *noted);

/**
 * pfm_running_registers() - registers of the set that counts on this CPU
 * @pmu: the caller's PMU
 *
 * Called with interrupts off, perhaps in an NMI.
 *
 * Return: the registers; NULL if no set of this PMU counts here.
 */
struct pfm_registers *pfm_running_registers(const struct pfm_pmu *pmu);

/**
 * struct pfm_running - the sets that count on a CPU, for a PMU with independent counters
 * @thread: registers of the set that counts for the running thread; NULL if there is none
 * @cpu: registers of the set that counts for the system-wide context; NULL if there is none
 */
struct pfm_running {
	struct pfm_registers *thread;
	struct pfm_registers *cpu;
};

/**
 * pfm_running_sets() - pfm_running_registers() for PMUs with independent counters
 * @pmu: the caller's PMU
 *
 * Called with interrupts off, perhaps in an NMI.
 */
struct pfm_running pfm_running_sets(const struct pfm_pmu *pmu);

/**
 * pfm_overflow_of() - pfm_overflow() for PMUs with independent counters
 * @pmu: PMU of the interrupt
 * @running: one of the two sets that pfm_running_sets() returned, not NULL.  Its counters are
 *	halted, or the module makes sure that their interrupts do not call the core during this call
 * @regs: registers of the interrupted code
 *
 * Return: the same as pfm_overflow(), but for the set @running only.  "next" is the next set of the
 * same context, and "ours" says whether a counter of @running had overflowed.
 */
struct pfm_overflow_result pfm_overflow_of(const struct pfm_pmu *pmu,
					   const struct pfm_registers *running,
					   struct pt_regs *regs);

/**
 * pfm_registers_lost() - report that this CPU's registers have changed
 *
 * The core then writes all registers at the next start.  Called with interrupts off.  While a set
 * counts on this CPU, only registers that this set does not use may have changed.  A module calls
 * this function, for example, on each CPU that comes online, unless a CPU's registers keep their
 * values while the CPU is offline.
 */
void pfm_registers_lost(void);

/**
 * pfm_cpu_pause() - halt the PMU's counters on this CPU before their values are lost
 * @pmu: the caller's PMU
 *
 * The core saves the values.  A module calls this function in a callback that the kernel calls when
 * it suspends the machine (linux/syscore_ops.h).  Interrupts off.
 */
void pfm_cpu_pause(const struct pfm_pmu *pmu);

/**
 * pfm_cpu_resume() - undo pfm_cpu_pause()
 * @pmu: the caller's PMU
 *
 * The core writes all registers again.  Before the call, the caller must prepare the registers as
 * it does on a CPU that comes online.  Interrupts off.
 */
void pfm_cpu_resume(const struct pfm_pmu *pmu);

/**
 * pfm_cpu_goes_offline() - unload the system-wide contexts of this CPU
 *
 * A module needs this function if it clears the registers of a CPU that goes offline.  Its hotplug
 * callback calls this function on that CPU before it clears the registers, because a system-wide
 * context may still be counting there.  The callback may also run because the module releases the
 * hardware.  The CPU then stays online, and this function does nothing.
 */
void pfm_cpu_goes_offline(void);

/* Return: a mask of the low @width bits; @width is 1 to 64. */
static inline u64 pfm_width_mask(unsigned int width)
{
	return ~0ull >> (64 - width);
}

/**
 * pfm_pmd_merge() - combine the upper bits of a value in memory with its low bits in
 * hardware
 * @value: 64-bit value in memory
 * @hardware: value of the hardware register
 * @mask: pfm_width_mask() of the register
 */
static inline u64 pfm_pmd_merge(u64 value, u64 hardware, u64 mask)
{
	return (value & ~mask) | (hardware & mask);
}

/*
 * Iterate @bit over the bits that are set in the 64-bit @word, lowest first; @rest is a helper
 * variable.
 */
#define pfm_for_each_bit(bit, rest, word)                                                \
	for ((rest) = (word); (rest) && ((bit) = __builtin_ctzll(rest), true);           \
	     (rest) &= (rest)-1)

#endif
