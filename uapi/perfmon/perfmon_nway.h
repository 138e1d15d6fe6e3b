/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling format "nway": a buffer of several regions; monitoring is never masked.
 *
 * Entries are those of format "default".  The format fills one region after the other.  When a
 * region has become full, a notification is sent if the PMD that overflowed has
 * PFM_REGFL_OVFL_NOTIFY.  The user reads full regions in order and hands back each region with
 * PFM_IOC_RESTART or, if each CPU has a buffer, with PFM_IOC_RESTART_CPU.  Both calls fail with
 * EBUSY if no region is full.  If all regions are full, samples are counted as lost.  When the
 * thread has ended, the user reads the remaining regions but does not hand them back.
 *
 * The buffer begins with a struct pfm_nway_hdr and a struct pfm_nway_region for each region.  The
 * regions themselves begin at @region_offset; each has @region_size bytes.
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
 * @region_size: in: size of a region in bytes, a multiple of 8.  One entry with the values of all
 *	PMDs of the PMU must fit into a region
 * @regions: in: number of regions, 2 to PFM_NWAY_MAX_REGIONS
 * @flags: in: 0
 * @reserved: in: 0
 *
 * PFM_IOC_CREATE_CONTEXT fails with EINVAL if a value is out of range, or if there is no argument.
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
 * @region_size: size of a region in bytes
 * @region_offset: distance in bytes from the beginning of the buffer to the first region
 * @filled: number of regions that have become full.  The format is filling region number (@filled %
 *	@regions), unless all regions are full (@filled - @released == @regions)
 * @released: number of regions that were handed back.  The user reads region number (@released
 *	% @regions) next, if @released < @filled
 * @produced: number of samples, written or lost
 * @written: number of samples written
 * @lost: number of samples that were lost because all regions were full
 * @throttled: how often an event set was throttled
 * @largest_entry: size of the largest entry in bytes; a region is full if fewer bytes are left
 * @lost_told: number of samples that are counted in @lost and also in the pfm_nway_region.lost of a
 *	region
 * @reserved: zero
 *
 * A region's description is complete before @filled includes the region.  A sample is
 * counted in @written or @lost before it is counted in @produced.
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
 * struct pfm_nway_region - description of a region, 32 bytes
 * @count: number of entries in the region
 * @size: total size of these entries in bytes
 * @lost: number of samples that were lost after the previous region was full and before the format
 *	began this region
 * @reserved: zero
 *
 * The description is also valid while the region is being filled: an entry is complete before
 * @count includes it.  When monitoring ends, the last entries are in the region that is being
 * filled.
 */
struct pfm_nway_region {
	__u64 count;
	__u64 size;
	__u64 lost;
	__u64 reserved;
};

#endif
