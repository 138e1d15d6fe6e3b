/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs of a recording.  CPUs may go offline and come online during the recording. */
#ifndef PFMON_RECORDER_CPUS_H
#define PFMON_RECORDER_CPUS_H

#include "../run/cpus.h"
#include "recorder.h"

/* The functions that return int return 0, or -1 after reporting an error. */

/* Load contexts on the CPUs that the user named. CPUs that are offline get no sampler yet. */
int recorder_attach_cpus(struct recorder *recorder);

/*
 * Begin or continue to sample the CPUs that have come online. A CPU that cannot be sampled is left
 * out. Only the first such CPU causes a warning.
 */
int recorder_follow_cpus(struct recorder *recorder);

/* Append to @cpus the CPUs that have a sampler, in the order of the samplers. */
int recorder_list_cpus(const struct recorder *recorder, struct id_list *cpus);

#endif
