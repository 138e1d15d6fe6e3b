/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds calls that must fail because of an argument, or because of the state of a file that only
 * this process has open. It does not check a call if another thread could make the call succeed. If
 * a call has failed, pairs.c checks whether the call may return this errno.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

/* Result of PFM_IOC_INFO before the first round. Empty if there was no PMU. */
static struct pfm_info machine_info;

void expectations_begin(void)
{
	int fd = open(PFM_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd == -1)
		return;
	if (ioctl(fd, PFM_IOC_INFO, &machine_info))
		machine_info.pmu_name[0] = '\0';
	close(fd);
}

const char *pmu_module(void)
{
	static char name[sizeof("perfmon_") + sizeof(machine_info.pmu_name)];

	snprintf(name, sizeof(name), "perfmon_%s", machine_info.pmu_name);
	return name;
}

static bool takes_argument(enum call call)
{
	return argument_size(call) > 0;
}

/* Returns whether the kernel writes to the call's argument or to the elements of its vector. */
static bool writes_back(enum call call)
{
	return call == READ_PMDS || call == READ_VALUES || call == READ_THREAD ||
	       call == GETINFO_EVTSETS || call == CREATE_EVTSETS || call == INFO ||
	       call == LAST_ERROR || call == STATUS || call == STATISTICS;
}

static bool is_in(const __u64 *map, unsigned int n)
{
	return map[n / 64] >> n % 64 & 1;
}

/* Returns whether the kernel cannot read an argument at this place. */
static bool is_bad_address(enum place place)
{
	return place == OVER_END || place == UNMAPPED || place == NOWHERE ||
	       place == KERNEL;
}

static bool is_unwritable(enum call call, enum place place)
{
	return place == READ_ONLY && writes_back(call);
}

/* ---- arguments ---------------------------------------------------------------------- */

static const char *bad_vector(const struct executor *executor,
			      const struct operation *operation)
{
	if (is_bad_address(operation->outer))
		return "the vector has a bad address";
	if (operation->count < 0)
		return "the count is negative";
	if (operation->size && operation->size < element_size(operation->call))
		return "the elements are too small";
	if (!operation->count)
		return NULL;
	if (operation->tail && stride_of(operation) > element_size(operation->call))
		return "the unknown part of an element is not zero";
	/* The first half of the element is mapped, and READ_PMDS needs only this half. */
	if (operation->place == OVER_END && operation->count == 1)
		return operation->call == READ_PMDS
			       ? NULL
			       : "the element ends in unmapped memory";
	if (is_bad_address(operation->place) ||
	    is_unwritable(operation->call, operation->place))
		return "the elements have a bad address";
	if (operation->place == GOOD &&
	    (operation->count - 1) * stride_of(operation) >= executor->inner.size)
		return "the vector ends in unmapped memory";
	return NULL;
}

/* Returns whether machine_info certainly describes the PMU of each context. */
static bool knows_pmu(const struct executor *executor)
{
	return *machine_info.pmu_name && !executor->table->pmu_changes;
}

static bool is_missing_pmc(const struct executor *executor, unsigned int number)
{
	if (number >= PFM_MAX_PMCS)
		return true;
	return knows_pmu(executor) && !is_in(machine_info.implemented_pmcs, number);
}

static bool is_missing_pmd(const struct executor *executor, unsigned int number)
{
	if (number >= PFM_MAX_PMDS)
		return true;
	return knows_pmu(executor) && !is_in(machine_info.implemented_pmds, number);
}

/* Returns whether @map (reg_smpl_pmds or reg_reset_pmds) names a PMD that does not exist. */
static bool has_missing_pmd(const struct executor *executor, const __u64 *map)
{
	unsigned int word;

	for (word = 0; word < PFM_PMD_BV; word++)
		if (map[word] & ~machine_info.implemented_pmds[word])
			return knows_pmu(executor);
	return false;
}

