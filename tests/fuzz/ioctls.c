/* SPDX-License-Identifier: GPL-2.0-only */
/* Executes the ioctls of perfmon, and ioctls that perfmon does not have. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "calls.h"

#define FILLED 64 /* maximum number of elements that this program writes to a vector */

static const unsigned long commands[] = {
#define COMMAND_ENTRY(name, command) [name] = command,
	IOCTLS(COMMAND_ENTRY)
#undef COMMAND_ENTRY
};

size_t element_size(enum call call)
{
	switch (call) {
	case WRITE_PMCS:
		return sizeof(struct pfarg_pmc);
	case WRITE_PMDS:
	case READ_PMDS:
		return sizeof(struct pfarg_pmd);
	case READ_VALUES:
	case READ_THREAD:
		return sizeof(struct pfarg_pmr);
	case CREATE_EVTSETS:
	case DELETE_EVTSETS:
		return sizeof(struct pfarg_setdesc);
	case GETINFO_EVTSETS:
		return sizeof(struct pfarg_setinfo);
	default:
		return 0;
	}
}

size_t stride_of(const struct operation *operation)
{
	const size_t size = element_size(operation->call);

	return operation->size > size ? operation->size : size;
}

size_t argument_size(enum call call)
{
	return _IOC_SIZE(commands[call]);
}

union argument {
	struct pfm_create create;
	struct pfarg_load load;
	struct pfarg_start start;
	struct pfm_restart_cpu restart_cpu;
	struct pfm_info info;
	struct pfm_error error;
	struct pfm_status status;
	struct pfm_statistics statistics;
	struct pfm_vector vector;
	struct pfarg_pmc pmc;
	struct pfarg_pmd pmd;
	struct pfarg_pmr pmr;
	struct pfarg_setdesc setdesc;
	struct pfarg_setinfo setinfo;
};

/*
 * Bits of e->map:
 * 0 to 15: PMDs 0 to 15 in reg_reset_pmds
 * 16 to 31: PMDs 0 to 15 in reg_smpl_pmds
 * 32 to 39: PMDs 256 to 263 in reg_reset_pmds
 * 40 to 47: PMDs 256 to 263 in reg_smpl_pmds
 * 48 and 49: the two lowest bits of word 1, 2, 3 or 4 of reg_smpl_pmds
 * 50 and 51: the index of this word, minus 1
 * from SWITCH_COUNT_SHIFT on: the switch count
 */
void put_sampling(struct pfarg_pmd *pmd, const struct element *e)
{
	pmd->reg_long_reset = e->reset;
	pmd->reg_short_reset = e->reset - (e->reset >> 60 & 1);
	pmd->reg_ovfl_switch_cnt = e->map >> SWITCH_COUNT_SHIFT;
	memset(pmd->reg_reset_pmds, 0, sizeof(pmd->reg_reset_pmds));
	memset(pmd->reg_smpl_pmds, 0, sizeof(pmd->reg_smpl_pmds));
	pmd->reg_reset_pmds[0] = e->map & 0xffff;
	pmd->reg_smpl_pmds[0] = e->map >> 16 & 0xffff;
	pmd->reg_reset_pmds[4] = e->map >> 32 & 0xff;
	pmd->reg_smpl_pmds[4] = e->map >> 40 & 0xff;
	pmd->reg_smpl_pmds[1 + (e->map >> 50) % 4] |= e->map >> 48 & 3;
}

static union argument make_element(const struct operation *operation, unsigned int n)
{
	const struct element *e = &operation->element[n % ELEMENTS];
	union argument argument;

	memset(&argument, operation->dirty ? 0xa5 : 0, sizeof(argument));
	switch (operation->call) {
	case WRITE_PMCS:
		argument.pmc.reg_num = e->number;
		argument.pmc.reg_set = e->set;
		argument.pmc.reg_flags = e->flags;
		argument.pmc.reg_value = e->value;
		break;
	case WRITE_PMDS:
	case READ_PMDS:
		argument.pmd.reg_num = e->number;
		argument.pmd.reg_set = e->set;
		argument.pmd.reg_flags = e->flags;
		argument.pmd.reg_value = e->value;
		put_sampling(&argument.pmd, e);
		break;
	case READ_VALUES:
	case READ_THREAD:
		argument.pmr.reg_num = e->number;
		argument.pmr.reg_set = e->set;
		argument.pmr.reg_flags = e->flags;
		break;
	case CREATE_EVTSETS:
	case DELETE_EVTSETS:
		argument.setdesc.set_id = e->set;
		argument.setdesc.set_flags = e->flags;
		argument.setdesc.set_timeout = e->value;
		break;
	case GETINFO_EVTSETS:
		argument.setinfo.set_id = e->set;
		break;
	}
	return argument;
}

