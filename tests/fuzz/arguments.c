/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of an operation: mostly as a sane program has them; each is spoilt
 * with some probability, mostly in one place, because a call with two faults shows
 * only the first of them.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include "author.h"

struct operation *add(struct author *author, enum call call, unsigned int slot)
{
	static struct operation dropped;
	struct operation *operation = &dropped;

	if (author->count < author->limit)
		operation = &author->operations[author->count++];
	*operation = (struct operation){ .call = call, .slot = slot };
	return operation;
}

unsigned int any_slot(struct author *author)
{
	if (percent(author, 50))
		return below(author, SHARED_SLOTS);
	return SHARED_SLOTS + below(author, PRIVATE_SLOTS);
}

static uint16_t register_number(struct author *author, bool pmd)
{
	static const uint16_t edges[] = { 6,   7,   8,	 30,  32,  63,	 64,
					  255, 262, 319, 320, 321, 65535 };

	if (percent(author, 6))
		return ONE_OF(author, edges);
	if (pmd && percent(author, 35))
		return PFM_VIRTUAL_PMD_BASE + below(author, 6);
	if (author->pmu == PMU_ARMV8)
		return percent(author, 15) ? 31 : below(author, 6);
	return below(author, 8);
}

static uint64_t pmc_value(struct author *author)
{
	if (percent(author, 5))
		return random_next(&author->random);
	if (author->pmu == PMU_ARMV8) {
		static const uint64_t filters[] = { 0,		0,	    1ull << 31,
						    1ull << 30, 3ull << 30, 1ull << 27 };

		return below(author, 0x40) | ONE_OF(author, filters);
	}
	return below(author, 7);
}

static uint64_t pmd_value(struct author *author)
{
	static const uint64_t edges[] = {
		1, 0xffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
	};

	if (percent(author, 60))
		return 0;
	/* Overflows soon. */
	if (percent(author, 30))
		return -(uint64_t)below(author, 1000000);
	if (percent(author, 50))
		return ONE_OF(author, edges);
	return random_next(&author->random);
}

/* From one that no machine can stand to one that a little work takes. */
static uint64_t period(struct author *author)
{
	static const uint32_t longest[] = { 2, 10, 100, 10000, 100000, 1000000 };

	return 1 + below(author, ONE_OF(author, longest));
}

/* As struct element has them: PMDs that the PMU has, and now and then others. */
static uint64_t some_pmds(struct author *author)
{
	uint64_t map = random_next(&author->random);

	if (percent(author, 4))
		return map;
	return map & (author->pmu == PMU_ARMV8 ? 0x3f3f003f003full : 0x3f3f00ff00ffull);
}

static void fill_sampling(struct author *author, struct element *e)
{
	if (percent(author, 90))
		e->number = below(author, author->pmu == PMU_ARMV8 ? 6 : 8);
	e->value = -period(author);
	e->reset = percent(author, 80) ? e->value : -period(author);
	e->flags = (percent(author, 80) ? PFM_REGFL_OVFL_NOTIFY : 0) |
		   (percent(author, 20) ? PFM_REGFL_RANDOM : 0);
	e->map = percent(author, 40) ? some_pmds(author) : 0;
}

static uint16_t set_number(struct author *author)
{
	static const uint16_t edges[] = { 1, 2, 7, 65535 };

	if (author->sets && percent(author, 95))
		return below(author, SETS);
	return percent(author, 96) ? 0 : ONE_OF(author, edges);
}

/* Counters that lead to the next set, after a few overflows of short periods. */
static void fill_trigger(struct author *author, struct element *e)
{
	if (percent(author, 90))
		e->number = below(author, author->pmu == PMU_ARMV8 ? 6 : 8);
	e->value = e->reset = -period(author);
	e->flags &= ~PFM_REGFL_OVFL_NOTIFY;
	if (percent(author, 20))
		e->flags |= PFM_REGFL_OVFL_NOTIFY;
	e->map &= ~(0xffull << SWITCH_COUNT_SHIFT);
	e->map |= (uint64_t)below(author, 4) << SWITCH_COUNT_SHIFT;
}

/* In most cases one that the kernel takes. */
static void fill_set(struct author *author, struct element *e)
{
	static const uint64_t timeouts[] = { 100000, 100000, 150001, 1000000, 5000000 };
	static const uint64_t edges[] = { 0, 1, 99999, 3600000000000, 1ull << 63, ~0ull };

	if (percent(author, author->sets ? 5 : 90))
		e->flags = percent(author, 20) ? below(author, 5) : 0;
	else
		e->flags = below(author, 3);
	if (e->flags == PFM_SETFL_TIME_SWITCH || percent(author, 10))
		e->value = percent(author, 85) ? ONE_OF(author, timeouts)
					       : ONE_OF(author, edges);
}

