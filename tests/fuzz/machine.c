/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads and writes files of the machine, and loads and unloads modules.
 *
 * write_file() is a copy of try_write_text() of tests/guest/support/system.c, because a program
 * that perfmon-fuzz prints contains this file, but no source file of another folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "execute.h"

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd == -1)
		return errno;
	if (write(fd, text, strlen(text)) == -1)
		error = errno;
	close(fd);
	return error;
}

int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length, all = 0;

	if (fd == -1)
		return errno;
	while ((length = read(fd, text + all, size - 1 - all)) > 0)
		all += length;
	text[all] = '\0';
	close(fd);
	return length < 0 ? errno : 0;
}

/*
 * Returns the module's parameters on the kernel's command line. modprobe passes these parameters to
 * the module, too.
 */
static const char *parameters_of(const char *module)
{
	static __thread char parameters[256];
	const size_t length = strlen(module);
	char line[2048], *word, *rest;

	parameters[0] = '\0';
	if (read_file("/proc/cmdline", line, sizeof(line)))
		return parameters;
	for (word = strtok_r(line, " \n", &rest); word;
	     word = strtok_r(NULL, " \n", &rest)) {
		const size_t used = strlen(parameters);

		if (!strncmp(word, module, length) && word[length] == '.')
			snprintf(parameters + used, sizeof(parameters) - used, "%s ",
				 word + length + 1);
	}
	return parameters;
}

int module_load(const char *name)
{
	struct utsname system;
	char path[256];
	int fd, error = 0;

	uname(&system);
	snprintf(path, sizeof(path), "/lib/modules/%s/updates/%s.ko", system.release,
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || syscall(SYS_finit_module, fd, parameters_of(name), 0))
		error = errno;
	if (fd != -1)
		close(fd);
	return error;
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

const char *const format_modules[FORMATS] = {
	"perfmon_fmt_nway",
	"perfmon_fmt_callchain",
	"perfmon_fmt_hist",
};

/*
 * Unloads the formats, which the kernel loads on demand. The core cannot be unloaded as long as a
 * format is loaded.
 */
void formats_unload(void)
{
	unsigned int n;

	for (n = 0; n < FORMATS; n++)
		module_unload(format_modules[n]);
}

/* Prepares fault injection, if the kernel has it. Injected failures print no log messages. */
static void prepare_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	static const char *const values[][2] = {
		{ "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" },
		{ "min-order", "0" },	    { "verbose", "0" },
		{ "task-filter", "Y" }, /* only in threads that set make-it-fail */
		{ "probability", "100" },   { "times", "-1" },
	};
	unsigned int kind, n;
	char path[64];

	for (kind = 0; kind < COUNT(kinds); kind++) {
		for (n = 0; n < COUNT(values); n++) {
			snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s",
				 kinds[kind], values[n][0]);
			write_file(path,
				   values[n][1]); /* not every kernel has all files */
		}
	}
}

static void copy_program(const char *from, const char *to, mode_t mode)
{
	char bytes[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0700);
	ssize_t size;

	while ((size = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, size) != size)
			break;
	close(in);
	close(out);
	chmod(to, mode);
}

void machine_prepare(void)
{
	prepare_faults();
	/*
	 * Keeps kmemleak from scanning every ten minutes. The guest's init starts a scan after
	 * the guest's command has ended.
	 */
	write_file("/sys/kernel/debug/kmemleak", "scan=off");
	copy_program("/bin/busybox", SETUID_PROGRAM, 04755);
	copy_program("/bin/busybox", UNREADABLE_PROGRAM, 0111);
}
