/* SPDX-License-Identifier: GPL-2.0-only */
/* Manages what a thread uses for its operations: descriptors, memory, a timer, fault injection. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define INNER_BYTES (64 << 10)

/* The threads of a process share these slots. A forked process gets a copy of them. */
static struct slot shared_slots[SHARED_SLOTS];

static const struct slot empty = { .fd = -1, .kind = CLOSED };

void shared_slots_clear(void)
{
	unsigned int n;

	for (n = 0; n < SHARED_SLOTS; n++)
		shared_slots[n] = empty;
}

static struct slot *slot_of(struct executor *executor, unsigned int number)
{
	if (number < SHARED_SLOTS)
		return &shared_slots[number];
	return &executor->private_slots[(number - SHARED_SLOTS) % PRIVATE_SLOTS];
}

struct slot slot_now(struct executor *executor, unsigned int number)
{
	struct slot now;

	__atomic_load(slot_of(executor, number), &now, __ATOMIC_SEQ_CST);
	return now;
}

bool slots_equal(struct slot a, struct slot b)
{
	return a.fd == b.fd && a.kind == b.kind && a.changes == b.changes;
}

int descriptor(struct executor *executor, const struct operation *operation)
{
	return slot_now(executor, operation->slot).fd;
}

/*
 * Returns which kind of file @fd refers to. Looks up the device's number each time, because the
 * number may change when the module is loaded again. A file that was opened with O_PATH does not
 * count as perfmon's, because such an open does not call the driver.
 */
enum kind kind_of_descriptor(int fd)
{
	struct stat status, device;

	if (fstat(fd, &status))
		return CLOSED;
	if ((fcntl(fd, F_GETFL) & O_PATH) || !S_ISCHR(status.st_mode) ||
	    stat(PFM_DEVICE, &device) || status.st_rdev != device.st_rdev)
		return OTHER;
	return PERFMON;
}

/*
 * Puts @fd into the slot, and then closes the descriptor that was there. Linux reuses the number of
 * a descriptor only after the close. So no descriptor is in two slots at the same time, and the
 * kind of a descriptor does not change while it is in its slot.
 */
