/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the author of a PMU description includes, and nothing else.
 *
 * A PMU description is a module that says which registers a PMU has and moves
 * values between them and memory.  It knows nothing of contexts, threads,
 * permissions, 64-bit emulation or sampling: that is the core's.
 *
 * It fills a struct pfm_pmu, registers it at module init if the CPU is one it
 * knows, and unregisters it at exit.  It says by PFM_PMU_ALIAS which processors it is for.
 * There may be several PMUs; a context has one of them.
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
struct module;
struct pfm_pmu;
struct pt_regs;
struct task_struct;

/*
 * The number of this interface, struct pfm_pmu.interface.  It changes whenever something
 * in this header does that a compiled module depends on.
 */
#define PFM_PMU_INTERFACE	 1

/*
 * MODULE_ALIAS(PFM_PMU_ALIAS(processor)) has a module loaded when a context is made that
 * names no PMU, while none is registered.  The core asks for the processor's own, as
 * "arm64:midr410fd070" (MIDR_EL1), "powerpc:pvr004e1200" (PVR) or
 * "x86:ven0000fam0006mod008f" (the kernel's numbers of vendor, family and model; all
 * hexadecimal, in lower case), and the alias of a module is a pattern as in fnmatch(3).
 * If that leads to no PMU, the core asks for "fallback".
 */
#define PFM_PMU_ALIAS(processor) "perfmon-pmu:" processor

/* With the zero at the end: struct pfm_info.pmu_name. */
#define PFM_PMU_NAME_SIZE	 sizeof_field(struct pfm_info, pmu_name)

/* struct pfm_pmu.rank */
#define PFM_RANK_HARDWARE	 0
#define PFM_RANK_SOFTWARE	 100

/* Counters that can overflow are among the first 64 PMDs: one word says all. */
#define PFM_MAX_COUNTERS	 64
#define PFM_MAX_CONFIG		 16 /* words that follow from a set's configuration */

/* Registers of hardware, one bit each: so many words. */
#define PFM_HARDWARE_BV		 (PFM_MAX_HARDWARE / 64)

/* Kinds of register, struct pfm_register.type */
#define PFM_REG_COUNTER		 BIT(0) /* PMD counts events and overflows */
#define PFM_REG_READ_ONLY	 BIT(1) /* PMD that cannot be written; all from 64 on */
#define PFM_REG_NO_EMUL64	 BIT(2) /* PMC accepts PFM_REGFL_NO_EMUL64 */
#define PFM_REG_SAMPLED		 BIT(3) /* PMD that only samples record, and nothing else reads */
#define PFM_REG_NO_LEVELS	 BIT(4) /* PMC: its counters tell no more than /proc does */

/**
 * struct pfm_register - a PMC or a PMD
 * @name: name in the manual; NULL if there is no register of this number
 * @type: PFM_REG_*
 * @width: bits that a PMD has in hardware, 1 to 64
 * @default_value: value of a PMC in a fresh context
 * @reserved: bits of a PMC that keep @default_value whatever is written
 * @user_set: bits of a PMC that are set, whatever is written, in a context that may
 *	count at user level only, and in its @default_value there
 * @user_clear: bits of a PMC that are cleared there
 * @address: its number in hardware, for /sys/kernel/perfmon only
 * @counters: PMC: the counters below 64 that it drives
 *
 * Of the PMCs that drive a counter, one at least has @user_set or @user_clear, which
 * keep it from counting at kernel level, or PFM_REG_NO_LEVELS: a description that leaves
 * it open is not registered.
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
 * @used_pmcs: PMCs below 256 that drive a counter in use, or that were written and
 *	drive none: they have to be in place while the set counts.  On hardware that
 *	others use beside us those, and no others, are to be programmed.
 * @used_pmds: PMDs below 256 in use: those, and no others, are to be counted,
 *	saved and restored
 * @counters: @used_pmds below 64 that are counters
 * @interrupting: @counters whose overflow has to interrupt
 * @pmcs: values
 * @pmds: 64-bit values; the hardware holds the low @width bits, see
 *	pfm_pmd_merge()
 * @config: the PMU module's own: what configure() works out from the fields above, and
 *	nobody else changes.  Zero in a fresh set.  A copy of the set has a copy of it.
 * @state: the PMU module's own: what changes while the set counts, one word for each
 *	PMD below 64.  Operations may change it on the CPU where the set counts (write_pmds,
 *	start, stop, read, acknowledge and the interrupt handler), configure() may not.
 *	Zero in a fresh set, and in a copy of one.
 * @task: the monitored thread
 * @resumed: this start goes on after the thread was switched out, it is not one
 *	that the user asked for
 *
 * Owned by the core.  The operations below may read all of it, and write @pmds
 * (in stop), @config (in configure) and @state.
 */