static const char *bad_pmd(const struct executor *executor, const struct element *e)
{
	struct pfarg_pmd pmd;

	if (e->flags & ~(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM))
		return "the PMD has unknown flags";
	if (is_missing_pmd(executor, e->number))
		return "there is no such PMD";
	put_sampling(&pmd, e);
	if (pmd.reg_ovfl_switch_cnt && e->number >= PFM_VIRTUAL_PMD_BASE)
		return "a virtual PMD has a switch count";
	if (has_missing_pmd(executor, pmd.reg_smpl_pmds))
		return "there is no such PMD for reg_smpl_pmds";
	return has_missing_pmd(executor, pmd.reg_reset_pmds)
		       ? "there is no such PMD for reg_reset_pmds"
		       : NULL;
}

static const char *bad_set(const struct element *e)
{
	if (e->flags >= (PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH))
		return "the set has bad flags";
	return e->flags == PFM_SETFL_TIME_SWITCH && !e->value ? "the set has no timeout"
							      : NULL;
}

static const char *bad_element(const struct executor *executor,
			       const struct operation *operation, const struct element *e)
{
	switch (operation->call) {
	case WRITE_PMCS:
		if (is_missing_pmc(executor, e->number))
			return "there is no such PMC";
		return e->flags & ~PFM_REGFL_NO_EMUL64 ? "the PMC has unknown flags"
						       : NULL;
	case WRITE_PMDS:
		return bad_pmd(executor, e);
	case READ_VALUES:
	case READ_THREAD:
		if (e->flags)
			return "the PMD has unknown flags";
		/* fall through */
	case READ_PMDS:
		return is_missing_pmd(executor, e->number) ? "there is no such PMD"
							   : NULL;
	case CREATE_EVTSETS:
		return bad_set(e);
	case DELETE_EVTSETS:
		return e->set ? NULL : "set 0 cannot be deleted";
	default:
		return NULL;
	}
}

/* Returns the number of elements of operation->element that the kernel reads if none is bad. */
static unsigned int elements_seen(const struct operation *operation)
{
	if (operation->count < 0)
		return 0;
	return operation->count < operation->elements ? operation->count
						      : operation->elements;
}

static const char *bad_thread(const struct operation *operation)
{
	if (operation->dirty)
		return "a reserved field is not zero";
	return operation->flags > PFM_THREAD_ENDED ? "there is no such kind of thread"
						   : NULL;
}

static const char *bad_elements(const struct executor *executor,
				const struct operation *operation)
{
	const char *why = bad_vector(executor, operation);
	unsigned int n;

	if (!why && operation->call == READ_THREAD)
		why = bad_thread(operation);
	for (n = 0; !why && n < elements_seen(operation); n++)
		why = bad_element(executor, operation, &operation->element[n]);
	return why;
}

static const char *bad_create(const struct executor *executor,
			      const struct operation *operation)
{
	const uint32_t inherit = PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL;
	const uint32_t known = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
			       PFM_FL_OVFL_NO_MSG | PFM_FL_KEEP_COUNTS | inherit;
	const uint32_t flags = flags_to_create(executor, operation);

	switch (pmu_name_of(executor, operation)) {
	case NAME_UNREADABLE:
		return "the PMU's name has a bad address";
	case NAME_UNKNOWN:
	case NAME_LONG:
		return "there is no such PMU";
	default:
		break;
	}
	if (flags & ~known)
		return "a flag is unknown or not offered";
	if (flags & PFM_FL_SYSTEM_WIDE && executor->user)
		return "only root may monitor CPUs";
	if (flags & inherit && flags & (PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE))
		return "a copy can neither block its thread nor monitor a CPU";
	if (flags & PFM_FL_KEEP_COUNTS && !(flags & inherit))
		return "PFM_FL_KEEP_COUNTS needs a flag PFM_FL_INHERIT_*";
	return bad_format(operation);
}

#define NO_CPU 4096 /* no machine for tests has so many CPUs */

