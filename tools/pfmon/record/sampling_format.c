// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's sampling formats. */
#include <string.h>

#include "sampling_format.h"

/*
 * pfmon writes a region to the file when the region is full. With many regions, samples get into
 * the file early, and the kernel has room for new samples while pfmon writes a region. But the
 * kernel sends a message for each full region. So if REGIONS regions would have less than
 * REGION_LEAST bytes each, the buffer gets fewer regions, but at least two.
 */
#define REGIONS	     16
#define REGION_LEAST 1500

static const char *const names[] = {
	[DATA_FORMAT_DEFAULT] = PFM_DFL_SMPL_NAME,
	[DATA_FORMAT_NWAY] = PFM_NWAY_NAME,
	[DATA_FORMAT_CALLCHAIN] = PFM_CALLCHAIN_NAME,
	[DATA_FORMAT_HIST] = PFM_HIST_NAME,
};

#define NAMES (sizeof(names) / sizeof(names[0]))

enum data_format sampling_format_find(const char *name)
{
	for (size_t i = DATA_FORMAT_DEFAULT; i < NAMES; i++)
		if (!strcmp(names[i], name))
			return (enum data_format)i;
	return 0;
}

const char *sampling_format_name(enum data_format format)
{
	return names[format];
}

static void nway_argument(uint64_t size, struct pfm_nway_arg *argument)
{
	uint32_t regions = REGIONS;

	while (regions > 2 && size / regions < REGION_LEAST)
		regions /= 2;
	size -= sizeof(struct pfm_nway_hdr) + regions * sizeof(struct pfm_nway_region);
	argument->regions = regions;
	argument->region_size = size / regions & ~7ull;
}

static void hist_argument(uint64_t size, struct pfm_hist_arg *argument)
{
	uint64_t room =
		(size - sizeof(struct pfm_hist_hdr)) / sizeof(struct pfm_hist_entry);

	argument->entries = 16;
	while (argument->entries < PFM_HIST_MAX_ENTRIES && argument->entries * 2 <= room)
		argument->entries *= 2;
}

void sampling_format_argument(enum data_format format, uint64_t size, bool has_recorded,
			      union sampling_argument *argument)
{
	memset(argument, 0, sizeof(*argument));
	switch (format) {
	case DATA_FORMAT_NWAY:
		nway_argument(size, &argument->nway);
		break;
	case DATA_FORMAT_HIST:
		hist_argument(size, &argument->hist);
		break;
	case DATA_FORMAT_CALLCHAIN:
		argument->callchain.buf_size = size;
		argument->callchain.flags = has_recorded ? PFM_CALLCHAIN_RECORDED
							 : PFM_CALLCHAIN_LINK;
		break;
	default:
		argument->linear.buf_size = size;
	}
}

size_t sampling_format_size(enum data_format format, const void *header)
{
	const struct pfm_nway_hdr *nway = header;
	const struct pfm_hist_hdr *hist = header;
	const struct pfm_dfl_smpl_hdr *linear = header;

	switch (format) {
	case DATA_FORMAT_NWAY:
		return nway->region_offset + nway->regions * nway->region_size;
	case DATA_FORMAT_HIST:
		return sizeof(*hist) + hist->entries * sizeof(struct pfm_hist_entry);
	default:
		return linear->hdr_buf_size;
	}
}
