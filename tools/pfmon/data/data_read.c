// SPDX-License-Identifier: GPL-2.0-only
/* Read the file of a recording, record by record.  The file is not trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "../common/errors.h"
#include "../common/text.h"
#include "data_read.h"

#define FIRST_BUFFER 65536

static int check_header(struct data_file *file, const char *path)
{
	struct data_header header;

	if (!file->size)
		return fail("'%s' is empty: nothing was recorded in it", path);
	if (file->size >= 8 && !memcmp(file->bytes, "PERFILE2", 8))
		return fail("'%s' is a recording of perf: 'perf report' reads it", path);
	if (memcmp(file->bytes, DATA_MAGIC,
		   file->size < sizeof(DATA_MAGIC) ? file->size : sizeof(DATA_MAGIC)))
		return fail("'%s' is not a recording of pfmon: give one that "
			    "'pfmon record' wrote",
			    path);
	if (file->size < sizeof(header))
		return fail(
			"'%s' was cut short within its header: it contains no samples",
			path);
	memcpy(&header, file->bytes, sizeof(header));
	if (PFM_VERSION_MAJOR(header.version) != PFM_VERSION_MAJOR(DATA_VERSION))
		return fail("'%s' has file version %u.%u, but this pfmon reads "
			    "version %u: use the pfmon that wrote it",
			    path, PFM_VERSION_MAJOR(header.version),
			    PFM_VERSION_MINOR(header.version),
			    PFM_VERSION_MAJOR(DATA_VERSION));
	if (header.size < sizeof(header) || header.size % DATA_ALIGNMENT)
		return fail("'%s' is damaged: its header cannot have %u bytes", path,
			    header.size);
	file->next = header.size;
	return 0;
}

int data_open_bytes(struct data_file *file, const char *path, void *bytes, size_t size)
{
	*file = (struct data_file){ .bytes = bytes, .size = size };
	return check_header(file, path);
}

/*
 * Returns the size with which read_all() allocates its buffer: the file's size plus one, or
 * FIRST_BUFFER if the file's size is not known.
 */
static size_t expected_size(int fd)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return FIRST_BUFFER;
	return (size_t)status.st_size + 1; /* room for the last read(), which returns 0 */
}

/* Returns 0 or an errno. */
static int read_all(int fd, char **bytes, size_t *size)
{
	size_t room = expected_size(fd);

	*size = 0;
	*bytes = malloc(room);
	if (!*bytes)
		return ENOMEM;
	for (;;) {
		ssize_t done = read(fd, *bytes + *size, room - *size);

		if (done == -1 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : 0;
		*size += (size_t)done;
		if (*size == room) {
			char *larger = reallocarray(*bytes, room, 2);

			if (!larger)
				return ENOMEM;
			*bytes = larger;
			room *= 2;
		}
	}
}

/* Free the unused part of the buffer. If realloc() fails, the buffer keeps its size. */
static void trim_buffer(struct data_file *file)
{
	char *smaller = file->size ? realloc(file->bytes, file->size) : NULL;

	if (smaller)
		file->bytes = smaller;
}

/* Read all of @fd. @name is the name of the file in messages. */
static int read_file(struct data_file *file, int fd, const char *name)
{
	int error = read_all(fd, &file->bytes, &file->size);

	trim_buffer(file);
	if (error)
		return fail("cannot read '%s': %s", name, strerror(error));
	return check_header(file, name);
}

int data_open_memory(struct data_file *file, int fd)
{
	*file = (struct data_file){ 0 };
	lseek(fd, 0, SEEK_SET);
	return read_file(file, fd, "memory");
}

int data_open(struct data_file *file, const char *path)
{
	bool is_input = !strcmp(path, "-");
	int fd, result;

	*file = (struct data_file){ 0 };
	fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 && errno == ENOENT)
		return fail("there is no file '%s': 'pfmon record' makes one", path);
	if (fd == -1)
		return fail("cannot read '%s': %s", path, strerror(errno));
	result = read_file(file, fd, is_input ? "standard input" : path);
	if (!is_input)
		close(fd);
	return result;
}

void data_close_file(struct data_file *file)
{
	free(file->bytes);
	*file = (struct data_file){ 0 };
}

/* Records begin at multiples of 8, so that all numbers in them are aligned. */
const struct data_record *data_next(struct data_file *file)
{
	size_t rest = file->next < file->size ? file->size - file->next : 0;
	const struct data_record *record;

	if (file->is_damaged || file->is_cut_short)
		return NULL;
	if (rest < sizeof(*record)) {
		file->is_cut_short = file->next != file->size;
		return NULL;
	}
	record = (const void *)(file->bytes + file->next);
	if (record->size < sizeof(*record) || record->size % DATA_ALIGNMENT) {
		file->is_damaged = true;
		return NULL;
	}
	if (record->size > rest) {
		file->is_cut_short = true;
		return NULL;
	}
	file->next += record->size;
	return record;
}

struct data_body data_body(const struct data_record *record)
{
	char *begin = (char *)record;

	return (struct data_body){ begin + sizeof(*record), begin + record->size };
}

const void *data_take(struct data_body *body, size_t size)
{
	const char *taken = body->next;

	if (size > (size_t)(body->end - body->next))
		return NULL;
	body->next += size;
	return taken;
}

const char *data_take_string(struct data_body *body)
{
	char *string = body->next;
	char *end;

	if (string == body->end)
		return "";
	end = memchr(string, '\0', (size_t)(body->end - string));
	if (!end)
		return NULL;
	body->next = end + 1;
	text_defuse(string);
	return string;
}
