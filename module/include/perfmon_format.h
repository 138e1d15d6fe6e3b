/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between the core and sampling formats.  A format includes this header and
 * no other header of the project.
 *
 * A sampling format is a module that gets each sample and decides what to store.  The core calls
 * the format for each overflow, and handles registers, threads and messages.  The core also
 * allocates the buffer that the format writes; the user can map this buffer read-only.
 *
 * A format fills a struct pfm_format, registers it at module init and unregisters it at
 * exit.  With these aliases the module is loaded when a program requests the format by
 * its name or UUID:
 *
 *	MODULE_ALIAS(PFM_FORMAT_ALIAS("name"));
 *	MODULE_ALIAS(PFM_FORMAT_ALIAS("UUID"));
 *
 * docs/writing-a-sampling-format.md has an example.
 */
#ifndef PERFMON_FORMAT_H
#define PERFMON_FORMAT_H

#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>
#include <perfmon/perfmon_ioctl.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <asm/barrier.h>

struct module;

/*
 * The number of this interface.  A module stores it in struct pfm_format.interface.  The number
 * changes with every change of this header that would break a compiled module.
 */
#define PFM_FORMAT_INTERFACE   1

#define PFM_FORMAT_ALIAS(name) "perfmon-format-" name

/**
 * struct pfm_sample - what the core tells a format about an overflow
 * @task: the monitored thread.  @task is not always current: an NMI may come when the
 *	thread's counters already run but the scheduler has not yet switched to the thread.
 *	In this case, the stack and the user memory are still those of the previous thread.
 * @regs: registers of the interrupted code.  If the overflow was found only when the thread
 *	left the CPU, these are the registers with which the thread entered the kernel.
 * @ip: address of the instruction that the hardware recorded or, if it recorded none, of the
 *	interrupted instruction.  If this address is in the kernel and the user may not see kernel
 *	addresses, @ip is the address at which the thread entered the kernel, or 0 if the thread
 *	runs no user code.
 * @ip_is_exact: true if the hardware recorded @ip
 * @payload: other data that the hardware recorded; the header of the register map defines the
 *	layout.  NULL if there is no such data or the user may not see it.
 * @payload_size: size of @payload in bytes
 * @time: time of the sample in ns of the scheduler's clock
 * @last_reset: value of @pmd when the sampling period began: the negative of the period's length
 * @event_id: reg_smpl_eventid of @pmd
 * @values: values of the PMDs in reg_smpl_pmds of @pmd, in ascending order of their
 *	numbers
 * @value_count: number of elements of @values
 * @tid: id of the thread in the pid namespace of the loader; for a system-wide context, in the pid
 *	namespace of the context's creator
 * @cpu: number of the CPU
 * @set: number of the event set
 * @tgid: id of the thread's process, in the same pid namespace as @tid
 * @pmd: number of the PMD that overflowed
 * @may_see_kernel: true if the user may see addresses of the kernel
 */
struct pfm_sample {
	struct task_struct *task;
	struct pt_regs *regs;
	u64 ip;
	const void *payload;
	u32 payload_size;
	bool ip_is_exact;
	u64 time;
	u64 last_reset;
	u64 event_id;
	const u64 *values;
	u32 value_count;
	u32 tid;
	/*
	 * The next three fields are laid out as in struct pfm_dfl_smpl_entry and are copied as
	 * one word.
	 */
	u16 cpu;
	u16 set;
	u32 tgid;
	u16 pmd;
	bool may_see_kernel;
};

/**
 * pfm_user_registers() - the registers with which a thread has entered the kernel
 * @task: the task of a sample, or current
 *
 * Kernel threads and the threads of io_uring run no user code.  If the kernel itself has created a
 * process, this process runs no user code before its first exec.  For a thread that runs no user
 * code, task_pt_regs() returns registers without a meaning, or NULL (copy_thread() of powerpc).
 *
 * Return: the registers, or NULL if the thread runs no user code.
 */
