// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling format "hist", see perfmon_hist.h: a hash table with open addressing.
 * Entries are never deleted.  There is one writer, because the core calls the handler for
 * one sample at a time.  The order of the stores ensures that readers see consistent entries.
 */
#include <linux/device.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/string.h>
#include <perfmon/perfmon_hist.h>
#include "perfmon_format.h"

static int hist_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct pfm_hist_arg *argument = setup->argument;

	if (!argument || argument->flags ||
	    memchr_inv(argument->reserved, 0, sizeof(argument->reserved)))
		return -EINVAL;
	if (argument->entries < 16 || argument->entries > PFM_HIST_MAX_ENTRIES ||
	    !is_power_of_2(argument->entries))
		return -EINVAL;
	*size = sizeof(struct pfm_hist_hdr) +
		(u64)argument->entries * sizeof(struct pfm_hist_entry);
	return 0;
}

static int hist_init(struct pfm_format_instance *instance,
		     const struct pfm_format_setup *setup)
{
	const struct pfm_hist_arg *argument = setup->argument;
	struct pfm_hist_hdr *header = instance->buffer;

	header->version = PFM_HIST_VERSION;
	header->entries = argument->entries;
	return 0;
}

static bool is_entry_of(const struct pfm_hist_entry *entry,
			const struct pfm_sample *sample)
{
	return entry->ip == sample->ip && entry->tgid == sample->tgid &&
	       entry->pmd == sample->pmd && entry->set == sample->set;
}

/* Return: the index of the first entry to try. */
static u32 first_place(const struct pfm_hist_hdr *header, const struct pfm_sample *sample)
{
	u64 who = (u64)sample->pmd << 48 | (u64)sample->set << 32 | sample->tgid;

	return hash_64(sample->ip ^ hash_64(who, 64), ilog2(header->entries));
}

/*
 * Return: the entry of the sample or, if it has none yet, an unused entry.  NULL if other samples
 * use all of the PFM_HIST_NEIGHBOURS entries that this sample may use.
 */
static struct pfm_hist_entry *find(struct pfm_hist_hdr *header,
				   const struct pfm_sample *sample)
{
	struct pfm_hist_entry *table = (struct pfm_hist_entry *)(header + 1);
	u32 place = first_place(header, sample), i;

	for (i = 0; i < PFM_HIST_NEIGHBOURS; i++) {
		struct pfm_hist_entry *entry =
			&table[(place + i) & (header->entries - 1)];

		if (entry->count == 0 || is_entry_of(entry, sample))
			return entry;
	}
	return NULL;
}

static void begin(struct pfm_hist_hdr *header, struct pfm_hist_entry *entry,
		  const struct pfm_sample *sample)
{
	entry->tgid = sample->tgid;
	entry->set = sample->set;
	entry->pmd = sample->pmd;
	entry->ip = sample->ip;
	WRITE_ONCE(header->used, header->used + 1);
}

static u32 hist_handler(struct pfm_format_instance *instance,
			const struct pfm_sample *sample)
{
	struct pfm_hist_hdr *header = instance->buffer;
	struct pfm_hist_entry *entry = find(header, sample);
	u64 period = -sample->last_reset;
	u32 control = PFM_CONTROL_RESET;

	if (likely(entry)) {
		if (unlikely(entry->count == 0))
			begin(header, entry, sample);
		WRITE_ONCE(entry->sum, entry->sum + period);
		pfm_format_publish(&entry->count, entry->count + 1);
	} else {
		WRITE_ONCE(header->lost_sum, header->lost_sum + period);
		WRITE_ONCE(header->lost, header->lost + 1);
		control |= PFM_CONTROL_LOST;
	}
	pfm_format_publish(&header->produced, header->produced + 1);
	return control;
}

static void hist_throttled(struct pfm_format_instance *instance)
{
	struct pfm_hist_hdr *header = instance->buffer;

	WRITE_ONCE(header->throttled, header->throttled + 1);
}

static struct pfm_format hist_format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = PFM_HIST_NAME,
	.uuid = PFM_HIST_UUID,
	.version = PFM_HIST_VERSION,
	.argument_size = sizeof(struct pfm_hist_arg),
	.buffer_size = hist_buffer_size,
	.init = hist_init,
	.handler = hist_handler,
	.throttled = hist_throttled,
};
module_driver(hist_format, pfm_format_register, pfm_format_unregister);

MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_HIST_NAME));
MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_HIST_UUID));
MODULE_DESCRIPTION("perfmon: sampling format that adds up a profile");
MODULE_LICENSE("GPL");