/* Returns why a load must fail, or NULL if it may succeed. Linux's thread IDs are 1 to 4194303. */
static const char *bad_load(struct executor *executor, const struct operation *operation)
{
	if (is_marked(executor, operation) || is_bound(executor, operation))
		return NULL;
	if (operation->who == DEAD)
		return "the thread has ended";
	if (operation->who == KERNEL_THREAD)
		return "a kernel thread cannot be monitored";
	if (operation->who == INIT && executor->user)
		return "the thread belongs to another user";
	if (operation->who == NUMBER &&
	    (operation->value == 0 || operation->value >= 4194304))
		return "no thread has that ID";
	return NULL;
}

static const char *bad_statistics(const struct executor *executor,
				  const struct operation *operation)
{
	if (operation->flags & ~PFM_STATISTICS_CPU)
		return "a flag is unknown";
	if (!operation->flags)
		return operation->value ? "a reserved field is not zero" : NULL;
	if (operation->value >= NO_CPU)
		return "there is no such CPU";
	return executor->user ? "only root may read the statistics of CPUs" : NULL;
}

static const char *bad_ioctl(struct executor *executor, const struct operation *operation)
{
	const char *why = NULL;

	if (element_size(operation->call))
		return bad_elements(executor, operation);
	if (operation->call == START && operation->place == NOWHERE)
		return NULL;
	if (takes_argument(operation->call) &&
	    (is_bad_address(operation->place) ||
	     is_unwritable(operation->call, operation->place)))
		return "the argument has a bad address";
	if (has_reserved_fields(operation->call) && operation->dirty)
		return "a reserved field is not zero";
	if (operation->more && operation->tail)
		return "the unknown part of the argument is not zero";
	if (operation->call == CREATE_CONTEXT)
		why = bad_create(executor, operation);
	if (operation->call == LOAD)
		why = bad_load(executor, operation);
	if (operation->call == STATISTICS)
		why = bad_statistics(executor, operation);
	if (operation->call == RESTART_CPU && (uint32_t)operation->count >= NO_CPU)
		why = "there is no such CPU";
	return why;
}

/*
 * Returns why a call on a file of perfmon must fail, or NULL if it may succeed. bad_ioctl() checks
 * perfmon's ioctls.
 */
static const char *bad_file_call(const struct operation *operation)
{
	switch (operation->call) {
	case WRITE:
		return "perfmon's file does not support writes";
	case LSEEK:
		return "perfmon's file is not seekable";
	case OTHER_IOCTL:
		return operation->value == PFM_IOC_TYPE ? "there is no such ioctl" : NULL;
	case MMAP:
		/*
		 * The offset of each CPU's buffer is a multiple of 4 GiB. With pages of 64 KiB or
		 * less, that is a multiple of 65536 pages.
		 */
		if (operation->value & 0xffff || !operation->size || !operation->flags)
			return "the size, offset or flags are bad";
		return operation->count & PROT_WRITE ? "a buffer is read-only" : NULL;
	case READ:
		return operation->size < sizeof(union pfarg_msg)
			       ? "the buffer is too small for a message"
			       : NULL;
	default:
		return NULL;
	}
}

static bool needs_descriptor(enum call call)
{
	return is_ioctl(call) || call == REOPEN || call == OTHER_IOCTL || call == READ ||
	       call == READV || call == WRITE || call == LSEEK || call == MMAP ||
	       call == SELECT;
}

/* ---- state -------------------------------------------------------------------------- */

struct file_state *file_of(struct executor *executor, const struct operation *operation)
{
	struct file_state *file;

	if (!executor->alone || operation->slot < SHARED_SLOTS)
		return NULL;
	file = &executor->files[operation->slot - SHARED_SLOTS];
	return file->known ? file : NULL;
}

static bool is_set(const struct file_state *file, unsigned int set)
{
	unsigned int n;

	for (n = 0; n < file->set_count; n++)
		if (file->sets[n] == set)
			return true;
	return !set || file->any_set;
}

