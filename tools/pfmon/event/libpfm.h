/* SPDX-License-Identifier: GPL-2.0-only */
/* The event names of libpfm4 for the CPU of this machine. */
#ifndef PFMON_LIBPFM_H
#define PFMON_LIBPFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum libpfm_result {
	LIBPFM_OK,
	LIBPFM_UNKNOWN, /* there is no such event on this CPU */
	LIBPFM_UMASK, /* the event exists, but a unit mask or attribute is wrong or missing */
	LIBPFM_FAILED, /* libpfm4 cannot encode the event, or the event needs too many registers */
};

/*
 * Store in @code the CPU's code of event @name. Store in @extra the value of a second register, or
 * 0 if the event needs none. @name may contain unit masks, but not the modifiers u and k. On
 * LIBPFM_UMASK and LIBPFM_FAILED, @reason explains the failure.
 */
enum libpfm_result libpfm_encode(const char *name, uint64_t *code, uint64_t *extra,
				 const char **reason);

/*
 * Returns libpfm4's name of the CPU, such as "ARM Cortex A57", or NULL if libpfm4 does not support
 * the CPU.
 */
const char *libpfm_model(void);

/*
 * Call @visit for each event of the CPU, and for each unit mask of each event; the name of a unit
 * mask is EVENT:UMASK.
 */
void libpfm_for_each(void (*visit)(void *data, const char *name, const char *description),
		     void *data);

#endif
