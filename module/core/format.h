/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_FORMAT_H
#define PERFMON_CORE_FORMAT_H

#include <perfmon_format.h>

/* A name or a UUID, and its end. */
#define PFM_FORMAT_NAME_SIZE 40

/*
 * The format of this name or UUID, its module loaded if need be and held; error
 * pointers: -ENOMEM, -EINVAL if there is none.  Process context, may sleep.
 */
const struct pfm_format *pfm_format_get(const char *name);

/*
 * Makes an argument of @size bytes, up to a page, one of format->argument_size; it has room for a
 * page.  By the rules of copy_struct_from_user().  Return: 0, -EINVAL if it is shorter than the
 * first version, -E2BIG if it has more in it than the format knows.
 */
int pfm_format_fit_argument(const struct pfm_format *format, void *argument, size_t size);

void pfm_format_put(const struct pfm_format *format);

/* The one that is always there. */
int pfm_format_default_init(void);
void pfm_format_default_exit(void);

#endif
