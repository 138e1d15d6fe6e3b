/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags that calls accept.  The calls check their flags with these masks, and
 * PFM_IOC_INFO reports the masks.
 */
#ifndef PERFMON_FLAGS_H
#define PERFMON_FLAGS_H

#include <perfmon/perfmon_ioctl.h>

#define PFM_CONTEXT_FLAGS                                                                \
	(PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE | PFM_FL_OVFL_NO_MSG |                 \
	 PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL | PFM_FL_KEEP_COUNTS)
#define PFM_PMC_FLAGS	     PFM_REGFL_NO_EMUL64
#define PFM_PMD_FLAGS	     (PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM)
#define PFM_PMR_FLAGS	     0
#define PFM_STATISTICS_FLAGS PFM_STATISTICS_CPU
#define PFM_SET_FLAGS	     (PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH)

#endif
