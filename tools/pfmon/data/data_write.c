// SPDX-License-Identifier: GPL-2.0-only
/* Write the file of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "data_write.h"
#include "../common/errors.h"
#include "data.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error The file is little endian: convert all numbers before they are written.
#endif

/*
 * Maximum number of parts of a record's body. The record's head and its padding are two more parts.
 */
#define MAX_PARTS 3

static const char zeros[DATA_ALIGNMENT];

static const char *shown_path(const struct data_writer *writer)
{
	return strcmp(writer->path, "-") ? writer->path : "standard output";
}

/*
 * Report a failed write, and remove the incomplete record that begins at byte @begin. Returns -1.
 */
static int remove_record(struct data_writer *writer, uint64_t begin)
{
	int error = errno;

	fail("cannot write '%s': %s", shown_path(writer), strerror(error));
	if (writer->size == begin)
		return -1;
	if (!writer->is_file || ftruncate(writer->fd, (off_t)begin) ||
	    lseek(writer->fd, (off_t)begin, SEEK_SET) == -1)
		writer->is_torn = true;
	else
		writer->size = begin;
	return -1;
}

/*
 * Write all @count parts. If writev() writes only some of the bytes, for example to a pipe, call it
 * again.
 */
static int write_all(struct data_writer *writer, struct iovec *parts, int count)
{
	uint64_t begin = writer->size;

	while (count) {
		ssize_t done = writev(writer->fd, parts, count);

		if (done == -1 && errno == EINTR)
			continue;
		if (done == -1)
			return remove_record(writer, begin);
		writer->size += (uint64_t)done;
		for (; count && (size_t)done >= parts->iov_len; parts++, count--)
			done -= (ssize_t)parts->iov_len;
		if (count) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Returns whether this process may write a file of @size bytes. See 'ulimit -f'. */
static bool is_permitted(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       size <= limit.rlim_cur;
}

/*
 * Returns whether @size bytes and the reserve fit on the disk and into the process's file size
 * limit. If they do not fit, stores the reason in writer->lack. If the filesystem does not support
 * fallocate(), returns true without knowing whether there is room on the disk. In this case, the
 * later write fails if the disk is full.
 */
static bool has_room(struct data_writer *writer, uint64_t size)
{
	if (!writer->is_file)
		return true;
	size += writer->reserve;
	if (!is_permitted(writer->size + size))
		writer->lack = EFBIG;
	else if (!fallocate(writer->fd, FALLOC_FL_KEEP_SIZE, (off_t)writer->size,
			    (off_t)size) ||
		 (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
		return true;
	else
		writer->lack = errno;
	return false;
}

/* Maximum number of bytes by which the result of data_room() may be too small. */
#define ROOM_STEP 64

size_t data_room(struct data_writer *writer, size_t size)
{
	const size_t head = sizeof(struct data_record) + sizeof(struct data_samples);
	size_t low = 0, high = size;

	if (has_room(writer, head + size))
		return size;
	while (high - low > ROOM_STEP) {
		size_t middle = low + (high - low) / 2;

		if (has_room(writer, head + middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

int data_fail_full(const struct data_writer *writer)
{
	return fail("cannot write '%s': %s%s", shown_path(writer), strerror(writer->lack),
		    writer->lack == EFBIG ? ": see 'ulimit -f'" : "");
}

static struct iovec part(const void *base, size_t size)
{
	return (struct iovec){ .iov_base = (void *)base, .iov_len = size };
}

static struct iovec string_part(const char *string)
{
	return part(string ? string : "", string ? strlen(string) + 1 : 1);
}

/* Returns whether data_writer.reserve is kept free for records of @type. */
static bool is_reserved(enum data_type type)
{
	return type == DATA_LOSSES || type == DATA_UNSAMPLED || type == DATA_CPU ||
	       type == DATA_END;
}

static int write_record(struct data_writer *writer, enum data_type type,
			const struct iovec *body, unsigned int count)
{
	struct iovec parts[MAX_PARTS + 2];
	struct data_record record = { .type = type };
	uint64_t size = sizeof(record);
	size_t padding;

	for (unsigned int i = 0; i < count; i++) {
		parts[i + 1] = body[i];
		size += body[i].iov_len;
	}
	padding = -size % DATA_ALIGNMENT;
	size += padding;
	if (size > UINT32_MAX)
		return fail("cannot write '%s': a record of %llu bytes is too large",
			    shown_path(writer), (unsigned long long)size);
	if (!is_reserved(type) && !has_room(writer, size))
		return data_fail_full(writer);
	record.size = (uint32_t)size;
	parts[0] = part(&record, sizeof(record));
	parts[count + 1] = part(zeros, padding);
	return write_all(writer, parts, (int)count + 2);
}

/* Write the header of a file that has just been opened. */
static int begin(struct data_writer *writer)
{
	struct data_header header = {
		.magic = DATA_MAGIC,
		.version = DATA_VERSION,
		.size = sizeof(header),
	};
	struct iovec all = part(&header, sizeof(header));
	struct stat status;

	if (writer->fd == -1)
		return fail("cannot write '%s': %s", writer->path, strerror(errno));
	writer->is_file = writer->fd != STDOUT_FILENO && !fstat(writer->fd, &status) &&
			  S_ISREG(status.st_mode);
	return write_all(writer, &all, 1);
}

int data_create(struct data_writer *writer, const char *path)
{
	*writer = (struct data_writer){ .path = path, .fd = STDOUT_FILENO };
	if (strcmp(path, "-"))
		writer->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return begin(writer);
}

int data_create_in_memory(struct data_writer *writer)
{
	*writer = (struct data_writer){
		.path = "memory",
		.fd = memfd_create("recording", MFD_CLOEXEC),
	};
	return begin(writer);
}

/*
 * Join @count strings, each with its zero byte, and store the size of the result in @size. Returns
 * a text that the caller frees, or NULL if there is no memory.
 */
static char *join(const char *const *strings, size_t count, size_t *size)
{
	char *text, *next;

	*size = 0;
	for (size_t i = 0; i < count; i++)
		*size += string_part(strings[i]).iov_len;
	text = malloc(*size + 1);
	next = text;
	for (size_t i = 0; text && i < count; i++)
		next = stpcpy(next, strings[i] ? strings[i] : "") + 1;
	return text;
}

static int write_strings(struct data_writer *writer, enum data_type type,
			 struct iovec fixed, const char *const *strings, size_t count)
{
	size_t size;
	char *text = join(strings, count, &size);
	struct iovec body[] = { fixed, part(text, size) };
	int result;

	if (!text)
		return fail("no memory");
	result = write_record(writer, type, body, 2);
	free(text);
	return result;
}

int data_write_machine(struct data_writer *writer, const struct data_machine *machine,
		       const char *const strings[DATA_MACHINE_STRINGS])
{
	return write_strings(writer, DATA_MACHINE, part(machine, sizeof(*machine)),
			     strings, DATA_MACHINE_STRINGS);
}

/*
 * Returns the numbers, separated by commas, as a text that the caller frees, or NULL if
 * there is no memory.
 */
static char *list_ids(const struct id_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		fprintf(memory, "%s%d", i ? "," : "", list->ids[i]);
	fclose(memory);
	return text;
}

int data_write_command(struct data_writer *writer, char *const *command,
		       const struct id_list *threads, const struct id_list *cpus,
		       const struct id_list *processes)
{
	struct data_command fixed = {
		.tid = threads->count ? (uint32_t)threads->ids[0] : 0,
	};
	char *thread_text = list_ids(threads), *cpu_text = list_ids(cpus);
	char *process_text = list_ids(processes);
	const char **strings;
	int result = -1;

	while (command && command[fixed.count])
		fixed.count++;
	strings = calloc(fixed.count + 3, sizeof(*strings));
	for (uint32_t i = 0; strings && i < fixed.count; i++)
		strings[i] = command[i];
	if (strings && thread_text && cpu_text && process_text) {
		strings[fixed.count] = thread_text;
		strings[fixed.count + 1] = cpu_text;
		strings[fixed.count + 2] = process_text;
		result = write_strings(writer, DATA_COMMAND, part(&fixed, sizeof(fixed)),
				       strings, fixed.count + 3);
	} else {
		fail("no memory");
	}
	free(strings);
	free(thread_text);
	free(cpu_text);
	free(process_text);
	return result;
}

int data_write_event(struct data_writer *writer, const struct data_event *event,
		     const uint16_t *value_pmds, const char *name)
{
	struct iovec body[] = {
		part(event, sizeof(*event)),
		part(value_pmds, event->value_count * sizeof(*value_pmds)),
		string_part(name),
	};

	return write_record(writer, DATA_EVENT, body, 3);
}

int data_write_thread(struct data_writer *writer, const struct data_thread *thread,
		      const char *comm)
{
	struct iovec body[] = { part(thread, sizeof(*thread)), string_part(comm) };

	return write_record(writer, DATA_THREAD, body, 2);
}

int data_write_fork(struct data_writer *writer, const struct data_fork *fork)
{
	struct iovec body = part(fork, sizeof(*fork));

	return write_record(writer, DATA_FORK, &body, 1);
}

int data_write_mapping(struct data_writer *writer, const struct data_mapping *mapping,
		       const char *path, const char *build_id)
{
	struct iovec body[] = {
		part(mapping, sizeof(*mapping)),
		string_part(path),
		string_part(build_id),
	};

	return write_record(writer, DATA_MAPPING, body, 3);
}

int data_write_samples(struct data_writer *writer, const struct data_samples *samples,
		       const void *entries, size_t size)
{
	struct iovec body[] = { part(samples, sizeof(*samples)), part(entries, size) };

	return write_record(writer, DATA_SAMPLES, body, 2);
}

int data_write_losses(struct data_writer *writer, const struct data_losses *losses)
{
	struct iovec body = part(losses, sizeof(*losses));

	return write_record(writer, DATA_LOSSES, &body, 1);
}

int data_write_cpu(struct data_writer *writer, const struct data_cpu *cpu)
{
	struct iovec body = part(cpu, sizeof(*cpu));

	return write_record(writer, DATA_CPU, &body, 1);
}

int data_write_unsampled(struct data_writer *writer,
			 const struct data_unsampled *unsampled)
{
	struct iovec body = part(unsampled, sizeof(*unsampled));

	return write_record(writer, DATA_UNSAMPLED, &body, 1);
}

int data_write_end(struct data_writer *writer, const struct data_end *end)
{
	struct iovec body = part(end, sizeof(*end));

	return write_record(writer, DATA_END, &body, 1);
}

int data_close(struct data_writer *writer)
{
	int fd = writer->fd;

	writer->fd = -1;
	if (fd == -1 || fd == STDOUT_FILENO)
		return 0;
	/*
	 * Free the unused part of the reserve. If ftruncate() fails, the file is still complete,
	 * but it occupies more space.
	 */
	if (writer->is_file && ftruncate(fd, (off_t)writer->size))
		errno = 0;
	return close(fd) ? fail("cannot write '%s': %s", writer->path, strerror(errno))
			 : 0;
}
