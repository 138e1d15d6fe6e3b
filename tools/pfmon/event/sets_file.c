// SPDX-License-Identifier: GPL-2.0-only
/* Read a file of event sets, see docs/event-sets.md. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/array.h"
#include "../common/errors.h"
#include "../common/options.h"
#include "sets_file.h"

/* Set ids have 16 bits. */
#define MAX_SETS    65536

/*
 * Maximum of NUMBER in 'switch after NUMBER EVENT'. NUMBER is the period of a counter, and the
 * maximum period of pfmon record is 2^62, too.
 */
#define MOST_EVENTS (1ull << 62)

#define BLANKS	    " \t\r\n"

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/**
 * struct sets_file - a file that is being read
 * @list: the sets and events that have been read
 * @machine: the machine that will count the events
 * @position: file and number of the line, for messages
 * @rest: the part of the line that has not been read
 */
struct sets_file {
	struct event_list *list;
	const struct machine *machine;
	char *position;
	char *rest;
};

/* Returns the next word of the line, or NULL at its end. */
static char *next_word(struct sets_file *file)
{
	return strtok_r(NULL, BLANKS, &file->rest);
}

static int check_end(struct sets_file *file)
{
	const char *word = next_word(file);

	return word ? fail("'%s' is one word too many: leave it out", word) : 0;
}

static struct event_set *last_set(struct sets_file *file)
{
	struct event_list *list = file->list;

	if (list->set_count)
		return &list->sets[list->set_count - 1];
	fail("there is no set yet: begin with 'set NAME'");
	return NULL;
}

static int read_set(struct sets_file *file)
{
	struct event_list *list = file->list;
	const char *name = next_word(file);
	struct event_set *set;

	if (!name)
		return fail("the set has no name: write 'set NAME'");
	if (name[strspn(name, name_characters)])
		return fail(
			"'%s' is not a valid name for a set: use only letters, digits, "
			"'-', '_' and '.'",
			name);
	for (size_t i = 0; i < list->set_count; i++)
		if (!strcmp(list->sets[i].name, name))
			return fail(
				"there is a set '%s' already, at %s: choose another name",
				name, list->sets[i].position);
	if (list->set_count == MAX_SETS)
		return fail("there are more than %d sets: leave some out", MAX_SETS);
	set = array_add(&list->sets, &list->set_count, sizeof(*set));
	if (!set)
		return fail("no memory");
	set->name = strdup(name);
	set->position = strdup(file->position);
	if (!set->name || !set->position)
		return fail("no memory");
	return check_end(file);
}

static int read_count(struct sets_file *file)
{
	struct event_list *list = file->list;
	size_t first = list->count;
	const char *word;

	if (!last_set(file))
		return -1;
	while ((word = next_word(file))) {
		if (strpbrk(word, "{}"))
			return fail("'%s': leave out the braces, because all events of a "
				    "set are counted at the same time",
				    word);
		if (events_parse(list, word, file->machine))
			return -1;
	}
	if (first == list->count)
		return fail("there is no event: write 'count EVENT...'");
	for (size_t i = first; i < list->count; i++)
		list->events[i].set = list->set_count - 1;
	return 0;
}

static int read_every(struct sets_file *file, struct event_set *set)
{
	const char *word = next_word(file);

	if (set->flags)
		return fail("set '%s' already has a 'switch' line: leave one out",
			    set->name);
	if (!word || options_time(word, &set->timeout))
		return fail("'%s' is not a time: write 'switch every TIME', where TIME "
			    "is, for example, 500us or 4ms",
			    word ? word : "");
	set->flags = PFM_SETFL_TIME_SWITCH;
	return check_end(file);
}

static int parse_number(const char *word, uint64_t *number)
{
	char *end;

	if (!word || !isdigit((unsigned char)*word))
		return -1;
	errno = 0;
	*number = strtoull(word, &end, 10);
	return *end || errno || !*number || *number > MOST_EVENTS ? -1 : 0;
}

/*
 * Add an event to the last set. The set's turn ends when this event has occurred @number times. The
 * event takes a counter of its own, even if a 'count' line of the set counts the same event. The
 * count of this counter is not shown.
 */