bool is_written_whole(const struct operation *operation)
{
	const size_t count = operation->count < 0 ? 0 : operation->count;

	if (operation->place == READ_ONLY && count > page_size() / stride_of(operation))
		return false;
	return count <= FILLED;
}

void add_pmds(__u64 *map, const struct operation *operation)
{
	unsigned int n, word;

	for (n = 0; n < operation->elements; n++) {
		const union argument element = make_element(operation, n);
		const struct pfarg_pmd *pmd = &element.pmd;

		if (pmd->reg_num < PFM_MAX_PMDS)
			map[pmd->reg_num / 64] |= 1ull << pmd->reg_num % 64;
		for (word = 0; word < PFM_PMD_BV; word++)
			map[word] |= pmd->reg_smpl_pmds[word] | pmd->reg_reset_pmds[word];
	}
}

/*
 * Writes the elements to their place. Leaves out elements that do not fit there, and elements after
 * the first FILLED. Returns the address of the elements.
 */
static void *put_elements(struct executor *executor, const struct operation *operation)
{
	const size_t size = element_size(operation->call), stride = stride_of(operation);
	size_t count = operation->count < 0 ? 1 : operation->count, n;
	size_t room = executor->inner.size / stride;
	char elements[FILLED * (sizeof(union argument) + LONGER)];

	if (count > room)
		count = room;
	for (n = 0; n < count && n < FILLED; n++) {
		union argument element = make_element(
			operation, operation->elements ? n % operation->elements : 0);

		memset(elements + n * stride, operation->tail, stride);
		memcpy(elements + n * stride, &element, size);
	}
	return put_argument(&executor->inner, operation->place, elements, n * stride,
			    count * stride);
}

/* @flags: PFM_THREAD_* */
static void *put_thread_counts(struct executor *executor,
			       const struct operation *operation)
{
	struct pfm_thread_counts counts = {
		.address = (uintptr_t)put_elements(executor, operation),
		.count = operation->count,
		.element_size = operation->size,
		.which = operation->flags,
		.reserved1 = operation->dirty,
	};

	return put_argument(&executor->outer, operation->outer, &counts, sizeof(counts),
			    sizeof(counts));
}

static void *put_vector(struct executor *executor, const struct operation *operation)
{
	struct pfm_vector vector = {
		.address = (uintptr_t)put_elements(executor, operation),
		.count = operation->count,
		.element_size = operation->size,
	};

	return put_argument(&executor->outer, operation->outer, &vector, sizeof(vector),
			    sizeof(vector));
}

/*
 * A context with PFM_FL_NOTIFY_BLOCK may block its thread until the restart. If nobody restarts the
 * context, the thread stays blocked until the descriptor is closed. No worker may be blocked for so
 * long. The kernel refuses to load such a context on the caller's own thread. To protect the other
 * workers, only a process with one thread creates such contexts. The process marks their
 * descriptors, and thread_to_load() never returns another worker for a marked descriptor.
 */
#define MARK	   O_APPEND

/* BOUND_MARK marks the descriptors of system-wide contexts, which only root may create. */
#define BOUND_MARK O_NOATIME

static void add_mark(int fd, int mark)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | mark);
}

uint32_t flags_to_create(const struct executor *executor,
			 const struct operation *operation)
{
	if (executor->alone && operation->slot >= SHARED_SLOTS)
		return operation->flags;
	return operation->flags & ~PFM_FL_NOTIFY_BLOCK;
}

enum pmu_name pmu_name_of(const struct executor *executor,
			  const struct operation *operation)
{
	if (operation->size < NAME_SOFT ||
	    (executor->alone && operation->slot >= SHARED_SLOTS))
		return operation->size;
	return NAME_NONE;
}

