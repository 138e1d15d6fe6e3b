// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling format "nway", see perfmon_nway.h.
 *
 * The header of the buffer counts the regions that have been filled and those that have been handed
 * back.  The regions from number "released" to number "filled" - 1 belong to the user; the others
 * belong to the kernel.  Handler and restart need no lock: the core never calls them at the same
 * time.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <perfmon/perfmon_nway.h>
#include "perfmon_format.h"

static u64 largest_entry(unsigned int pmds)
{
	return sizeof(struct pfm_dfl_smpl_entry) + pmds * sizeof(u64);
}

static u64 region_offset(u32 regions)
{
	return sizeof(struct pfm_nway_hdr) + regions * sizeof(struct pfm_nway_region);
}

static int nway_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct pfm_nway_arg *argument = setup->argument;

	if (!argument || argument->flags ||
	    memchr_inv(argument->reserved, 0, sizeof(argument->reserved)))
		return -EINVAL;
	if (argument->regions < 2 || argument->regions > PFM_NWAY_MAX_REGIONS ||
	    argument->region_size % sizeof(u64) ||
	    argument->region_size < largest_entry(setup->pmds))
		return -EINVAL;
	/* If the sum overflows, size_add() returns SIZE_MAX, and the core refuses this size. */
	*size = size_add(region_offset(argument->regions),
			 size_mul(argument->regions, argument->region_size));
	return 0;
}

static int nway_init(struct pfm_format_instance *instance,
		     const struct pfm_format_setup *setup)
{
	const struct pfm_nway_arg *argument = setup->argument;
	struct pfm_nway_hdr *header = instance->buffer;

	header->version = PFM_NWAY_VERSION;
	header->regions = argument->regions;
	header->region_size = argument->region_size;
	header->region_offset = region_offset(argument->regions);
	header->largest_entry = largest_entry(setup->pmds);
	return 0;
}

/* @n: the count "filled" or "released", so it may exceed the number of regions. */
static struct pfm_nway_region *region(struct pfm_nway_hdr *header, u64 n)
{
	return (struct pfm_nway_region *)(header + 1) + n % header->regions;
}

static void *memory_of(struct pfm_nway_hdr *header, u64 n)
{
	return (void *)header + header->region_offset +
	       n % header->regions * header->region_size;
}

static bool none_is_free(const struct pfm_nway_hdr *header)
{
	return header->filled - header->released == header->regions;
}

/* Return: whether the region is full now. */
static bool write_entry(struct pfm_nway_hdr *header, const struct pfm_sample *sample)
{
	struct pfm_nway_region *filling = region(header, header->filled);
	struct pfm_dfl_smpl_entry *entry =
		memory_of(header, header->filled) + filling->size;
	void *end;

	pfm_sample_write(entry, sample);
	end = pfm_sample_write_values((u64 *)(entry + 1), sample);
	WRITE_ONCE(filling->size, filling->size + (end - (void *)entry));
	pfm_format_publish(&filling->count, filling->count + 1);
	return header->region_size - filling->size < header->largest_entry;
}

static u32 nway_handler(struct pfm_format_instance *instance,
			const struct pfm_sample *sample)
{
	struct pfm_nway_hdr *header = instance->buffer;
	u32 control = PFM_CONTROL_RESET;
	bool is_full = false;

	if (unlikely(none_is_free(header))) {
		WRITE_ONCE(header->lost, header->lost + 1);
		control |= PFM_CONTROL_LOST;
	} else {
		is_full = write_entry(header, sample);
		WRITE_ONCE(header->written, header->written + 1);
	}
	pfm_format_publish(&header->produced, header->produced + 1);
	if (likely(!is_full))
		return control;
	pfm_format_publish(&header->filled, header->filled + 1);
	return control | PFM_CONTROL_NOTIFY;
}

/*
 * Hand back the oldest full region.  If samples have been lost since the previous restart, all
 * other regions are full, too, and the handler fills this region next.  So the description of this
 * region gets the number of the lost samples.
 */
static int nway_restart(struct pfm_format_instance *instance, bool active)
{
	struct pfm_nway_hdr *header = instance->buffer;
	struct pfm_nway_region *freed = region(header, header->released);

	if (header->filled == header->released)
		return -EBUSY;
	*freed = (struct pfm_nway_region){
		.lost = header->lost - header->lost_told,
	};
	header->lost_told = header->lost;
	pfm_format_publish(&header->released, header->released + 1);
	return 0;
}

static void nway_throttled(struct pfm_format_instance *instance)
{
	struct pfm_nway_hdr *header = instance->buffer;

	WRITE_ONCE(header->throttled, header->throttled + 1);
}

static struct pfm_format nway_format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = PFM_NWAY_NAME,
	.uuid = PFM_NWAY_UUID,
	.version = PFM_NWAY_VERSION,
	.argument_size = sizeof(struct pfm_nway_arg),
	.flags = PFM_FORMAT_CONTINUOUS,
	.buffer_size = nway_buffer_size,
	.init = nway_init,
	.handler = nway_handler,
	.restart = nway_restart,
	.throttled = nway_throttled,
};
module_driver(nway_format, pfm_format_register, pfm_format_unregister);

MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_NWAY_NAME));
MODULE_ALIAS(PFM_FORMAT_ALIAS(PFM_NWAY_UUID));
MODULE_DESCRIPTION("perfmon: sampling format with several regions and without masking");
MODULE_LICENSE("GPL");