static enum place spoilt_place(struct author *author)
{
	static const uint8_t places[] = { AT_END,   OVER_END, READ_ONLY, UNMAPPED,
					  UNMAPPED, NOWHERE,  KERNEL };

	return ONE_OF(author, places);
}

/*
 * About the limits: of a page, of arg_mem_max as SETTING sets it, of an int.
 * Nothing between what a guest has room for and what is more than all its memory.
 */
static int spoilt_count(struct author *author, enum call call)
{
	int size = element_size(call);
	const int counts[] = {
		-1,
		INT_MIN,
		INT_MAX,
		INT_MAX / size,
		4096 / size,
		4096 / size + 1,
		65536 / size,
		65536 / size + 1,
		INT_MAX / size - 1,
		INT_MAX / size - 1,
		1048576 / size + 1,
		600,
	};

	return ONE_OF(author, counts);
}

static void fill_element(struct author *author, struct operation *operation,
			 unsigned int n)
{
	struct element *e = &operation->element[n];

	e->set = set_number(author);
	switch (operation->call) {
	case WRITE_PMCS:
		e->number = register_number(author, false);
		e->value = pmc_value(author);
		if (percent(author, 5))
			e->flags = percent(author, 60) ? PFM_REGFL_NO_EMUL64
						       : 1u << below(author, 32);
		break;
	case WRITE_PMDS:
		e->number = register_number(author, true);
		e->value = pmd_value(author);
		e->reset = percent(author, 20) ? pmd_value(author) : 0;
		if (percent(author, 4))
			e->flags = 1u << below(author, percent(author, 70) ? 2 : 32);
		if (percent(author, 2))
			e->map = random_next(&author->random);
		if (author->samples || percent(author, 5))
			fill_sampling(author, e);
		if (author->sets && percent(author, 60))
			fill_trigger(author, e);
		author->numbers[n] = e->number;
		break;
	case READ_PMDS:
	case READ_VALUES:
		e->number = percent(author, 85) ? author->numbers[n]
						: register_number(author, true);
		e->flags = percent(author, 5) ? ~0u : 0;
		break;
	case CREATE_EVTSETS:
		fill_set(author, e);
		break;
	}
}

static void fill_vector(struct author *author, struct operation *operation)
{
	unsigned int n;

	operation->elements = 1 + below(author, ELEMENTS);
	operation->count = operation->elements;
	for (n = 0; n < operation->elements; n++)
		fill_element(author, operation, n);
	if (operation->call == DELETE_EVTSETS && percent(author, 60))
		operation->element[0].set = 1 + below(author, 3);
	if (percent(author, 2))
		operation->count = 0;
	if (percent(author, 8))
		operation->count = spoilt_count(author, operation->call);
	if (percent(author, 6))
		operation->place = spoilt_place(author);
	if (percent(author, 3))
		operation->outer = spoilt_place(author);
	if (percent(author, 1))
		operation->size = 1; /* pfm_vector.reserved */
}

static void fill_person(struct author *author, struct operation *operation)
{
	static const uint8_t people[] = { SELF,		 SELF,	 SELF,	 SELF,	 SELF,
					  SELF,		 TARGET, TARGET, TARGET, TARGET,
					  WORKER,	 CHILD,	 CHILD,	 DEAD,	 INIT,
					  KERNEL_THREAD, NUMBER };
	static const uint32_t numbers[] = { 0, ~0u, INT_MAX, 1u << 31, 4194304, 12345 };

	operation->who = ONE_OF(author, people);
	if (operation->who == TARGET)
		operation->value = below(author, TARGETS);
	else if (operation->who == WORKER)
		operation->value = below(author, WORKERS);
	else if (operation->who == NUMBER)
		operation->value = ONE_OF(author, numbers);
}

/* Mostly one that there is, with a buffer of some pages. */
static void fill_format(struct author *author, struct operation *operation)
{
	static const uint8_t usual[] = { 1, 1, 1, 1, 2, 3, 4 };
	static const uint64_t sizes[] = { 4096, 4096, 65536, 65536, 300, 5000, 1 << 20 };
	static const uint64_t edges[] = { 0, 1, 128, 255, 1ull << 40, ~0ull, ~4095ull };
	struct element *e = &operation->element[0];

	operation->elements = 1;
	e->number = percent(author, 95) ? ONE_OF(author, usual) : below(author, 10);
	e->value = percent(author, 90) ? ONE_OF(author, sizes) : ONE_OF(author, edges);
	e->flags = percent(author, 4) ? below(author, 4) : 0;
	e->set = percent(author, 3);
	if (percent(author, 4))
		operation->outer = spoilt_place(author);
}

