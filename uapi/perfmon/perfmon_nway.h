/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "nway": a buffer of several regions, monitoring never stops.
 *
 * Entries, those of format "default", go to one region; when it is full a message is
 * sent (if the PMD has PFM_REGFL_OVFL_NOTIFY) and the next region is filled.  The
 * user reads full regions in order and hands each back by pfm_restart(), which fails
 * with EBUSY if none is full.  If no region is free samples are counted as lost.  Once
 * the thread has ended nothing is handed back any more: the rest is read as it stands.
 *
 * The buffer: struct pfm_nway_hdr, a struct pfm_nway_region for each region, and
 * from @region_offset on the regions, @region_size bytes each.
 */
#ifndef _PERFMON_PERFMON_NWAY_H
#define _PERFMON_PERFMON_NWAY_H

#include <perfmon/perfmon_dfl_smpl.h>

#define PFM_NWAY_NAME	     "nway"
#define PFM_NWAY_UUID	     "a58d2c1e-6f0b-4a3d-9b52-3c6e0d7f1a94"
#define PFM_NWAY_VERSION     0x10001u /* 1.1: entries as in version 1.1 of "default" */
#define PFM_NWAY_MAX_REGIONS 1024

/**
 * struct pfm_nway_arg - argument of the format at creation, 64 bytes
 * @region_size: in: bytes of a region, a multiple of 8, one entry with the values of
 *	all PMDs of the PMU at least
 * @regions: in: number of regions, 2 to PFM_NWAY_MAX_REGIONS
 * @flags: in: 0
 * @reserved: in: 0
 *
 * EINVAL if one of these does not hold, or there is no argument.
 */
struct pfm_nway_arg {
	__u64 region_size;
	__u32 regions;
	__u32 flags;
	__u64 reserved[6];
};

/**
 * struct pfm_nway_hdr - head of the buffer, 128 bytes
 * @version: PFM_NWAY_VERSION
 * @regions: number of regions
 * @region_size: bytes of each
 * @region_offset: bytes from the head to the first
 * @filled: regions that have become full; the next one to fill is region
 *	@filled % @regions, unless @filled - @released == @regions
 * @released: regions handed back; the next one to read is region
 *	@released % @regions, if @released < @filled
 * @produced: samples, written or lost
 * @written: samples written
 * @lost: samples for which no region was free
 * @throttled: times monitoring waited for a tick because of too many
 *	interrupts
 * @largest_entry: bytes of the largest entry; full is a region with less free
 * @lost_told: of @lost those that a region's description tells
 * @reserved: zero
 *
 * A region's description is complete before @filled takes the region in.  Each sample
 * counts in @written or @lost before it does in @produced.
 */
struct pfm_nway_hdr {
	__u32 version;
	__u32 regions;
	__u64 region_size;
	__u64 region_offset;
	__u64 filled;
	__u64 released;
	__u64 produced;
	__u64 written;
	__u64 lost;
	__u64 throttled;
	__u64 largest_entry;
	__u64 lost_told;
	__u64 reserved[5];
};

/**
 * struct pfm_nway_region - what is in a region, 32 bytes
 * @count: entries in it
 * @size: bytes that they take
 * @lost: samples lost since the region before it was full
 * @reserved: zero
 *
 * Also of the region that is being filled: an entry is complete before @count takes it
 * in, and when monitoring is over these are the last ones.
 */
struct pfm_nway_region {
	__u64 count;
	__u64 size;
	__u64 lost;
	__u64 reserved;
};

#endif
