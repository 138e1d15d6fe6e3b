// SPDX-License-Identifier: GPL-2.0-only
/* Read the kernel's reports about processes. They come from perf events, see perf_event_open(2). */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/errors.h"
#include "../run/cpus.h"
#include "side_band.h"

/*
 * Size of a CPU's ring in bytes. The records of one exec take about 2000 bytes. The default of the
 * sysctl perf_event_mlock_kb permits each user to lock a ring of this size for each CPU.
 */
#define RING_SIZE   (512u << 10)

/* The maximum size of a record in bytes. */
#define RECORD_MOST 65536u

/**
 * struct side_ring - the ring of a CPU, into which the kernel writes records
 * @fd: descriptor of the perf event; -1 if there is none, for example because the CPU is offline
 * @page: the mapped header; the records follow it
 * @size: size in bytes of the part with the records
 * @enabled: total time for which the perf event was enabled, as last read. If this time does not
 *	grow any more, the kernel has ended the perf event because the CPU went offline
 * @copy: buffer for a record that wraps from the end of the ring to the beginning of the ring
 */
struct side_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
	uint64_t enabled;
	char *copy;
};

static int open_event(pid_t tid, int cpu, size_t size)
{
	struct perf_event_attr attribute = {
		.size = sizeof(attribute),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.inherit = tid != -1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)size / 4,
	};

	return (int)syscall(SYS_perf_event_open, &attribute, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static void close_ring(struct side_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	if (ring->fd != -1)
		close(ring->fd);
	free(ring->copy);
	*ring = (struct side_ring){ .fd = -1 };
}

/* Map the ring. If the user may not lock so much memory, map a smaller ring. */
static int map_ring(struct side_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (; ring->size >= page; ring->size /= 2) {
		void *map = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE,
				 MAP_SHARED, ring->fd, 0);

		if (map != MAP_FAILED) {
			ring->page = map;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return errno;
}

static uint64_t time_enabled(const struct side_ring *ring)
{
	uint64_t values[2] = { 0 };

	if (read(ring->fd, values, sizeof(values)) != sizeof(values))
		return 0;
	return values[1];
}

/* Returns 0 or an errno. */
static int open_ring(struct side_band *band, int cpu)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)cpu };
	struct side_ring *ring = &band->rings[cpu];
	int error;

	ring->size = RING_SIZE;
	ring->fd = open_event(band->tid, cpu, ring->size);
	if (ring->fd == -1)
		return errno;
	ring->copy = malloc(RECORD_MOST);
	error = ring->copy ? map_ring(ring) : ENOMEM;
	if (!error && epoll_ctl(band->poll, EPOLL_CTL_ADD, ring->fd, &event))
		error = errno;
	if (error)
		close_ring(ring);
	else
		ring->enabled = time_enabled(ring);
	return error;
}

/*
 * Open a ring for each CPU that the machine can have. If thread @tid is watched, the kernel permits
 * perf events for it on offline CPUs, too. If all processes are watched (@tid is -1), the kernel
 * permits perf events on online CPUs only. In this case, follow_cpu() opens the ring of an offline
 * CPU when the CPU comes online.
 */
int side_band_open(struct side_band *band, pid_t tid)
{
	int cpus = cpus_highest() + 1;
	size_t open = 0;
	int error = 0;

	*band = (struct side_band){ .tid = tid, .poll = epoll_create1(EPOLL_CLOEXEC) };
	band->rings = calloc((size_t)cpus, sizeof(*band->rings));
	if (!band->rings)
		return fail("no memory");
	band->count = (size_t)cpus;
	for (size_t i = 0; i < band->count; i++)
		band->rings[i].fd = -1;
	for (size_t i = 0; i < band->count; i++) {
		int result = open_ring(band, (int)i);

		open += !result;
		if (result && result != ENODEV)
			error = result;
	}
	return error || open ? error : ENODEV;
}

/* ---- records ------------------------------------------------------------------------------- */

struct fork_record {
	struct perf_event_header header;
	uint32_t tgid, parent_tgid;
	uint32_t tid, parent_tid;
	uint64_t time;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	char name[];
};