/*
 * Returns why the call must fail if an element names a set that does not exist, or if READ_PMDS or
 * READ_VALUES names a PMD that was never written. Otherwise returns NULL.
 */
static const char *missing_element(const struct file_state *file,
				   const struct operation *operation)
{
	bool reads = operation->call == READ_PMDS || operation->call == READ_VALUES;
	unsigned int n;

	if (operation->call == CREATE_EVTSETS)
		return NULL;
	for (n = 0; n < elements_seen(operation); n++) {
		const struct element *e = &operation->element[n];

		if (!is_set(file, e->set))
			return "there is no such set";
		if (reads && (e->number >= PFM_MAX_PMDS || !is_in(file->pmds, e->number)))
			return "the PMD was never written";
	}
	return NULL;
}

static bool has_copies(const struct file_state *file)
{
	return file->flags & (PFM_FL_INHERIT_THREADS | PFM_FL_INHERIT_ALL);
}

static const char *bad_mapping(const struct file_state *file,
			       const struct operation *operation)
{
	const uint64_t pages = (operation->size - 1) / page_size() + 1;

	if (!file->format)
		return "the context has no buffer";
	if (operation->value && !has_copies(file))
		return "the CPUs have no buffers of their own";
	return pages > (file->buffer_bytes - 1) / page_size() + 1
		       ? "the mapping is longer than the buffer"
		       : NULL;
}

/* A call on a context that was never loaded finds no message. readv(2) of 0 bytes succeeds. */
static const char *bad_reading(const struct file_state *file,
			       const struct operation *operation)
{
	if (operation->call == READV && !bytes_to_read(operation))
		return NULL;
	return file->was_loaded ? NULL : "the context was never loaded";
}

static const char *bad_restart(const struct file_state *file)
{
	if (file->format && has_copies(file))
		return "each CPU has a buffer";
	return file->was_started || file->continuous ? NULL
						     : "monitoring was never started";
}

static const char *bad_thread_counts(const struct file_state *file,
				     const struct operation *operation)
{
	if (operation->flags == PFM_THREAD_ENDED)
		return file->flags & PFM_FL_KEEP_COUNTS ? NULL : "no counts are kept";
	return file->flags & PFM_FL_SYSTEM_WIDE ? "the context monitors no thread" : NULL;
}

/* Returns why a call must fail because of what its context is, loaded or not. */
static const char *bad_kind(const struct file_state *file,
			    const struct operation *operation)
{
	switch (operation->call) {
	case LOAD:
		return file->flags & PFM_FL_NOTIFY_BLOCK && operation->who == SELF
			       ? "a context cannot block its caller"
			       : NULL;
	case RESTART:
		return bad_restart(file);
	case RESTART_CPU:
		return file->format && has_copies(file) ? NULL : "CPUs have no buffers";
	case READ_THREAD:
		return bad_thread_counts(file, operation);
	default:
		return NULL;
	}
}

static const char *bad_state_loaded(const struct operation *operation)
{
	if (operation->call == LOAD)
		return "the context is loaded";
	if ((operation->call == CREATE_EVTSETS || operation->call == DELETE_EVTSETS) &&
	    operation->count > 0)
		return "the context is loaded";
	return NULL;
}