/* Returns the address of the PMU's name. */
static uint64_t put_pmu_name(const struct executor *executor,
			     const struct operation *operation)
{
	static const char *const names[PMU_NAMES] = {
		[NAME_UNREADABLE] = (const char *)1,
		[NAME_UNKNOWN] = "none-such",
		[NAME_LONG] = "a-name-that-is-longer-than-any-name-of-a-pmu-can-be",
		[NAME_SOFT] = "soft",
		[NAME_AMD_IBS] = "amd_ibs",
	};
	const enum pmu_name name = pmu_name_of(executor, operation);

	if (name >= NAME_SOFT)
		executor->table->pmu_changes = true;
	return (uintptr_t)names[name];
}

static void mark(struct executor *executor, const struct operation *operation,
		 uint32_t flags)
{
	int fd = descriptor(executor, operation);

	if (flags & PFM_FL_SYSTEM_WIDE && !executor->user)
		add_mark(fd, BOUND_MARK);
	if (flags & PFM_FL_NOTIFY_BLOCK)
		add_mark(fd, MARK);
}

bool is_marked(struct executor *executor, const struct operation *operation)
{
	return fcntl(descriptor(executor, operation), F_GETFL) & MARK;
}

bool is_bound(struct executor *executor, const struct operation *operation)
{
	return fcntl(descriptor(executor, operation), F_GETFL) & BOUND_MARK;
}

/* Returns a CPU number. In most cases this CPU exists. */
static pid_t cpu_to_load(const struct operation *operation)
{
	return operation->value % 8 ? operation->value % 3 : operation->value;
}

static pid_t thread_to_load(struct executor *executor, const struct operation *operation)
{
	struct operation changed = *operation;

	if (is_bound(executor, operation))
		return cpu_to_load(operation);
	if (operation->who != SELF && operation->who != CHILD &&
	    is_marked(executor, operation))
		changed.who = TARGET;
	return pid_of(executor, &changed);
}

static void *put_ioctl_argument(struct executor *executor,
				const struct operation *operation)
{
	const size_t size = argument_size(operation->call);
	union argument argument;
	char longer[sizeof(argument) + LONGER];

	if (operation->call == READ_THREAD)
		return put_thread_counts(executor, operation);
	if (element_size(operation->call))
		return put_vector(executor, operation);
	memset(&argument, operation->dirty ? 0xa5 : 0, sizeof(argument));
	switch (operation->call) {
	case CREATE_CONTEXT:
		memset(&argument.create, 0, sizeof(argument.create));
		memset(argument.create.context.ctx_reserved3, operation->dirty,
		       sizeof(argument.create.context.ctx_reserved3));
		argument.create.context.ctx_flags = flags_to_create(executor, operation);
		mark(executor, operation, argument.create.context.ctx_flags);
		argument.create.pmu_name = put_pmu_name(executor, operation);
		put_format(executor, operation, &argument.create);
		break;
	case LOAD:
		argument.load.load_pid = thread_to_load(executor, operation);
		argument.load.load_set = operation->count;
		break;
	case START:
		argument.start.start_set = operation->count;
		break;
	case STATISTICS:
		argument.statistics.flags = operation->flags;
		argument.statistics.cpu = operation->value;
		break;
	case RESTART_CPU:
		argument.restart_cpu.cpu = operation->count;
		break;
	}
	memset(longer, operation->tail, sizeof(longer));
	memcpy(longer, &argument, size);
	return put_argument(&executor->inner, operation->place, longer,
			    size + operation->more, size + operation->more);
}

/* The command of an ioctl contains the size of its argument, including the added bytes. */
static unsigned long command_of(const struct operation *operation)
{
	return commands[operation->call] + _IOC(0, 0, 0, operation->more);
}

/* On a descriptor that no other process has, PFM_IOC_LAST_ERROR must report @error. */
static void check_last_error(int fd, const struct operation *operation, int error)
{
	struct pfm_error told;

	if (ioctl(fd, PFM_IOC_LAST_ERROR, &told))
		return; /* the file is not perfmon's */
	if (told.operation == _IOC_NR(commands[operation->call]) && told.error == error &&
	    told.reason != PFM_REASON_NONE && told.reason < PFM_REASON_COUNT_OF_REASONS)
		return;
	wrong("call %u failed with errno %d, but the last error is that of call %u: errno %d, reason %u",
	      (unsigned int)_IOC_NR(commands[operation->call]), error, told.operation,
	      told.error, told.reason);
}

