/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs of a recording.  CPUs may go offline and come online during the recording. */
#ifndef PFMON_RECORDER_CPUS_H
#define PFMON_RECORDER_CPUS_H

#include "../run/cpus.h"
#include "recorder.h"

/* The functions that return int report an error and return -1, or return 0. */

/* Load contexts on the CPUs of the options.  CPUs that are offline have no sampler yet. */
int recorder_attach_cpus(struct recorder *recorder);

/*
 * Sample the CPUs that have come online meanwhile, for the first time or again.  A CPU that cannot
 * be sampled is reported once, and the others go on.
 */
int recorder_follow_cpus(struct recorder *recorder);

/* Append the CPUs that have a sampler, in the order of the samplers. */
int recorder_list_cpus(const struct recorder *recorder, struct id_list *cpus);

#endif