static inline struct pt_regs *pfm_user_registers(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	if (!regs || !user_mode(regs) || task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return NULL;
	return regs;
}

/* What the core does after a sample or at a restart: a bit mask. */
#define PFM_CONTROL_NOTIFY 0x1 /* notify the user if the PMD has PFM_REGFL_OVFL_NOTIFY */
#define PFM_CONTROL_RESET  0x2 /* give the PMDs their reset values */
#define PFM_CONTROL_MASK   0x4 /* mask monitoring; at a restart: leave it masked */
#define PFM_CONTROL_SWITCH 0x8 /* switch sets; with _MASK, only at the restart */
#define PFM_CONTROL_LOST   0x10 /* there was no room for the sample: count it as lost */

/* struct pfm_format.flags */
#define PFM_FORMAT_CONTINUOUS                                                            \
	0x1 /* monitoring continues while the user reads: a full queue of messages does  \
	     * not mask monitoring, and a restart needs no credit */

/**
 * struct pfm_format_setup - properties of the context that is being created
 * @argument: the user's argument, pfm_format.argument_size bytes, or NULL if there is none
 * @context_flags: PFM_FL_*
 * @pmds: maximum number of PMDs that can be recorded with a sample
 */
struct pfm_format_setup {
	const void *argument;
	u32 context_flags;
	unsigned int pmds;
};

/**
 * struct pfm_format_instance - a format in use by one context; with PFM_FL_INHERIT_*, there is
 * one instance for each CPU
 * @buffer: sampling buffer, which the user can map: page-aligned, zeroed before init;
 *	NULL if the context has none
 * @buffer_size: size of @buffer in bytes, as pfm_format.buffer_size() has set it
 * @private: pointer for the format's own use, for example to memory that the user must
 *	not see; NULL before init
 */
struct pfm_format_instance {
	void *buffer;
	u64 buffer_size;
	void *private;
};

/**
 * struct pfm_format - a sampling format
 * @interface: PFM_FORMAT_INTERFACE; always the first field, because registration checks this
 *	field before it reads any other field
 * @name: name by which programs request the format: up to 39 characters of a-z, 0-9, '_' and '-'
 * @uuid: UUID by which programs request the format: a string of 36 characters
 * @version: major << 16 | minor
 * @argument_size: size of the argument in bytes, up to 4096; 0 if the format has no argument
 * @argument_first_size: size of the argument's first version in bytes, if later versions are
 *	longer.  The core clears the bytes that an older program does not pass.  0 means the same as
 *	@argument_size.
 * @flags: PFM_FORMAT_*
 * @owner: the format's module; set by the core
 *
 * @buffer_size: checks the argument and sets the size of the buffer in bytes; 0 means no buffer.
 *	Returns 0 or a negative errno, such as -EINVAL for a bad argument; the creation of the
 *	context then fails with this errno.  Process context, may sleep.  Optional.
 * @init: sets up an instance: writes the buffer's header and sets @private.  Returns 0 or a
 *	negative errno; the creation of the context then fails with this errno.  Before @init
 *	returns an errno, it must undo what it did.  Allocations with GFP_KERNEL_ACCOUNT are charged
 *	to the user.  Process context, may sleep.  Optional.
 * @exit: frees @private.  Called once for each instance whose @init succeeded, even if the
 *	creation of the context fails later.  If @init is NULL, called once for each instance.  No
 *	other callback for this instance runs at the same time or later.  The user may still read
 *	the buffer; the core frees it after the context.  Process context, may sleep.  Optional.
 * @handler: handles a sample.  Called for each PMD that overflowed, in ascending order, with
 *	interrupts off, perhaps in an NMI.  Two calls for the same instance never run at the same
 *	time.  The handler must not wait or fault.  Returns PFM_CONTROL_*.
 * @restart: called at a restart.  @active is true if monitoring is not masked.  With
 *	PFM_FL_INHERIT_* monitoring is never masked; in this case @active is false if the handler
 *	has returned PFM_CONTROL_MASK.  Called with interrupts off while no handler runs.  Returns
 *	0, PFM_CONTROL_RESET, PFM_CONTROL_MASK or, if there is nothing to restart, -EBUSY.
 *	Optional.
 * @throttled: called when the event set is throttled for a tick.  Like @handler, it is called with
 *	interrupts off, perhaps in an NMI.  Optional.
 *
 * The user reads the buffer while the format writes it.  So the format must first write the data
 * and then publish the count or the offset that covers the data (pfm_format_publish()).
 */
struct pfm_format {
	u32 interface;
	const char *name;
	const char *uuid;
	u32 version;
	size_t argument_size;
	size_t argument_first_size;
	u32 flags;
	struct module *owner;
	int (*buffer_size)(const struct pfm_format_setup *setup, u64 *size);
	int (*init)(struct pfm_format_instance *instance,
		    const struct pfm_format_setup *setup);
	void (*exit)(struct pfm_format_instance *instance);
	u32 (*handler)(struct pfm_format_instance *instance,
		       const struct pfm_sample *sample);
	int (*restart)(struct pfm_format_instance *instance, bool active);
	void (*throttled)(struct pfm_format_instance *instance);
};

/**
 * pfm_format_register() - register a format
 * @format: a static object
 *
 * Process context, may sleep.
 *
 * Return: 0 or a negative errno: -ENOEXEC if the module was built for another PFM_FORMAT_INTERFACE,
 * -EBUSY if another format has the same name or UUID, -EINVAL if the description is incomplete, or
 * -ENOMEM.
 */
#define pfm_format_register(format) __pfm_format_register(format, THIS_MODULE)
int __pfm_format_register(struct pfm_format *format, struct module *owner);

/**
 * pfm_format_unregister() - unregister a format
 * @format: a registered format
 *
 * A module calls this when it is removed.  No context uses the format at that time, because each
 * context holds a reference to its format's module.  Process context, may sleep.
 */
void pfm_format_unregister(struct pfm_format *format);

/**
 * pfm_sample_callers() - get the callers that the hardware has recorded
 * @sample: the handler's argument
 * @to: array that gets the addresses of the program's call instructions, innermost first
 * @most: number of elements of @to
 *
 * Called by the handler.
 *
 * Return: number of addresses; 0 if the hardware has recorded no calls or cannot record
 * them, or if the context is system-wide.
 */
unsigned int pfm_sample_callers(const struct pfm_sample *sample, u64 *to,
				unsigned int most);

/* Store a count or an offset.  A reader that sees the new value also sees the data it covers. */
#define pfm_format_publish(pointer, value) smp_store_release(pointer, value)

/*
 * The linear buffer of formats "default" and "callchain": it begins with a struct pfm_dfl_smpl_hdr,
 * and the entries follow one after the other.
 */

/**
 * pfm_linear_init() - initialise the header of an empty buffer
 * @header: the header, at the beginning of the buffer
 * @size: size of the buffer in bytes
 * @largest: size of the largest entry in bytes
 * @version: version of the format
 */
static inline void pfm_linear_init(struct pfm_dfl_smpl_hdr *header, u64 size, u64 largest,
				   u32 version)
{
	header->hdr_buf_size = size;
	header->hdr_min_buf_space = largest;
	header->hdr_version = version;
	header->hdr_cur_offs = sizeof(*header);
}

/**
 * pfm_linear_next() - get the place of the next entry
 *
 * Return: the place, or NULL if the largest entry does not fit.  Before this function returns NULL,
 * it counts the sample as lost; the handler must then return pfm_linear_full().
 */
static inline void *pfm_linear_next(struct pfm_dfl_smpl_hdr *header)
{
	if (unlikely(header->hdr_buf_size - header->hdr_cur_offs <
		     header->hdr_min_buf_space)) {
		header->hdr_lost++;
		return NULL;
	}
	return (void *)header + header->hdr_cur_offs;
}

static inline u32 pfm_linear_full(void)
{
	return PFM_CONTROL_NOTIFY | PFM_CONTROL_MASK | PFM_CONTROL_LOST;
}

/**
 * pfm_linear_add() - publish an entry after its @size bytes have been written
 *
 * Return: the value that the handler must return.
 */
static inline u32 pfm_linear_add(struct pfm_dfl_smpl_hdr *header, u64 size)
{
	u64 offset = header->hdr_cur_offs + size;

	pfm_format_publish(&header->hdr_cur_offs, offset);
	pfm_format_publish(&header->hdr_count, header->hdr_count + 1);
	if (likely(header->hdr_buf_size - offset >= header->hdr_min_buf_space))
		return PFM_CONTROL_RESET;
	header->hdr_overflows++;
	return PFM_CONTROL_NOTIFY | PFM_CONTROL_MASK;
}

/* pfm_format.restart: empty the buffer, which the user has read. */
static inline int pfm_linear_restart(struct pfm_format_instance *instance, bool active)
{
	struct pfm_dfl_smpl_hdr *header = instance->buffer;

	WRITE_ONCE(header->hdr_count, 0);
	WRITE_ONCE(header->hdr_cur_offs, sizeof(*header));
	return PFM_CONTROL_RESET;
}

/* pfm_format.throttled: count the throttled tick. */
static inline void pfm_linear_throttled(struct pfm_format_instance *instance)
{
	struct pfm_dfl_smpl_hdr *header = instance->buffer;

	header->hdr_throttled++;
}

#define PFM_SAME_DISTANCE(member)                                                        \
	(offsetof(struct pfm_sample, member) - offsetof(struct pfm_sample, cpu) ==       \
	 offsetof(struct pfm_dfl_smpl_entry, member) -                                   \
		 offsetof(struct pfm_dfl_smpl_entry, cpu))
static_assert(PFM_SAME_DISTANCE(set) && PFM_SAME_DISTANCE(tgid));
static_assert(offsetof(struct pfm_sample, cpu) % sizeof(u64) == 0);
#undef PFM_SAME_DISTANCE

/* Write a sample as a struct pfm_dfl_smpl_entry. */
static inline void pfm_sample_write(struct pfm_dfl_smpl_entry *entry,
				    const struct pfm_sample *sample)
{
	entry->values = sample->value_count | PFM_SMPL_CLOCK_SCHEDULER << 12;
	entry->pid = sample->tid;
	entry->ovfl_pmd = sample->pmd;
	entry->last_reset_val = sample->last_reset;
	entry->ip = sample->ip;
	entry->tstamp = sample->time;
	/* In both structures, cpu, set and tgid are in the same 64-bit word. */
	*(u64 *)&entry->cpu = *(const u64 *)&sample->cpu;
}

/* Write the values of a sample to @to.  Return: a pointer to the first byte after the values. */
static inline void *pfm_sample_write_values(u64 *to, const struct pfm_sample *sample)
{
	const unsigned int count = sample->value_count;
	unsigned int i;

	for (i = 0; i < count; i++)
		to[i] = sample->values[i];
	return to + count;
}

#endif