struct mmap_record {
	struct perf_event_header header;
	uint32_t tgid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* Returns the time of a record: its last 8 bytes. */
static uint64_t time_of(const struct perf_event_header *header)
{
	uint64_t time;

	memcpy(&time, (const char *)header + header->size - sizeof(time), sizeof(time));
	return time;
}

/*
 * Returns the path that /proc/PID/maps shows. This path is empty for anonymous memory, which perf
 * calls "//anon".
 */
static const char *path_of(const struct mmap_record *record)
{
	return strncmp(record->path, "//", 2) ? record->path : "";
}

/* Store @record in @event. Returns false if @record is not about a process. */
static bool decode(struct side_band *band, const void *record, struct side_event *event)
{
	const struct perf_event_header *header = record;
	const struct fork_record *fork = record;
	const struct comm_record *comm = record;
	const struct mmap_record *mmap = record;
	const struct lost_record *lost = record;

	*event = (struct side_event){ .time = time_of(header) };
	switch (header->type) {
	case PERF_RECORD_FORK:
		event->kind = SIDE_FORK;
		event->tid = fork->tid;
		event->tgid = fork->tgid;
		event->parent_tid = fork->parent_tid;
		event->parent_tgid = fork->parent_tgid;
		return true;
	case PERF_RECORD_COMM:
		event->kind = header->misc & PERF_RECORD_MISC_COMM_EXEC ? SIDE_EXEC
									: SIDE_NAME;
		event->tid = comm->tid;
		event->tgid = comm->tgid;
		event->name = comm->name;
		return true;
	case PERF_RECORD_MMAP2:
		event->kind = SIDE_MAPPING;
		event->tid = mmap->tid;
		event->tgid = mmap->tgid;
		event->map = (struct map){
			.start = mmap->start,
			.end = mmap->start + mmap->length,
			.offset = mmap->offset,
			.inode = mmap->inode,
			.device_major = mmap->major,
			.device_minor = mmap->minor,
			.path = (char *)path_of(mmap),
		};
		return mmap->length;
	case PERF_RECORD_LOST:
		band->lost += lost->lost;
		return false;
	default:
		return false;
	}
}

/* Returns the record at @tail in one piece: a record that wraps is copied to ring->copy. */
static const struct perf_event_header *record_at(struct side_ring *ring, uint64_t tail)
{
	const char *records = (const char *)ring->page + ring->page->data_offset;
	size_t begin = tail & (ring->size - 1), first = ring->size - begin;
	const struct perf_event_header *header = (const void *)(records + begin);

	/*
	 * The sizes of all records, of the header and of the ring are multiples of 8, so no header
	 * wraps.
	 */
	if (header->size <= first)
		return header;
	memcpy(ring->copy, records + begin, first);
	memcpy(ring->copy + first, records, header->size - first);
	return (const void *)ring->copy;
}

static int read_ring(struct side_band *band, struct side_ring *ring,
		     side_function function, void *data)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct side_event event;
	int result = 0;

	while (!result && tail != head) {
		const struct perf_event_header *header = record_at(ring, tail);

		if (decode(band, header, &event))
			result = function(data, &event);
		tail += header->size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	}
	return result;
}

/*
 * If all processes are watched, the kernel ends the perf event of a CPU that goes offline. Open
 * another perf event when the CPU is online again. The perf events of a watched thread do not end
 * when a CPU goes offline.
 */
static void follow_cpu(struct side_band *band, int cpu)
{
	struct side_ring *ring = &band->rings[cpu];
	uint64_t enabled;

	if (band->tid != -1)
		return;
	if (ring->fd != -1) {
		enabled = time_enabled(ring);
		if (enabled != ring->enabled) {
			ring->enabled = enabled;
			return;
		}
		close_ring(ring);
	}
	if (!open_ring(band, cpu))
		band->gaps++;
}

/*
 * If all threads that a perf event watches have ended, epoll_wait() does not wait any more: each
 * call returns this perf event immediately. So stop polling such perf events.
 */
static void forget_ended(const struct side_band *band)
{
	struct epoll_event ready;

	while (epoll_wait(band->poll, &ready, 1, 0) == 1 && ready.events & EPOLLHUP)
		epoll_ctl(band->poll, EPOLL_CTL_DEL, band->rings[ready.data.u32].fd,
			  NULL);
}

int side_band_read(struct side_band *band, side_function function, void *data)
{
	int result = 0;

	for (size_t i = 0; !result && i < band->count; i++) {
		if (band->rings[i].fd != -1)
			result = read_ring(band, &band->rings[i], function, data);
		follow_cpu(band, (int)i);
	}
	forget_ended(band);
	return result;
}

void side_band_close(struct side_band *band)
{
	for (size_t i = 0; i < band->count; i++)
		close_ring(&band->rings[i]);
	free(band->rings);
	if (band->poll > 0)
		close(band->poll);
	*band = (struct side_band){ .poll = -1 };
}