static void fill_create(struct author *author, struct operation *operation)
{
	static const uint32_t flags[] = {
		PFM_FL_NOTIFY_BLOCK,
		PFM_FL_SYSTEM_WIDE,
		PFM_FL_MAP_SETS,
		PFM_FL_OVFL_NO_MSG,
		PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE,
		0x4,
		0x10000,
		~0u,
	};

	if (percent(author, 10))
		operation->flags = ONE_OF(author, flags);
	if (percent(author, 2))
		operation->size = 1; /* pfm_create.reserved */
	if (percent(author, author->samples ? 95 : 20))
		fill_format(author, operation);
}

uint32_t open_flags(struct author *author)
{
	static const uint32_t odd[] = { O_WRONLY,
					O_CREAT | O_EXCL,
					O_TRUNC | O_RDWR,
					O_APPEND | O_RDWR,
					O_NOATIME,
					O_RDWR | O_ASYNC,
					3 };
	uint32_t flags = percent(author, 75) ? O_RDWR : O_RDONLY;

	if (percent(author, 6))
		flags = ONE_OF(author, odd);
	if (percent(author, 35))
		flags |= O_NONBLOCK;
	if (percent(author, 20))
		flags |= O_CLOEXEC;
	return flags;
}

/* More than that is not allocated on the way. */
static unsigned int which_allocation(struct author *author)
{
	if (percent(author, 25))
		return FAIL_ALL;
	return 1 + below(author, percent(author, 70) ? 3 : 12);
}

static void fill_ioctl(struct author *author, struct operation *operation)
{
	switch (operation->call) {
	case CREATE_CONTEXT:
		fill_create(author, operation);
		break;
	case LOAD:
		fill_person(author, operation);
		operation->count = set_number(author);
		break;
	case START:
		operation->place = percent(author, 70) ? NOWHERE : GOOD;
		operation->count = set_number(author);
		break;
	case WRITE_PMCS:
	case WRITE_PMDS:
	case READ_PMDS:
	case READ_VALUES:
	case CREATE_EVTSETS:
	case GETINFO_EVTSETS:
	case DELETE_EVTSETS:
		fill_vector(author, operation);
		break;
	case INFO:
	case LAST_ERROR:
	case STATUS:
		if (percent(author, 12))
			operation->place = spoilt_place(author);
		break;
	}
	if (percent(author, 4))
		operation->place = spoilt_place(author);
	if (percent(author, operation->call == CREATE_CONTEXT ? 12 : 4))
		operation->fail = which_allocation(author);
	operation->dirty = percent(author, 30);
}

static void fill_other_ioctl(struct author *author, struct operation *operation)
{
	static const uint16_t sizes[] = { 0, 8, 16, 32, 64, 96, 200, 4095 };

	operation->count = below(author, percent(author, 70) ? 20 : 256);
	operation->value = percent(author, 80) ? PFM_IOC_TYPE : below(author, 256);
	operation->flags = below(author, 4);
	operation->size = ONE_OF(author, sizes);
	operation->dirty = percent(author, 50) ? 0xff : 0;
	if (percent(author, 20))
		operation->place = spoilt_place(author);
}

static void fill_read(struct author *author, struct operation *operation)
{
	static const uint64_t sizes[] = { 0, 1, 63, 65, 128, 4096, 1ull << 40, ~0ull };
	static const uint8_t counts[] = { 0, 1, 2, 2, 2 };

	operation->size = percent(author, 75) ? 64 : ONE_OF(author, sizes);
	operation->count = ONE_OF(author, counts); /* of readv */
	if (percent(author, 15))
		operation->place = spoilt_place(author);
}

static void fill_mmap(struct author *author, struct operation *operation)
{
	static const uint64_t sizes[] = { 4096, 65536, 1 << 20, 0, ~0ull };
	static const uint32_t flags[] = { MAP_SHARED, MAP_PRIVATE, 0 };
	static const uint64_t offsets[] = { 0, 0, 0, 1, 16384, 16385, ~0ull };

	operation->size = ONE_OF(author, sizes);
	operation->count = 1 + below(author, 3); /* protection */
	operation->flags = ONE_OF(author, flags);
	operation->value = ONE_OF(author, offsets);
	if (percent(author, author->samples ? 90 : 20)) {
		operation->size = percent(author, 80) ? 4096 : 300;
		operation->count = PROT_READ;
		operation->flags = percent(author, 70) ? MAP_SHARED : MAP_PRIVATE;
		operation->value = 0;
	}
	if (percent(author, 4))
		operation->fail = which_allocation(author);
}

static void fill_setting(struct author *author, struct operation *operation)
{
	operation->count = below(author, 10);
	operation->flags = below(author, 13);
}

