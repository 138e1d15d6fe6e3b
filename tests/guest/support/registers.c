// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "guest.h"
#include "registers.h"

#define PMUS "/sys/kernel/perfmon/pmus/"

/* The text that sysfs has about a register: its name, and four numbers. */
struct description {
	char text[200];
};

/*
 * Returns whether @row contains register @n. If so, stores in *@description the text that sysfs
 * must have about this register.
 */
static bool describe(const struct register_row *row, unsigned int n,
		     struct description *description)
{
	const unsigned int stride = row->stride ?: 1;
	const unsigned int i = (n - row->first) / stride;
	char name[40];

	if (n < row->first || (n - row->first) % stride || i >= row->count)
		return false;
	snprintf(name, sizeof(name), row->name, i);
	snprintf(description->text, sizeof(description->text),
		 "%s\naddress 0x%jx\nreserved 0x%jx\ninitial 0x%jx\nwidth %u\n", name,
		 (uintmax_t)(row->address + i * row->step), (uintmax_t)row->reserved,
		 (uintmax_t)row->initial, row->width);
	return true;
}

static const char *file(const char *pmu, const char *kind, unsigned int n,
			const char *name)
{
	static char path[120];

	snprintf(path, sizeof(path), PMUS "%s/%s%u/%s", pmu, kind, n, name);
	return path;
}

static void append(struct description *description, const char *label, const char *path)
{
	const size_t length = strlen(description->text);

	snprintf(description->text + length, sizeof(description->text) - length, "%s%s",
		 label, read_text(path));
}

static struct description read_description(const char *pmu, const char *kind,
					   unsigned int n)
{
	struct description description = {};

	append(&description, "", file(pmu, kind, n, "name"));
	append(&description, "address ", file(pmu, kind, n, "addr"));
	append(&description, "reserved ", file(pmu, kind, n, "rsvd_msk"));
	append(&description, "initial ", file(pmu, kind, n, "dfl_val"));
	append(&description, "width ", file(pmu, kind, n, "width"));
	return description;
}

static void check_register(const char *pmu, const char *kind, unsigned int n,
			   const struct register_row *rows, size_t count)
{
	const struct description found = read_description(pmu, kind, n);
	struct description wanted = { "no such register\n" };
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(rows[i].kind, kind) && describe(&rows[i], n, &wanted) &&
		    !strcmp(wanted.text, found.text))
			return;
	ck_abort_msg("%s, %s%u is\n%sbut must be\n%s", pmu, kind, n, found.text,
		     wanted.text);
}

bool pmu_is_registered(const char *pmu)
{
	char path[80];

	snprintf(path, sizeof(path), PMUS "%s", pmu);
	return path_exists(path);
}

void registers_must_be(const char *pmu, const struct register_row *rows, size_t count)
{
	unsigned int n;

	ck_assert_msg(pmu_is_registered(pmu), "there is no PMU \"%s\"", pmu);
	for (n = 0; n < 256; n++) {
		if (path_exists(file(pmu, "pmc", n, "")))
			check_register(pmu, "pmc", n, rows, count);
		if (path_exists(file(pmu, "pmd", n, "")))
			check_register(pmu, "pmd", n, rows, count);
	}
}