static void check_status(const struct pfm_status *status)
{
	if (status->state < PFM_STATE_UNLOADED || status->state > PFM_STATE_MASKED)
		wrong("status: unknown state %u", status->state);
	if (status->flags & ~(PFM_STATUS_STARTED | PFM_STATUS_FOREIGN_CPU |
			      PFM_STATUS_USER_LEVEL | PFM_STATUS_CLOSED))
		wrong("status: unknown flags among %#x", status->flags);
	if (status->state == PFM_STATE_UNLOADED &&
	    (status->target || (status->flags & PFM_STATUS_STARTED)))
		wrong("status: the context is unloaded, but has target %u, flags %#x",
		      status->target, status->flags);
	if (status->buffer_cpus && !status->buffer_size)
		wrong("status: %u buffers of 0 bytes", status->buffer_cpus);
	if (status->lost_samples)
		wrong("status: %u samples lost on CPUs that have no buffer",
		      status->lost_samples);
}

/* Maximum number by which NMIs may increase a count while the kernel copies the counts. */
#define AT_ONCE 64

static void check_statistics(const struct pfm_statistics *statistics)
{
	bool is_of_cpu = statistics->flags & PFM_STATISTICS_CPU;
	unsigned int i;

	if (!is_of_cpu && statistics->timed_interrupts > statistics->interrupts + AT_ONCE)
		wrong("statistics: only %ju interrupts, but %ju were timed",
		      (uintmax_t)statistics->interrupts,
		      (uintmax_t)statistics->timed_interrupts);
	if (!is_of_cpu && statistics->lost > statistics->samples + AT_ONCE)
		wrong("statistics: only %ju samples, but %ju were lost",
		      (uintmax_t)statistics->samples, (uintmax_t)statistics->lost);
	if (!is_of_cpu && statistics->spurious)
		wrong("statistics: a context has spurious interrupts");
	for (i = 0; i < COUNT(statistics->reserved); i++)
		if (statistics->reserved[i])
			wrong("statistics: reserved field %u is not zero", i);
}

int do_ioctl(struct executor *executor, const struct operation *operation)
{
	int fd = descriptor(executor, operation);
	void *argument = put_ioctl_argument(executor, operation);
	int error;

	fail_begin(executor, operation);
	error = ioctl(fd, command_of(operation), argument) ? errno : 0;
	fail_end(executor, operation);
	if (!error && operation->call == STATUS && operation->place == GOOD)
		check_status(argument);
	if (!error && operation->call == STATISTICS && operation->place == GOOD)
		check_statistics(argument);
	if (error && error != EBADF && error != ENOTTY && operation->call != LAST_ERROR &&
	    file_of(executor, operation))
		check_last_error(fd, operation, error);
	return error;
}

/* Returns whether perfmon has an ioctl of this type and number. Ignores direction and size. */
static bool is_known(unsigned long command)
{
	return _IOC_TYPE(command) == PFM_IOC_TYPE && _IOC_NR(command) < COUNT(commands);
}

/*
 * Calls an unknown ioctl. Fields of the operation:
 * @count: number of the ioctl
 * @value: type of the ioctl
 * @flags: direction
 * @size: size of the argument in bytes
 */
int do_other_ioctl(struct executor *executor, const struct operation *operation)
{
	static const unsigned long directions[] = { _IOC_NONE, _IOC_READ, _IOC_WRITE,
						    _IOC_READ | _IOC_WRITE };
	unsigned long command = _IOC(directions[operation->flags % COUNT(directions)],
				     operation->value & 0xff, operation->count & 0xff,
				     operation->size & 0xfff);
	char argument[512];
	int fd = descriptor(executor, operation);

	if (is_known(command))
		command ^= _IOC(0, 0, 0x80, 0);
	memset(argument, operation->dirty, sizeof(argument));
	return ioctl(fd, command,
		     put_argument(&executor->inner, operation->place, argument,
				  sizeof(argument), sizeof(argument))) == -1
		       ? errno
		       : 0;
}
