/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the arguments of operations that are not ioctls of perfmon. See also arguments.c. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include "builder.h"

uint32_t open_flags(struct builder *builder)
{
	static const uint32_t odd[] = { O_WRONLY,
					O_CREAT | O_EXCL,
					O_TRUNC | O_RDWR,
					O_APPEND | O_RDWR,
					O_NOATIME,
					O_RDWR | O_ASYNC,
					3 };
	uint32_t flags = percent(builder, 75) ? O_RDWR : O_RDONLY;

	if (percent(builder, 6))
		flags = ONE_OF(builder, odd);
	if (percent(builder, 35))
		flags |= O_NONBLOCK;
	if (percent(builder, 20))
		flags |= O_CLOEXEC;
	return flags;
}

static void fill_other_ioctl(struct builder *builder, struct operation *operation)
{
	static const uint16_t sizes[] = { 0, 8, 16, 32, 64, 96, 200, 4095 };

	operation->count = below(builder, percent(builder, 70) ? 20 : 256);
	operation->value = percent(builder, 80) ? PFM_IOC_TYPE : below(builder, 256);
	operation->flags = below(builder, 4);
	operation->size = ONE_OF(builder, sizes);
	operation->dirty = percent(builder, 50) ? 0xff : 0;
	if (percent(builder, 20))
		operation->place = bad_place(builder);
}

static void fill_read(struct builder *builder, struct operation *operation)
{
	static const uint64_t sizes[] = { 0, 1, 63, 65, 128, 4096, 1ull << 40, ~0ull };
	static const uint8_t counts[] = { 0, 1, 2, 2, 2 };

	operation->size = percent(builder, 75) ? 64 : ONE_OF(builder, sizes);
	operation->count = ONE_OF(builder, counts); /* buffers of readv(2) */
	if (percent(builder, 15))
		operation->place = bad_place(builder);
}

static void fill_mmap(struct builder *builder, struct operation *operation)
{
	static const uint64_t sizes[] = { 4096, 65536, 1 << 20, 0, ~0ull };
	static const uint32_t flags[] = { MAP_SHARED, MAP_PRIVATE, 0 };
	static const uint64_t offsets[] = { 0, 0, 0, 1, 16384, 16385, 1 << 20, ~0ull };

	operation->size = ONE_OF(builder, sizes);
	operation->count = 1 + below(builder, 3); /* protection */
	operation->flags = ONE_OF(builder, flags);
	operation->value = ONE_OF(builder, offsets);
	if (percent(builder, builder->samples ? 90 : 20)) {
		operation->size = percent(builder, 80) ? 4096 : 300;
		operation->count = PROT_READ;
		operation->flags = percent(builder, 70) ? MAP_SHARED : MAP_PRIVATE;
		/*
		 * Offsets are in pages. The buffer of CPU 0 begins at offset 0. With 4-KiB pages,
		 * the buffer of CPU 1 begins at offset 1 << 20.
		 */
		operation->value = percent(builder, 80) ? 0 : 1 << 20;
	}
	if (percent(builder, 4))
		operation->fail = which_allocation(builder);
}

static void fill_setting(struct builder *builder, struct operation *operation)
{
	operation->count = below(builder, SETTINGS);
	operation->flags = below(builder, SETTING_VALUES);
}

void fill_file_call(struct builder *builder, struct operation *operation)
{
	static const uint8_t whences[] = { 0, 1, 2, 3, 9 };

	switch (operation->call) {
	case OPEN:
		operation->flags = open_flags(builder);
		operation->few = percent(builder, 2);
		if (percent(builder, 6))
			operation->fail = which_allocation(builder);
		break;
	case REOPEN:
		operation->flags = open_flags(builder);
		operation->value = any_slot(builder);
		break;
	case OTHER_IOCTL:
		fill_other_ioctl(builder, operation);
		break;
	case READ:
	case READV:
	case WRITE:
		fill_read(builder, operation);
		break;
	case LSEEK:
		operation->value = random_next(&builder->random) >> below(builder, 64);
		operation->count = ONE_OF(builder, whences);
		break;
	case MMAP:
		fill_mmap(builder, operation);
		break;
	case POLL:
		operation->flags = percent(builder, 80) ? POLLIN
							: below(builder, 0x10000);
		operation->count = percent(builder, 10) ? -1 : (int)below(builder, 3);
		break;
	case SELECT:
		operation->value = below(builder, 500);
		operation->flags = below(builder, 2);
		break;
	case SETTING:
		fill_setting(builder, operation);
		break;
	}
}