static void fill_file_call(struct author *author, struct operation *operation)
{
	static const uint8_t whences[] = { 0, 1, 2, 3, 9 };

	switch (operation->call) {
	case OPEN:
		operation->flags = open_flags(author);
		operation->few = percent(author, 2);
		if (percent(author, 6))
			operation->fail = which_allocation(author);
		break;
	case REOPEN:
		operation->flags = open_flags(author);
		operation->value = any_slot(author);
		break;
	case OTHER_IOCTL:
		fill_other_ioctl(author, operation);
		break;
	case READ:
	case READV:
	case WRITE:
		fill_read(author, operation);
		break;
	case LSEEK:
		operation->value = random_next(&author->random) >> below(author, 64);
		operation->count = ONE_OF(author, whences);
		break;
	case MMAP:
		fill_mmap(author, operation);
		break;
	case POLL:
		operation->flags = percent(author, 80) ? POLLIN : below(author, 0x10000);
		operation->count = percent(author, 10) ? -1 : (int)below(author, 3);
		break;
	case SELECT:
		operation->value = below(author, 500);
		operation->flags = below(author, 2);
		break;
	case SETTING:
		fill_setting(author, operation);
		break;
	}
}

static void fill_kill(struct author *author, struct operation *operation)
{
	static const uint8_t harmless[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGIO, SIGCONT };
	/* Not SIGSEGV nor SIGBUS: who dies of those was not killed (crash_is_wrong()). */
	static const uint8_t any[] = { SIGKILL, SIGKILL, SIGTERM, SIGSTOP,
				       SIGSTOP, SIGCONT, SIGUSR1, SIGABRT };
	bool target = percent(author, 70);

	operation->who = target ? TARGET : WORKER;
	operation->value = below(author, target ? TARGETS : WORKERS);
	operation->count = target ? ONE_OF(author, any) : ONE_OF(author, harmless);
}

static void fill_spawn(struct author *author, struct operation *operation)
{
	static const uint8_t kinds[] = { 0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9 };

	operation->value = below(author, TARGETS);
	operation->count = ONE_OF(author, kinds);
	if (percent(author, 25))
		operation->flags = percent(author, 50) ? USER_ID : OTHER_ID;
	operation->size = percent(author, 30);
}

static void fill_surroundings(struct author *author, struct operation *operation)
{
	static const uint32_t dups[] = { F_DUPFD, F_DUPFD, F_DUPFD_CLOEXEC };
	static const uint32_t file_flags[] = { 0, O_NONBLOCK, O_ASYNC,
					       O_ASYNC | O_NONBLOCK, ~0u };
	static const uint8_t signals[] = { 0, SIGIO, SIGUSR1, REAL_TIME_SIGNAL, 65 };

	switch (operation->call) {
	case OPEN_OTHER:
		operation->count = below(author, 5);
		break;
	case DUP:
		operation->flags = ONE_OF(author, dups);
		operation->value = any_slot(author);
		break;
	case FLAGS:
		operation->flags = ONE_OF(author, file_flags);
		break;
	case OWNER:
		fill_person(author, operation);
		if (operation->who != TARGET && operation->who != CHILD)
			operation->who = SELF;
		operation->count = below(author, 4);
		break;
	case SIGNAL:
		operation->count = ONE_OF(author, signals);
		break;
	case REMAP:
		operation->size = 4096 << below(author, 6);
		break;
	case SPAWN:
		fill_spawn(author, operation);
		break;
	case KILL:
		fill_kill(author, operation);
		break;
	case FORK:
		operation->count = below(author, 8);
		operation->flags = percent(author, 30); /* exec at the end */
		break;
	case AFFINITY:
		operation->count = below(author, 3);
		break;
	case PRIORITY:
		fill_person(author, operation);
		if (operation->who != TARGET)
			operation->who = SELF;
		operation->count = (int)below(author, 40) - 20;
		break;
	case SLEEP:
		operation->count = below(author, 500);
		break;
	case WORK:
		operation->count = below(author, author->samples ? 100000 : 4000);
		operation->value = percent(author, 30) ? below(author, 4) : 0;
		break;
	case LOOK:
		operation->count = below(author, 13);
		break;
	case DEVICE_MODE:
		operation->flags = percent(author, 50) ? 0666 : 0600;
		break;
	case PROCESSOR:
		operation->value = below(author, 2);
		break;
	case MODULE:
		operation->value = below(author, 8);
		break;
	case CANARY:
		operation->count = 1 + below(author, 8);
		break;
	}
}

struct operation *add_filled(struct author *author, enum call call, unsigned int slot)
{
	struct operation *operation = add(author, call, slot);

	if (call < OPEN)
		fill_ioctl(author, operation);
	else if (call < OPEN_OTHER)
		fill_file_call(author, operation);
	else
		fill_surroundings(author, operation);
	return operation;
}