static const char *bad_state(const struct file_state *file,
			     const struct operation *operation)
{
	const enum call call = operation->call;
	const char *why = NULL;

	if (call == MMAP)
		return bad_mapping(file, operation);
	if (call == READ || call == READV)
		return bad_reading(file, operation);
	if (!is_ioctl(call) || call == INFO || call == LAST_ERROR ||
	    (call == STATISTICS && operation->flags))
		return NULL;
	if (call == CREATE_CONTEXT)
		return file->created ? "the file has a context" : NULL;
	if (!file->created)
		return "the file has no context";
	if ((call == START || call == STOP || call == RESTART) && !file->loaded &&
	    !file->maybe_loaded)
		return "the context is not loaded";
	why = bad_kind(file, operation);
	if (!why && file->loaded)
		why = bad_state_loaded(operation);
	/*
	 * READ_THREAD reads counts of copies. A copy has the event sets that the context had when
	 * the copy was loaded. The context's sets may have changed since then, so this function
	 * does not check the sets and PMDs of READ_THREAD.
	 */
	if (!why && element_size(call) && call != READ_THREAD)
		why = missing_element(file, operation);
	if (!why && (call == LOAD || (call == START && operation->place != NOWHERE)) &&
	    !is_set(file, operation->count & 0xffff))
		why = "there is no such set";
	return why;
}

const char *must_fail(struct executor *executor, const struct operation *operation,
		      enum kind kind)
{
	const struct file_state *file = file_of(executor, operation);
	const char *why = NULL;

	if (operation->call == OPEN)
		return operation->few && executor->alone ? "the limit of open files is 0"
							 : NULL;
	if (operation->call == SETTING)
		return executor->user ? "only root may change a setting"
				      : bad_setting(operation);
	if (kind == CLOSED && needs_descriptor(operation->call))
		return "the descriptor is closed";
	if (kind == OTHER && is_ioctl(operation->call))
		return "the file is not perfmon's";
	if (kind != PERFMON)
		return NULL;
	why = is_ioctl(operation->call) ? bad_ioctl(executor, operation)
					: bad_file_call(operation);
	if (!why && file)
		why = bad_state(file, operation);
	return why;
}

/* ---- state changes by calls --------------------------------------------------------- */

static void add_set(struct file_state *file, unsigned int set)
{
	if (is_set(file, set))
		return;
	if (file->set_count == KNOWN_SETS)
		file->any_set = true;
	else
		file->sets[file->set_count++] = set;
}

static void remember_success(struct executor *executor, struct file_state *file,
			     const struct operation *operation)
{
	switch (operation->call) {
	case CREATE_CONTEXT:
		file->created = true;
		file->format = wants_format(operation);
		file->continuous = is_continuous(operation);
		file->flags = flags_to_create(executor, operation);
		file->buffer_bytes = most_buffer_bytes(operation);
		break;
	case START:
		file->was_started = true;
		break;
	case LOAD:
		file->was_loaded = true;
		file->was_started = false;
		file->loaded = operation->who == SELF && !is_bound(executor, operation);
		file->maybe_loaded = !file->loaded;
		break;
	case UNLOAD:
		file->loaded = false;
		file->maybe_loaded = false;
		break;
	}
}

/*
 * After a call, updates what is known about the call's file. A call that fails at a bad element has
 * already used the elements before it. So each set that the vector names may exist after the call,
 * and each PMD that it names may be in use. If this program has not written all elements
 * (is_written_whole()), the kernel may have read elements with unknown contents. Then
 * CREATE_EVTSETS may have created any set, and WRITE_PMDS may have brought any PMD into use.
 */
void remember(struct executor *executor, const struct operation *operation, int error)
{
	struct file_state *file = file_of(executor, operation);
	unsigned int n;

	if (!file)
		return;
	if (operation->call == DUP)
		file->known = false;
	if (!error)
		remember_success(executor, file, operation);
	if (operation->call == WRITE_PMDS) {
		add_pmds(file->pmds, operation);
		if (!is_written_whole(operation))
			memset(file->pmds, 0xff, sizeof(file->pmds));
	}
	if (operation->call == CREATE_EVTSETS) {
		for (n = 0; n < operation->elements; n++)
			add_set(file, operation->element[n].set);
		if (!is_written_whole(operation))
			file->any_set = true;
	}
}

void forget_files(struct executor *executor)
{
	unsigned int n;

	for (n = 0; n < PRIVATE_SLOTS; n++)
		executor->files[n].known = false;
}