struct pfm_registers {
	u64 used_pmcs[PFM_HARDWARE_BV];
	u64 used_pmds[PFM_HARDWARE_BV];
	u64 counters;
	u64 interrupting;
	struct task_struct *task;
	bool resumed;
	u64 pmcs[PFM_MAX_HARDWARE];
	u64 pmds[PFM_MAX_HARDWARE];
	u64 config[PFM_MAX_CONFIG];
	u64 state[PFM_MAX_COUNTERS];
};

/**
 * struct pfm_session - a context that is loaded on a thread
 * @pmu: the PMU of the context
 * @task: the thread
 * @privileged: the user may see the kernel: who loads it holds CAP_PERFMON, and the context
 *	is not one that counts at user level only
 * @why: load() may write here, in a few words, why it refuses; users read it
 * @sets: the core's
 */
struct pfm_session {
	const struct pfm_pmu *pmu;
	struct task_struct *task;
	bool privileged;
	char why[40];
	const struct list_head *sets;
};

/**
 * pfm_session_next() - registers of the next event set of a context
 * @session: argument of load() or unload()
 * @registers: those of the set before it; NULL for the first
 *
 * Return: NULL if there is no other.
 */
const struct pfm_registers *pfm_session_next(const struct pfm_session *session,
					     const struct pfm_registers *registers);

/**
 * struct pfm_pmu_operations - how to move the values
 *
 * Those marked "hot" are called on the CPU concerned with interrupts off, may
 * interrupt nothing and wait for nothing, and can be interrupted only by an NMI
 * of the same PMU.  The core calls them in the order write_pmcs, write_pmds,
 * start, ..., stop; it leaves out what is still in place: write_pmcs when
 * this CPU was last programmed with the same values, write_pmds when its
 * counters have not been touched since the set was saved there.  Before start
 * pfm_running_registers() names the set already, from before stop on it does not:
 * a handler that comes between finds nobody running and must leave overflows
 * where overflows() finds them.
 *
 * @claim: take PMDs @pmds (PFM_HARDWARE_BV words), and the PMCs that drive them, on all
 *	CPUs of the PMU; process context, may sleep, CPU hotplug held off.  Called when a
 *	context is loaded that uses PMDs which no loaded context has used yet, or when
 *	a loaded one brings them into use; others may be counting meanwhile.  0 or a
 *	negative errno, and then nothing is taken.  -EBUSY is for what somebody else has,
 *	and pfm_pmu_blame() says who.  Hardware that can only be had as a whole is taken at
 *	the first call.
 * @release: give @pmds back; process context, may sleep, CPU hotplug held off.  Called
 *	when no loaded context uses them any more; others may be counting.
 *	Hardware that nobody else could have needs neither this nor @claim.
 * @held_by_others: set in @pmds (PFM_HARDWARE_BV words) what @claim could not have at
 *	the moment; process context, may sleep; optional
 * @load: a context is about to be loaded on a thread, its registers as they are now:
 *	PMCs and PMDs that are written later are not shown.  Returns 0, or what the load
 *	fails with; then nothing of it may be left.  Called by the loader (current), in
 *	process context, may sleep; optional.
 * @unload: the opposite, once for each @load that returned 0, also if the load fails
 *	after that: by the user, or because the thread or the context ends.  On the CPU
 *	where the thread runs, or on any if it does not; nothing counts for it any more;
 *	interrupts off, perhaps in the scheduler's way: wait for nothing, allocate and
 *	free nothing; optional.
 * @check_pmc: whether PMC @n can have the value (reserved bits are done), which it
 *	may change; process context, may sleep; optional.
 * @configure: PMC values, @counters or @interrupting of a set have changed; puts into
 *	@config what write_pmcs and start need not find out each time.  Interrupts
 *	off, on any CPU, the set counts nowhere; optional.
 * @write_pmcs: hot; program @used_pmcs, and that of @counters those @interrupting may
 *	interrupt (or leave that to start).  @programmed are the registers that this was
 *	last called with on this CPU and have not changed since, or NULL if that is not
 *	known: what is the same in both need not be written.
 * @write_pmds: hot; load @pmds, of @used_pmds those below 64 or, after an overflow,
 *	some of them.
 * @start: hot; let @counters run.  One register write where there is a global
 *	or per-counter enable.
 * @stop: hot; halt @counters, then what read does, with @pmds of the set itself as
 *	@values.  On return nothing counts any more.
 * @read: hot; put the 64-bit values of @used_pmds, which may run, into @values by
 *	their numbers: pfm_pmd_merge() of what is in memory and in hardware.
 *	Returns what overflows() says when all has been read.
 * @sample: hot; counters halted, after an overflow: put those of @pmds (a map, by number)
 *	that are PFM_REG_SAMPLED into @values by their numbers.  Needed by a PMU that has
 *	such registers.
 * @overflows: hot; the @counters that wrapped and were not acknowledged; needed by
 *	a PMU that calls pfm_overflow().
 * @acknowledge: hot; forget these overflows.  The core has noted them.
 */
