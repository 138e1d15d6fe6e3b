/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the author of a sampling format includes, and nothing else.
 *
 * A sampling format is a module that says what becomes of a sample: the core
 * gives it a buffer, which the user can map read-only, and calls it for each
 * overflow.  It knows nothing of registers, threads or messages: that is the core's.
 *
 * It fills a struct pfm_format, registers it at module init and unregisters it at
 * exit.  So that it is loaded when a program asks for it, by name or UUID, it has
 *
 *	MODULE_ALIAS(PFM_FORMAT_ALIAS("name"));
 *	MODULE_ALIAS(PFM_FORMAT_ALIAS("UUID"));
 *
 * docs/writing-a-sampling-format.md has an example of 60 lines.
 */
#ifndef PERFMON_FORMAT_H
#define PERFMON_FORMAT_H

#include <linux/types.h>
#include <perfmon/perfmon_ioctl.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <asm/barrier.h>

struct module;
struct pt_regs;
struct task_struct;

/*
 * The number of this interface, struct pfm_format.interface.  It changes whenever something
 * in this header does that a compiled module depends on.
 */
#define PFM_FORMAT_INTERFACE   1

#define PFM_FORMAT_ALIAS(name) "perfmon-format-" name

/**
 * struct pfm_sample - an overflow
 * @task: the monitored thread.  An NMI may come when its counters run already and the
 *	scheduler is still about to switch to it: then it is not current, and what is
 *	at addresses of the user is another program's
 * @regs: interrupted registers; those of user mode if the overflow only showed
 *	itself when the thread left the CPU
 * @ip: the instruction that the hardware noted; otherwise the interrupted one, or the last
 *	one in user mode if the user may not see the kernel's
 * @ip_is_exact: the hardware noted it
 * @payload: what else the hardware noted, as the header of the register map says; NULL if
 *	that is nothing, or not for this user
 * @payload_size: bytes of @payload
 * @time: ns of the scheduler's clock
 * @last_reset: value with which the PMD began; its negative is the period
 * @event_id: reg_smpl_eventid of the PMD
 * @values: of the PMDs to be recorded with this one, ascending by number
 * @value_count: number of @values
 * @tid: thread, as the one who loaded the context sees it
 * @cpu: CPU
 * @set: its event set
 * @tgid: process of the thread, as the one who loaded the context sees it
 * @pmd: the PMD that overflowed
 * @may_see_kernel: the user may see addresses of the kernel
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
	/* As in struct pfm_dfl_smpl_entry: pfm_sample_write() copies them as one word. */
	u16 cpu;
	u16 set;
	u32 tgid;
	u16 pmd;
	bool may_see_kernel;
};

/* What the core is to do after a sample, or at a restart; or-ed together. */
#define PFM_CONTROL_NOTIFY 0x1 /* send a message if the PMD has OVFL_NOTIFY */
#define PFM_CONTROL_RESET  0x2 /* give the PMDs their reset values */
#define PFM_CONTROL_MASK   0x4 /* suspend monitoring, or leave it so */
#define PFM_CONTROL_SWITCH 0x8 /* go to the next event set; with _MASK at the restart */

/* struct pfm_format.flags */
#define PFM_FORMAT_CONTINUOUS                                                            \
	0x1 /* monitoring goes on while the user works: a full queue of messages does    \
	     * not mask, and a restart needs no message before it */

/**
 * struct pfm_format_setup - what a context is created with
 * @argument: the user's argument, pfm_format.argument_size bytes, or NULL if there is none
 * @context_flags: PFM_FL_*
 * @pmds: PMDs that can be recorded with a sample at most
 */
struct pfm_format_setup {
	const void *argument;
	u32 context_flags;
	unsigned int pmds;
};

/**
 * struct pfm_format_instance - a format at work in one context
 * @buffer: what the user can map: zeroed before init, begins on a page; NULL if the
 *	context has none
 * @buffer_size: its bytes, as pfm_format.buffer_size said
 * @private: the format's own, NULL before init; for memory that the user is not to see,
 *	with or without a buffer beside it
 */
struct pfm_format_instance {
	void *buffer;
	u64 buffer_size;
	void *private;
};

