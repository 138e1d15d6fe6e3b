/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_FORMAT_H
#define PERFMON_CORE_FORMAT_H

#include <perfmon_format.h>

/* Maximum size of a format's name, with its terminating zero.  A UUID is shorter. */
#define PFM_FORMAT_NAME_SIZE 40

/*
 * Get the format whose name or UUID is @name.  Loads the module of the format if necessary, and
 * takes a reference to it.  Process context, may sleep.  Return: the format, or an error pointer:
 * -ENOMEM, or -EINVAL if there is no such format.
 */
const struct pfm_format *pfm_format_get(const char *name);

/*
 * Adapt an argument of @size bytes to format->argument_size, by the rules of
 * copy_struct_from_user().  @argument has room for PFM_ARGUMENTS_SIZE bytes.  Return: 0;
 * -EINVAL if the argument is shorter than its first version; -E2BIG if a byte beyond
 * format->argument_size is not zero.
 */
int pfm_format_fit_argument(const struct pfm_format *format, void *argument, size_t size);

void pfm_format_put(const struct pfm_format *format);

/* The format "default", which is part of the core. */
int pfm_format_default_init(void);
void pfm_format_default_exit(void);

#endif
