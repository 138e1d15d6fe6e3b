// SPDX-License-Identifier: GPL-2.0-only
/* Print the --help text of a command. The text is made from a struct command_line. */
#include <string.h>

#include "help.h"

/*
 * An option's text begins after TEXT_COLUMN characters. A line has at most LAST_COLUMN characters.
 */
#define TEXT_COLUMN 23
#define LAST_COLUMN 80

const struct option_row help_option = {
	.name = "help",
	.letter = 'h',
	.help = "show this and exit",
};

/* Each line of the synopsis is one form of the command. */
static void print_synopsis(FILE *file, const struct command_line *line)
{
	const char *form = line->synopsis;
	const char *head = "Usage:";

	for (;;) {
		int length = (int)strcspn(form, "\n");

		fprintf(file, "%-6s %s %.*s\n", head, line->name, length, form);
		if (!form[length])
			return;
		form += length + 1;
		head = "";
	}
}

/*
 * Print @text in lines that begin after TEXT_COLUMN blanks. The caller has already printed @column
 * characters of the first line.
 */
static void print_text(FILE *file, const char *text, int column)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > TEXT_COLUMN && column + 1 + length > LAST_COLUMN) {
			fputc('\n', file);
			column = 0;
		}
		if (column < TEXT_COLUMN)
			column += fprintf(file, "%*s", TEXT_COLUMN - column, "");
		else
			column += fprintf(file, " ");
		column += fprintf(file, "%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', file);
}

/*
 * If there is no room for two blanks between an option and its text, the text begins on a new line.
 */
static void print_option(FILE *file, const struct option_row *row)
{
	int column;

	if (row->letter)
		column = fprintf(file, "  -%c, --%s", row->letter, row->name);
	else
		column = fprintf(file, "      --%s", row->name);
	if (row->argument)
		column += fprintf(file, " %s", row->argument);
	if (column > TEXT_COLUMN - 2) {
		fputc('\n', file);
		column = 0;
	}
	print_text(file, row->help, column);
}

static void print_subcommands(FILE *file, const struct subcommand *subcommands)
{
	fprintf(file, "\nSubcommands:\n");
	for (; subcommands->name; subcommands++)
		fprintf(file, "  %-10s %s\n", subcommands->name, subcommands->help);
}

void help_print(FILE *file, const struct command_line *line)
{
	print_synopsis(file, line);
	fprintf(file, "\n%s", line->about);
	if (line->subcommands)
		print_subcommands(file, line->subcommands);
	fprintf(file, "\nOptions:\n");
	for (const struct option_row *row = line->options; row->name; row++)
		print_option(file, row);
	print_option(file, &help_option);
	if (line->notes)
		fprintf(file, "\n%s", line->notes);
}