/**
 * struct pfm_format - a sampling format
 * @interface: PFM_FORMAT_INTERFACE; the first field for good, because registration looks
 *	at nothing else before it
 * @name: by which programs ask for it: up to 39 of a-z, 0-9, '_' and '-'
 * @uuid: the same as text, 36 characters
 * @version: major << 16 | minor
 * @argument_size: bytes of the argument, up to 4096; 0: it takes none
 * @argument_first_size: bytes of its first version, if it has become longer since, at its
 *	end; what a program does not give of the rest is zero.  0: as @argument_size
 * @flags: PFM_FORMAT_*
 * @owner: its module; kept by the core
 *
 * @buffer_size: looks at the argument and says how many bytes the buffer has to have, 0 for
 *	none.  Returns 0, or what the creation fails with: -EINVAL for a bad argument.
 *	Process context, may sleep; optional.
 * @init: begins in a context: writes the buffer's header, sets @private.  Returns 0, or
 *	what the creation fails with; nothing of it may be left then.  What it allocates
 *	with GFP_KERNEL_ACCOUNT counts as the user's.  Process context, may sleep;
 *	optional.
 * @exit: the end in a context: frees @private.  Comes once for each @init that succeeded
 *	(or that there was not), also if the creation fails after that.  No other callback
 *	runs meanwhile, nor comes after it.  The user may still read the buffer: it is the
 *	core's and outlives the context.  Process context, may sleep; optional.
 * @handler: takes a sample.  Called for each PMD that overflowed, ascending, with
 *	interrupts off, perhaps from NMI; never twice at a time for an instance.  It may
 *	wait for nothing and fault nowhere.  Returns PFM_CONTROL_*.
 * @restart: the user has worked on what he was notified of.  @active: monitoring is not
 *	masked.  Interrupts off, no handler running.  Returns PFM_CONTROL_RESET, _MASK,
 *	or -EBUSY if there is nothing to restart; optional.
 * @throttled: the event set counts nothing for a tick because of too many interrupts.  As
 *	@handler; optional.
 *
 * The user reads the buffer while it is written: what a count or an offset takes in is
 * to be there before, see pfm_format_publish().
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
 * pfm_format_register() - make a format known
 * @format: static
 *
 * Process context, may sleep.
 *
 * Return: 0, -ENOEXEC if the module was built for another PFM_FORMAT_INTERFACE, -EBUSY if
 * its name or UUID is taken, -EINVAL if the description is not complete, -ENOMEM.
 */
#define pfm_format_register(format) __pfm_format_register(format, THIS_MODULE)
int __pfm_format_register(struct pfm_format *format, struct module *owner);

/**
 * pfm_format_unregister() - take it back; the module's reference count says that no
 * context uses it.  Process context, may sleep.
 * @format: one that was registered
 */
void pfm_format_unregister(struct pfm_format *format);

/* After all that it takes in has been written: let the user see it. */
#define pfm_format_publish(pointer, value) smp_store_release(pointer, value)

/*
 * The linear buffer of formats "default" and "callchain": struct pfm_dfl_smpl_hdr,
 * then entries one after the other.
 */

/**
 * pfm_linear_init() - an empty buffer
 * @header: head of the buffer
 * @size: its bytes
 * @largest: bytes of the largest entry
 * @version: of the format
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
 * pfm_linear_next() - where the next entry goes
 *
 * Return: NULL if there is no room for the largest; the sample is counted as lost then
 * and the handler returns pfm_linear_full().
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
	return PFM_CONTROL_NOTIFY | PFM_CONTROL_MASK;
}

/**
 * pfm_linear_add() - take in the entry that was written, of @size bytes
 *
 * Return: what the handler returns.
 */
static inline u32 pfm_linear_add(struct pfm_dfl_smpl_hdr *header, u64 size)
{
	u64 offset = header->hdr_cur_offs + size;

	pfm_format_publish(&header->hdr_cur_offs, offset);
	pfm_format_publish(&header->hdr_count, header->hdr_count + 1);
	if (likely(header->hdr_buf_size - offset >= header->hdr_min_buf_space))
		return PFM_CONTROL_RESET;
	header->hdr_overflows++;
	return pfm_linear_full();
}

/* pfm_format.restart: the buffer has been read. */
static inline int pfm_linear_restart(struct pfm_format_instance *instance, bool active)
{
	struct pfm_dfl_smpl_hdr *header = instance->buffer;

	WRITE_ONCE(header->hdr_count, 0);
	WRITE_ONCE(header->hdr_cur_offs, sizeof(*header));
	return PFM_CONTROL_RESET;
}

/* pfm_format.throttled */
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

/* A sample as struct pfm_dfl_smpl_entry. */
static inline void pfm_sample_write(struct pfm_dfl_smpl_entry *entry,
				    const struct pfm_sample *sample)
{
	entry->values = sample->value_count | PFM_SMPL_CLOCK_SCHEDULER << 12;
	entry->pid = sample->tid;
	entry->ovfl_pmd = sample->pmd;
	entry->last_reset_val = sample->last_reset;
	entry->ip = sample->ip;
	entry->tstamp = sample->time;
	/* cpu, set and tgid lie in both in one word. */
	*(u64 *)&entry->cpu = *(const u64 *)&sample->cpu;
}

/* Its values, at @to.  Return: the first byte behind them. */
static inline void *pfm_sample_write_values(u64 *to, const struct pfm_sample *sample)
{
	const unsigned int count = sample->value_count;
	unsigned int i;

	for (i = 0; i < count; i++)
		to[i] = sample->values[i];
	return to + count;
}

#endif
