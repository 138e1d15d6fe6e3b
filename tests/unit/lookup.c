// SPDX-License-Identifier: GPL-2.0-only
/* Looks up symbols with pfmon's code, and catches the messages that the lookup prints. */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lookup.h"

struct location find_at(struct symbols *symbols, uint32_t tgid, uint64_t time,
			uint64_t address)
{
	const struct sample sample = {
		.tgid = tgid,
		.time = time,
		.frames = &address,
		.frame_count = 1,
	};

	return symbols_find(symbols, &sample, 0);
}

struct location find_symbol(struct symbols *symbols, uint64_t address)
{
	return find_at(symbols, 1, 0, address);
}

void check_location(struct symbols *symbols, uint64_t address, const char *name,
		    uint64_t offset)
{
	struct location location = find_symbol(symbols, address);

	ck_assert_msg(location.symbol != NULL, "no symbol for %s+0x%" PRIx64, name,
		      offset);
	ck_assert_str_eq(location.symbol->name, name);
	ck_assert_uint_eq(location.offset, offset);
}

void catch_stderr(char *text, size_t size)
{
	static int fd = -1;
	ssize_t length;

	if (fd == -1) {
		fd = memfd_create("words", MFD_CLOEXEC);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
		return;
	}
	length = pread(fd, text, size - 1, 0);
	ck_assert_int_ge(length, 0);
	text[length] = '\0';
}

unsigned int occurrences(const char *text, const char *part)
{
	unsigned int count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}
