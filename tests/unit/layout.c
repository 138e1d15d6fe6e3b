// SPDX-License-Identifier: GPL-2.0-only
/* Tests that structures and constants have the sizes, offsets and values that layout.h lists. */
#include <stddef.h>
#include <perfmon/perfmon.h>

#include "layout.h"
#include "suites.h"

SUITE(layout, 120);

TEST(sizes_are_those_of_perfmon2)
{
#define CHECK(type, size)                                                                \
	ck_assert_msg(sizeof(type) == (size), #type ": %zu bytes, not %d", sizeof(type), \
		      size);
	SIZES(CHECK)
#undef CHECK
}

TEST(offsets_are_those_of_perfmon2)
{
#define CHECK(type, field, offset)                                                       \
	ck_assert_msg(offsetof(type, field) == (offset),                                 \
		      #type "." #field ": offset %zu, not %d", offsetof(type, field),    \
		      offset);
	OFFSETS(CHECK)
#undef CHECK
}

TEST(constants_are_those_of_perfmon2)
{
#define CHECK(name, value)                                                               \
	ck_assert_msg((long)(name) == (value), #name ": value %ld, not %ld",             \
		      (long)(name), (long)(value));
	VALUES(CHECK)
#undef CHECK
}