static int add_end(struct sets_file *file, const char *word, uint64_t number)
{
	struct event_list *list = file->list, added;
	size_t first = list->count;

	if (events_parse(list, word, file->machine))
		return -1;
	added = (struct event_list){
		.events = &list->events[first],
		.count = list->count - first,
	};
	if (added.count != 1 || added.events->group)
		return fail("'%s' is not one event: write a 'switch' line for each event",
			    word);
	if (events_take_counters(&added, file->machine))
		return -1;
	added.events->switch_after = number;
	added.events->set = list->set_count - 1;
	return 0;
}

static int read_after(struct sets_file *file, struct event_set *set)
{
	const char *word = next_word(file);
	uint64_t number;

	if (set->flags & PFM_SETFL_TIME_SWITCH)
		return fail(
			"the turn of set '%s' ends after a time: it cannot also end after "
			"events",
			set->name);
	if (parse_number(word, &number))
		return fail("'%s' is not a number of events: write 'switch after NUMBER "
			    "EVENT'",
			    word ? word : "");
	word = next_word(file);
	if (!word)
		return fail("there is no event: write 'switch after NUMBER EVENT'");
	set->flags = PFM_SETFL_OVFL_SWITCH;
	return add_end(file, word, number) ? -1 : check_end(file);
}

static int read_switch(struct sets_file *file)
{
	struct event_set *set = last_set(file);
	const char *word;

	if (!set)
		return -1;
	word = next_word(file);
	if (word && !strcmp(word, "every"))
		return read_every(file, set);
	if (word && !strcmp(word, "after"))
		return read_after(file, set);
	return fail("say 'switch every TIME' or 'switch after NUMBER EVENT'");
}

static int read_line(struct sets_file *file, char *line)
{
	const char *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, BLANKS, &file->rest);
	if (!word)
		return 0;
	if (!strcmp(word, "set"))
		return read_set(file);
	if (!strcmp(word, "count"))
		return read_count(file);
	if (!strcmp(word, "switch"))
		return read_switch(file);
	return fail("'%s' is not known: a line begins with 'set', 'count' or 'switch'",
		    word);
}

static int read_lines(struct sets_file *file, FILE *stream, const char *path)
{
	size_t size = 0, number = 0;
	char *line = NULL;
	int result = 0;
	ssize_t length;

	while (!result && (length = getline(&line, &size, stream)) != -1) {
		if (asprintf(&file->position, "%s:%zu", path, ++number) == -1) {
			file->position = NULL;
			result = fail("no memory");
			break;
		}
		fail_at(file->position);
		result =
			strlen(line) == (size_t)length
				? read_line(file, line)
				: fail("the line has a zero byte: this is not a text file");
		fail_at(NULL);
		free(file->position);
	}
	free(line);
	return result;
}

/*
 * After the whole file has been read, check that it has a set, and that each set has a 'count' or a
 * 'switch' line.
 */
static int check(const struct event_list *list, const char *path)
{
	if (!list->set_count)
		return fail("there is no set in '%s': see pfmon-stat(1)", path);
	for (size_t i = 0; i < list->set_count; i++) {
		const struct event_set *set = &list->sets[i];
		size_t count = 0;

		for (size_t j = 0; j < list->count; j++)
			count += list->events[j].set == i;
		if (!count && !set->flags)
			return fail("%s: set '%s' has neither 'count' nor 'switch': "
				    "write 'count EVENT...'",
				    set->position, set->name);
	}
	return 0;
}

int sets_file_read(struct event_list *list, const char *path,
		   const struct machine *machine)
{
	struct sets_file file = { .list = list, .machine = machine };
	FILE *stream = fopen(path, "re");
	int result;

	if (!stream)
		return fail("cannot read '%s': %s", path, strerror(errno));
	result = read_lines(&file, stream, path);
	if (!result && ferror(stream))
		result = fail("cannot read '%s': %s", path, strerror(errno));
	fclose(stream);
	return result ? -1 : check(list, path);
}