struct pfm_pmu_operations {
	int (*claim)(struct pfm_pmu *pmu, const u64 *pmds);
	void (*release)(struct pfm_pmu *pmu, const u64 *pmds);
	void (*held_by_others)(const struct pfm_pmu *pmu, u64 *pmds);
	int (*load)(struct pfm_session *session);
	void (*unload)(const struct pfm_session *session);
	bool (*check_pmc)(unsigned int n, u64 *value);
	void (*configure)(struct pfm_registers *registers);
	void (*write_pmcs)(const struct pfm_registers *registers,
			   const struct pfm_registers *programmed);
	void (*write_pmds)(struct pfm_registers *registers, u64 pmds);
	void (*start)(struct pfm_registers *registers);
	u64 (*stop)(struct pfm_registers *registers);
	u64 (*read)(struct pfm_registers *registers, u64 *values);
	void (*sample)(const struct pfm_registers *registers, const u64 *pmds,
		       u64 *values);
	u64 (*overflows)(const struct pfm_registers *registers);
	void (*acknowledge)(struct pfm_registers *registers, u64 counters);
};

/* Virtual PMDs that a PMU module may have: from PFM_VIRTUAL_PMU_BASE on. */
#define PFM_MAX_PMU_VIRTUAL (PFM_MAX_PMDS - PFM_VIRTUAL_PMU_BASE)

/**
 * struct pfm_virtual_pmd - what a PMU module knows of a monitored thread or of the
 * machine: a PMD like any other, which can be read, recorded in samples and, if it
 * counts, reset
 * @name: as people shall see it in pmu_desc
 * @is_state: @read tells how it is now.  Otherwise the PMD counts, in each event set,
 *	by how much @read has grown while that was active and monitoring.
 * @read: the value for the thread @task.  On the CPU where that runs, or on any if it
 *	does not; interrupts off, perhaps from NMI.
 */
struct pfm_virtual_pmd {
	const char *name;
	bool is_state;
	u64 (*read)(const struct task_struct *task);
};

/**
 * struct pfm_pmu - a PMU description
 * @interface: PFM_PMU_INTERFACE; the first field for good, because registration looks at
 *	nothing else before it
 * @name: kind of PMU, the module's name after "perfmon_"; letters, digits, underscores
 * @model: model as people know it
 * @id: model as the CPU tells it, or 0
 * @operations: see there
 * @pmcs: registers 0 .. @pmc_count - 1, at most PFM_MAX_HARDWARE
 * @pmds: registers 0 .. @pmd_count - 1, at most PFM_MAX_HARDWARE
 * @pmc_count: length of @pmcs
 * @pmd_count: length of @pmds
 * @virtuals: its own virtual PMDs, PFM_VIRTUAL_PMU_BASE and on; optional
 * @virtual_count: length of @virtuals, at most PFM_MAX_PMU_VIRTUAL
 * @rank: PFM_RANK_*, or between: contexts that name no PMU have the one of the lowest
 *	rank, and of equal ones that which was registered first
 * @cpus: CPUs that have this PMU; empty means all.  More of them may be added later.
 * @owner: the core's: its module
 * @is_partial: the core's: some CPU does not have it
 * @node: the core's
 * @claims: the core's
 * @facts: the core's
 * @directory: the core's
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
	struct module *owner;
	bool is_partial;
	struct list_head node;
	struct pfm_claims *claims;
	struct pfm_pmu_facts *facts;
	struct pfm_pmu_directory *directory;
};

/**
 * pfm_pmu_register() - make a PMU the machine's
 * @pmu: filled in up to @cpus; static
 *
 * Who has the hardware at the moment does not matter: contexts are told when they are
 * loaded.  Process context, may sleep.
 *
 * Return: 0, -ENOEXEC if the module was built for another PFM_PMU_INTERFACE, -EBUSY if
 * there is one of that name, -EINVAL if the description is not consistent, -ENOMEM.
 */
