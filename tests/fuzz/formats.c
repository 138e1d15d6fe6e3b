/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests a sampling format for CREATE_CONTEXT. */
#include <string.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_dfl_smpl.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "calls.h"

union format_argument {
	struct pfm_dfl_smpl_arg linear;
	struct pfm_nway_arg nway;
	struct pfm_callchain_arg callchain;
	struct pfm_hist_arg hist;
};

/* The name and the argument of a sampling format, which the kernel reads from memory. */
struct request {
	char name[64];
	union {
		union format_argument argument;
		char bytes[sizeof(union format_argument) + 1];
	};
};

/*
 * Values of element[0].flags for CREATE_CONTEXT. They select the size that the call passes for the
 * format's argument.
 */
enum {
	SIZE_RIGHT,
	SIZE_ZERO,
	SIZE_LONGER, /* the additional byte is zero */
	SIZE_HUGE,
	SIZE_LONGER_NOT_ZERO, /* the additional byte is not zero */
};

enum {
	NO_FORMAT,
	LINEAR,
	NWAY,
	CALLCHAIN,
	HIST
};

static const struct format {
	const char *name;
	unsigned int kind;
	size_t size; /* of the format's argument */
	bool is_unknown;
} formats[] = {
	{ NULL, NO_FORMAT, 0, false },
	{ PFM_DFL_SMPL_NAME, LINEAR, sizeof(struct pfm_dfl_smpl_arg), false },
	{ PFM_NWAY_NAME, NWAY, sizeof(struct pfm_nway_arg), false },
	{ PFM_CALLCHAIN_NAME, CALLCHAIN, sizeof(struct pfm_callchain_arg), false },
	{ PFM_HIST_NAME, HIST, sizeof(struct pfm_hist_arg), false },
	{ PFM_DFL_SMPL_UUID, LINEAR, sizeof(struct pfm_dfl_smpl_arg), false },
	{ "", LINEAR, 64, true },
	{ "none-such", LINEAR, 64, true },
	{ "../default", LINEAR, 64, true },
	{ "a-name-that-is-as-long-as-a-name-can-be-and-then-some", LINEAR, 64, true },
};

static const struct format *format_of(const struct operation *operation)
{
	return &formats[operation->element[0].number % COUNT(formats)];
}

/* If the address of the format's name is 0, the call requests no format. */
bool wants_format(const struct operation *operation)
{
	return operation->elements && operation->outer != NOWHERE &&
	       format_of(operation)->name;
}

bool is_continuous(const struct operation *operation)
{
	return wants_format(operation) && format_of(operation)->kind == NWAY;
}

static bool has_bytes(const struct format *format)
{
	return format->kind == LINEAR || format->kind == CALLCHAIN;
}

uint64_t most_buffer_bytes(const struct operation *operation)
{
	const struct format *format = format_of(operation);

	return has_bytes(format) ? operation->element[0].value : UINT64_MAX;
}

/* The size of an empty sample, and more memory than any guest has. */
#define LEAST_BYTES (sizeof(struct pfm_dfl_smpl_hdr) + sizeof(struct pfm_dfl_smpl_entry))
#define MOST_BYTES  (1ull << 40)

static const char *bad_format_argument(const struct operation *operation)
{
	const struct element *e = &operation->element[0];

	switch (e->flags) {
	case SIZE_ZERO:
	case SIZE_HUGE:
		return "the format's argument has the wrong size";
	case SIZE_LONGER_NOT_ZERO:
		return "the additional byte of the format's argument is not zero";
	}
	if (operation->outer == OVER_END)
		return "the format's argument ends in unmapped memory";
	if (has_bytes(format_of(operation)) &&
	    (e->value < LEAST_BYTES || e->value >= MOST_BYTES))
		return "the buffer has an impossible size";
	return NULL;
}

const char *bad_format(const struct operation *operation)
{
	const struct element *e = &operation->element[0];

	if (!operation->elements || !format_of(operation)->name)
		return NULL;
	if (operation->outer == NOWHERE)
		return e->set && e->flags == SIZE_ZERO ? NULL
						       : "an argument has no format";
	if (operation->outer == UNMAPPED || operation->outer == KERNEL)
		return "the format's name has a bad address";
	if (format_of(operation)->is_unknown)
		return "there is no such format";
	/* Every format needs an argument. */
	return e->set ? "the format has no argument" : bad_format_argument(operation);
}

static void put_format_argument(union format_argument *argument,
				const struct format *format, uint64_t bytes)
{
	switch (format->kind) {
	case LINEAR:
		argument->linear.buf_size = bytes;
		break;
	case NWAY:
		argument->nway.region_size = bytes / 4 & ~7ull;
		argument->nway.regions = 4;
		break;
	case CALLCHAIN:
		argument->callchain.buf_size = bytes;
		argument->callchain.max_kernel = 8;
		argument->callchain.max_user = 8;
		argument->callchain.flags = bytes % 3 ? PFM_CALLCHAIN_LINK : 0;
		break;
	case HIST:
		argument->hist.entries = bytes / 64;
		break;
	}
}

void put_format(struct executor *executor, const struct operation *operation,
		struct pfm_create *create)
{
	const struct element *e = &operation->element[0];
	const struct format *format = format_of(operation);
	const uint64_t sizes[] = {
		[SIZE_RIGHT] = format->size,
		[SIZE_ZERO] = 0,
		[SIZE_LONGER] = format->size + 1,
		[SIZE_HUGE] = 1ull << 40,
		[SIZE_LONGER_NOT_ZERO] = format->size + 1,
	};
	struct request request = {};
	uint64_t address;

	if (!operation->elements || !format->name)
		return;
	strncpy(request.name, format->name, sizeof(request.name) - 1);
	put_format_argument(&request.argument, format, e->value);
	request.bytes[format->size] = e->flags == SIZE_LONGER_NOT_ZERO;
	address = (uintptr_t)put_argument(&executor->outer, operation->outer, &request,
					  sizeof(request), sizeof(request));
	create->format_name = address;
	create->format_argument = e->set ? 0
					 : address + offsetof(struct request, argument);
	create->format_size = sizes[e->flags % COUNT(sizes)];
}
