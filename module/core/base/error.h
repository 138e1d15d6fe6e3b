/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_CORE_ERROR_H
#define PERFMON_CORE_ERROR_H

#include <linux/types.h>
#include <perfmon/perfmon_ioctl.h>

struct pfm_context;

/**
 * pfm_fail() - record why the current call fails
 * @context: the call's context; mutex held
 * @error: negative errno
 * @reason: the reason
 * @value: offending value; 0 if there is none
 *
 * Return: @error
 */
int pfm_fail(struct pfm_context *context, int error, enum pfm_reason reason, u64 value);

/* Like pfm_fail(), for a call that fails because of element @index of a vector. */
int pfm_fail_at(struct pfm_context *context, u32 index, int error, enum pfm_reason reason,
		u64 value);

#endif