#define pfm_pmu_register(pmu) __pfm_pmu_register(pmu, THIS_MODULE)
int __pfm_pmu_register(struct pfm_pmu *pmu, struct module *owner);

/**
 * pfm_pmu_unregister() - take it back; the module's reference count says that
 * no context uses it.  Process context, may sleep.
 * @pmu: one that was registered
 */
void pfm_pmu_unregister(struct pfm_pmu *pmu);

#define PFM_WHOLE_PMU (~0u)

/**
 * pfm_pmu_blame() - say who holds what claim() cannot have, from there
 * @holder: a word or two, copied; up to 39 bytes
 * @pmd: the PMD that is held, or PFM_WHOLE_PMU
 */
void pfm_pmu_blame(const char *holder, unsigned int pmd);

/**
 * struct pfm_hardware_sample - what the hardware itself noted of an overflow
 * @counters: the counters whose overflow this is about; all ones if it notes one thing for
 *	whichever overflowed
 * @ip: the instruction that made the counter overflow, 0 if it did not note that
 * @is_kernel: it was in the kernel: of no concern to a user who may not see that
 * @payload: what else it noted, laid out as the header of the register map says; or NULL
 * @payload_size: bytes of @payload
 */
struct pfm_hardware_sample {
	u64 counters;
	u64 ip;
	bool is_kernel;
	const void *payload;
	u32 payload_size;
};

/**
 * struct pfm_overflow_result - what became of an overflow interrupt
 * @next: registers of the set that has to go on, for start(); NULL if nothing is to count
 *	on this CPU now
 * @ours: a counter of the running set had overflowed.  If not, the interrupt of a line or
 *	an NMI that others have, too, may be theirs; @next holds all the same.
 */
struct pfm_overflow_result {
	struct pfm_registers *next;
	bool ours;
};

/**
 * pfm_overflow() - tell the core of an overflow interrupt
 * @pmu: of which PMU
 * @regs: interrupted registers
 * @noted: what the hardware noted of the overflows, valid until this returns: an array that
 *	ends with an element without @counters; of several about a counter the first one
 *	counts.  NULL if the hardware notes nothing.
 *
 * Called by the PMU module's interrupt handler, interrupt or NMI, on the CPU
 * concerned, with the counters of the running set halted.  The core asks
 * overflows(), notes and acknowledges them.
 */
struct pfm_overflow_result pfm_overflow(const struct pfm_pmu *pmu, struct pt_regs *regs,
					const struct pfm_hardware_sample *noted);

/**
 * pfm_running_registers() - registers of the set that counts on this CPU
 * @pmu: of which PMU
 *
 * Interrupts off or NMI.
 *
 * Return: NULL if none does, or one of another PMU.
 */
struct pfm_registers *pfm_running_registers(const struct pfm_pmu *pmu);

/**
 * pfm_registers_lost() - tell the core that this CPU's registers have been
 * changed by somebody else, so that it relies on none of them.  Interrupts off;
 * what counts on this CPU, if anything does, has not been changed.  For each CPU that
 * comes online, too, unless its registers keep what they hold.
 */
void pfm_registers_lost(void);

/* The low @width bits, 1 to 64. */
static inline u64 pfm_width_mask(unsigned int width)
{
	return ~0ull >> (64 - width);
}

/**
 * pfm_pmd_merge() - a 64-bit value from its upper part in memory and its lower
 * part in hardware
 * @value: 64-bit value as it was
 * @hardware: what the register holds
 * @mask: pfm_width_mask() of the register
 */
static inline u64 pfm_pmd_merge(u64 value, u64 hardware, u64 mask)
{
	return (value & ~mask) | (hardware & mask);
}

/* Every bit of the 64-bit word @word, as @bit, lowest first; uses @rest. */
#define pfm_for_each_bit(bit, rest, word)                                                \
	for ((rest) = (word); (rest) && ((bit) = __builtin_ctzll(rest), true);           \
	     (rest) &= (rest)-1)

#endif