static void fill_kill(struct builder *builder, struct operation *operation)
{
	static const uint8_t harmless[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGIO, SIGCONT };
	/*
	 * SIGSEGV and SIGBUS are missing here: if one of them kills a process,
	 * crash_is_wrong() reports that as an error.
	 */
	static const uint8_t any[] = { SIGSTOP, SIGSTOP, SIGCONT, SIGCONT,
				       SIGCONT, SIGUSR1, SIGALRM };
	static const uint8_t deadly[] = { SIGKILL, SIGKILL, SIGTERM, SIGABRT };
	bool target = percent(builder, 70);

	operation->who = target ? TARGET : WORKER;
	operation->value = below(builder, target ? TARGETS : WORKERS);
	operation->count = target ? ONE_OF(builder, any) : ONE_OF(builder, harmless);
	if (target && percent(builder, 15))
		operation->count = ONE_OF(builder, deadly);
}

static void fill_spawn(struct builder *builder, struct operation *operation)
{
	static const uint8_t kinds[] = { 0, 0, 0,  1,  2,  3,  4,  5,  5,  6,  6,  7,
					 8, 9, 10, 10, 10, 11, 11, 11, 12, 12, 13, 13 };

	operation->value = below(builder, TARGETS);
	operation->count = ONE_OF(builder, kinds);
	if (percent(builder, 25))
		operation->flags = percent(builder, 50) ? USER_ID : OTHER_ID;
	operation->size = percent(builder, 30);
}

void fill_environment(struct builder *builder, struct operation *operation)
{
	static const uint32_t dups[] = { F_DUPFD, F_DUPFD, F_DUPFD_CLOEXEC };
	static const uint32_t file_flags[] = { 0, O_NONBLOCK, O_ASYNC,
					       O_ASYNC | O_NONBLOCK, ~0u };
	static const uint8_t signals[] = { 0, SIGIO, SIGUSR1, REAL_TIME_SIGNAL, 65 };

	switch (operation->call) {
	case OPEN_OTHER:
		operation->count = below(builder, 5);
		break;
	case DUP:
		operation->flags = ONE_OF(builder, dups);
		operation->value = any_slot(builder);
		break;
	case FLAGS:
		operation->flags = ONE_OF(builder, file_flags);
		break;
	case OWNER:
		fill_who(builder, operation);
		if (operation->who != TARGET && operation->who != CHILD)
			operation->who = SELF;
		operation->count = below(builder, 4);
		break;
	case SIGNAL:
		operation->count = ONE_OF(builder, signals);
		break;
	case REMAP:
		operation->size = 4096 << below(builder, 6);
		break;
	case SPAWN:
		fill_spawn(builder, operation);
		break;
	case KILL:
		fill_kill(builder, operation);
		break;
	case FORK:
		operation->count = below(builder, 8);
		operation->flags = percent(builder, 30); /* the child execs */
		break;
	case AFFINITY:
		operation->count = below(builder, 3);
		break;
	case PRIORITY:
		fill_who(builder, operation);
		if (operation->who != TARGET)
			operation->who = SELF;
		operation->count = (int)below(builder, 40) - 20;
		break;
	case SLEEP:
		operation->count = below(builder, 500);
		break;
	case WORK:
		operation->count = below(builder, builder->samples ? 100000 : 4000);
		operation->value = percent(builder, 30) ? below(builder, 4) : 0;
		break;
	case LOOK:
		operation->count = below(builder, 13);
		break;
	case DEVICE_MODE:
		operation->flags = percent(builder, 50) ? 0666 : 0600;
		break;
	case PROCESSOR:
		operation->value = below(builder, 2);
		break;
	case MODULE:
		operation->value = below(builder, 8);
		break;
	case CANARY:
		operation->count = 1 + below(builder, 8);
		break;
	}
}
