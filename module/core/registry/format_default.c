// SPDX-License-Identifier: GPL-2.0-only
/* The sampling format "default", see perfmon_dfl_smpl.h. */
#include <linux/module.h>
#include <linux/string.h>

#include "format.h"

static u64 largest_entry(unsigned int pmds)
{
	return sizeof(struct pfm_dfl_smpl_entry) + pmds * sizeof(u64);
}

static int default_buffer_size(const struct pfm_format_setup *setup, u64 *size)
{
	const struct pfm_dfl_smpl_arg *argument = setup->argument;
	u64 least = sizeof(struct pfm_dfl_smpl_hdr) + largest_entry(setup->pmds);

	if (!argument || argument->buf_flags || argument->reserved1 ||
	    memchr_inv(argument->reserved, 0, sizeof(argument->reserved)) ||
	    argument->buf_size < least)
		return -EINVAL;
	*size = argument->buf_size;
	return 0;
}

static int default_init(struct pfm_format_instance *instance,
			const struct pfm_format_setup *setup)
{
	const struct pfm_dfl_smpl_arg *argument = setup->argument;
	struct pfm_dfl_smpl_hdr *header = instance->buffer;

	pfm_linear_init(header, argument->buf_size, largest_entry(setup->pmds),
			PFM_DFL_SMPL_VERSION);
	return 0;
}

static u32 default_handler(struct pfm_format_instance *instance,
			   const struct pfm_sample *sample)
{
	struct pfm_dfl_smpl_hdr *header = instance->buffer;
	struct pfm_dfl_smpl_entry *entry = pfm_linear_next(header);
	void *end;

	if (unlikely(!entry))
		return pfm_linear_full();
	pfm_sample_write(entry, sample);
	end = pfm_sample_write_values((u64 *)(entry + 1), sample);
	return pfm_linear_add(header, end - (void *)entry);
}

static struct pfm_format format = {
	.interface = PFM_FORMAT_INTERFACE,
	.name = PFM_DFL_SMPL_NAME,
	.uuid = PFM_DFL_SMPL_UUID,
	.version = PFM_DFL_SMPL_VERSION,
	.argument_size = sizeof(struct pfm_dfl_smpl_arg),
	.buffer_size = default_buffer_size,
	.init = default_init,
	.handler = default_handler,
	.restart = pfm_linear_restart,
	.throttled = pfm_linear_throttled,
};

int pfm_format_default_init(void)
{
	return pfm_format_register(&format);
}

void pfm_format_default_exit(void)
{
	pfm_format_unregister(&format);
}
