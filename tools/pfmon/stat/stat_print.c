// SPDX-License-Identifier: GPL-2.0-only
/* Write results as a table, as CSV or as JSON, to the file that the user chose. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../common/errors.h"
#include "stat_csv.h"
#include "stat_json.h"
#include "stat_print.h"
#include "stat_table.h"

FILE *stat_print_open(const char *name)
{
	FILE *file;

	if (!name)
		return stderr;
	if (!strcmp(name, "-"))
		return stdout;
	file = fopen(name, "we");
	if (!file)
		fail("cannot write '%s': %s", name, strerror(errno));
	return file;
}

int stat_print_close(FILE *file, const char *name)
{
	int error = 0;

	if (file == stdout)
		return 0;
	errno = EIO;
	if (fflush(file) || ferror(file))
		error = errno;
	if (file != stderr && fclose(file) && !error)
		error = errno;
	if (!error)
		return 0;
	return fail("cannot write '%s': %s%s", name ? name : "standard error",
		    strerror(error), error == EFBIG ? ": see 'ulimit -f'" : "");
}

static int print(const struct results *results, const struct stat_options *options,
		 FILE *file)
{
	if (options->is_json)
		return stat_json(file, results);
	if (options->separator)
		stat_csv(file, results, options->separator);
	else
		stat_table(file, results);
	return 0;
}

int stat_print(const struct results *results, const struct stat_options *options,
	       FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	bool is_bad;

	if (!memory)
		return fail("no memory");
	is_bad = print(results, options, memory) != 0;
	is_bad |= fclose(memory) != 0;
	if (!is_bad)
		fwrite(text, 1, size, file);
	free(text);
	return is_bad ? fail("no memory") : 0;
}