void put_in_slot(struct executor *executor, unsigned int number, int fd, enum kind kind)
{
	struct slot *slot = slot_of(executor, number);
	struct slot new = { .fd = fd, .kind = kind };
	struct slot old = slot_now(executor, number);

	do {
		new.changes = old.changes + 1;
	} while (!__atomic_compare_exchange(slot, &old, &new, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
	if (old.fd != -1)
		close(old.fd);
	if (number >= SHARED_SLOTS)
		executor->files[number - SHARED_SLOTS].known = false;
}

/*
 * Corrects the shared slots in a new process. Other threads of the parent may have opened or closed
 * files during the fork, so a slot may not match its descriptor.
 */
void shared_slots_check(void)
{
	unsigned int n;

	for (n = 0; n < SHARED_SLOTS; n++) {
		shared_slots[n].kind = kind_of_descriptor(shared_slots[n].fd);
		if (shared_slots[n].kind == CLOSED)
			shared_slots[n].fd = -1;
	}
}

/* ---- memory ----------------------------------------------------------------------- */

size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

void *map(size_t size, int protection)
{
	void *address = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (address == MAP_FAILED)
		abort();
	return address;
}

/* Maps one page twice: read-only for calls, and writable for this program. */
static void read_only_new(struct area *area)
{
	void *writable, *alias;

	/*
	 * A shared mapping needs an open file. So mmap() fails if another worker has just lowered
	 * the machine's limit of open files.
	 */
	while ((writable = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED &&
	       errno == ENFILE)
		usleep(1000);
	alias = mremap(writable, 0, page_size(), MREMAP_MAYMOVE);
	if (writable == MAP_FAILED || alias == MAP_FAILED)
		abort();
	mprotect(alias, page_size(), PROT_READ);
	area->writable = writable;
	area->read_only = alias;
}

static struct area area_new(size_t size)
{
	struct area area;

	size = (size + page_size() - 1) / page_size() * page_size();
	area.base = map(size + page_size(), PROT_READ | PROT_WRITE);
	area.size = size;
	mprotect(area.base + size, page_size(), PROT_NONE);
	read_only_new(&area);
	return area;
}

static void area_free(struct area *area)
{
	munmap(area->base, area->size + page_size());
	munmap(area->read_only, page_size());
	munmap(area->writable, page_size());
}

/* Gives a new process its own read-only pages, because it shares the old ones with its parent. */
void areas_separate(struct executor *executor)
{
	read_only_new(&executor->inner);
	read_only_new(&executor->outer);
}

void *address_in(const struct area *area, enum place place, size_t size)
{
	char *end = area->base + area->size;

	if (size > area->size)
		size = area->size;
	switch (place) {
	case AT_END:
		return end - size;
	case OVER_END:
		return end - size / 2;
	case READ_ONLY:
		return area->read_only;
	case UNMAPPED:
		return end;
	case NOWHERE:
		return NULL;
	case KERNEL:
		return (void *)(-1ul << 30);
	default:
		return area->base;
	}
}

/*
 * Copies the argument, which has @size bytes, to its place. If it does not fit there, copies only
 * its beginning. Returns the address of the copy. The call will use @whole bytes from this address
 * on.
 */
void *put_argument(const struct area *area, enum place place, const void *argument,
		   size_t size, size_t whole)
{
	char *address = address_in(area, place, whole);
	char *end = area->base + area->size;

	if (address >= area->base && address < end) {
		memcpy(address, argument,
		       size < (size_t)(end - address) ? size : (size_t)(end - address));
	} else if (address == area->read_only) {
		memcpy(area->writable, argument, size < page_size() ? size : page_size());
	}
	return address;
}

/* ---- threads ----------------------------------------------------------------------- */

pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

/*
 * Returns the PID of a process that has ended. Linux reuses a PID only after it has created
 * thousands of other threads.
 */
static pid_t dead_process(struct executor *executor)
{
	pid_t pid = executor->dead;

	if (pid > 0)
		return pid;
	pid = fork_when_possible();
	if (pid == 0)
		_exit(0);
	/* Wait again after a signal, because the process may not have ended yet. */
	while (pid > 0 && waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	executor->dead = pid;
	return pid;
}

/*
 * Returns the ID of a thread of a target. @number selects the target and one of the target's
 * threads, but never the first thread. If the selected thread never existed, returns the ID of the
 * target's first thread instead.
 */
static pid_t target_thread(const struct table *table, unsigned int number)
{
	unsigned int target = number % TARGETS;
	pid_t thread = table->target_threads[target][number / TARGETS % TARGET_THREADS];

	return thread ?: table->targets[target];
}

pid_t pid_of(struct executor *executor, const struct operation *operation)
{
	switch (operation->who) {
	case SELF:
		return thread_id();
	case TARGET:
		return executor->table->targets[operation->value % TARGETS];
	case TARGET_THREAD:
		return target_thread(executor->table, operation->value);
	case WORKER:
		return executor->table->workers[operation->value % WORKERS];
	case CHILD:
		return executor->child;
	case DEAD:
		return dead_process(executor);
	case INIT:
		return 1;
	case KERNEL_THREAD:
		return 2;
	default:
		return operation->value;
	}
}

/* ---- fault injection --------------------------------------------------------------- */

/*
 * Writes @number to @fd, which is the file fail-nth or make-it-fail of this thread. Ignores errors,
 * because ordinary users are not allowed to write to these files.
 */
static void fault_file_write(int fd, unsigned int number)
{
	char text[8];

	snprintf(text, sizeof(text), "%u", number);
	if (fd != -1 && pwrite(fd, text, strlen(text), 0) == -1)
		return;
}

/*
 * After a fork, the kernel copies each page at the next write to it. During a call with FAIL_ALL,
 * the allocation of the copy would fail, so the page fault would repeat for ever. Therefore the
 * process does not fork during such a call, and before the call the thread writes to all pages that
 * the call will use.
 */
static pthread_rwlock_t forking = PTHREAD_RWLOCK_INITIALIZER;

pid_t fork_when_possible(void)
{
	pid_t pid;

	pthread_rwlock_wrlock(&forking);
	pid = fork();
	if (pid == 0)
		forking = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	else
		pthread_rwlock_unlock(&forking);
	return pid;
}

/* Writes to the part of the stack that the call will use, and to errno of this thread. */
static __attribute__((noinline)) void touch_own_memory(void)
{
	volatile char stack[16384];
	size_t n;

	for (n = 0; n < sizeof(stack); n += 1024)
		stack[n] = 0;
	*(volatile int *)&errno = errno;
}

/*
 * Makes allocations fail, as @operation->fail says. Called immediately before the system call, so
 * that only allocations of this call fail.
 */
void fail_begin(struct executor *executor, const struct operation *operation)
{
	if (operation->fail == FAIL_ALL) {
		pthread_rwlock_rdlock(&forking);
		touch_own_memory();
		fault_file_write(executor->fail_all, 1);
	}
	if (operation->fail && operation->fail != FAIL_ALL)
		fault_file_write(executor->fail_nth, operation->fail);
}

void fail_end(struct executor *executor, const struct operation *operation)
{
	int error = errno;

	if (operation->fail == FAIL_ALL) {
		fault_file_write(executor->fail_all, 0);
		pthread_rwlock_unlock(&forking);
	} else if (operation->fail) {
		fault_file_write(executor->fail_nth, 0);
	}
	errno = error;
}

/* ---- timeouts ---------------------------------------------------------------------- */

#define TIMEOUT_NS 3000000

timer_t timeout_new(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGALRM };
	timer_t timer;

	event._sigev_un._tid = thread_id();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		abort();
	return timer;
}

/* Until timeout_end(), a call that blocks ends with EINTR after TIMEOUT_NS. */
void timeout_begin(struct executor *executor)
{
	const struct itimerspec interval = { { 0, TIMEOUT_NS }, { 0, TIMEOUT_NS } };

	timer_settime(executor->timer, 0, &interval, NULL);
}

void timeout_end(struct executor *executor)
{
	const struct itimerspec never = {};
	int error = errno;

	timer_settime(executor->timer, 0, &never, NULL);
	errno = error;
}

/* ---- begin and end ---------------------------------------------------------------- */

void executor_begin(struct executor *executor, struct table *table, unsigned int number,
		    bool alone, uid_t user)
{
	*executor = (struct executor){
		.table = table,
		.number = number,
		.alone = alone,
		.user = user,
		.private_slots = { empty, empty, empty, empty },
		.inner = area_new(INNER_BYTES),
		.outer = area_new(1),
		.timer = timeout_new(),
	};
	executor->fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	executor->fail_all = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	table->workers[number] = thread_id();
}

void executor_end(struct executor *executor)
{
	unsigned int n;

	for (n = 0; n < PRIVATE_SLOTS; n++)
		if (executor->private_slots[n].fd != -1)
			close(executor->private_slots[n].fd);
	do_unmap(executor);
	area_free(&executor->inner);
	area_free(&executor->outer);
	timer_delete(executor->timer);
	if (executor->fail_nth != -1)
		close(executor->fail_nth);
	if (executor->fail_all != -1)
		close(executor->fail_all);
}
