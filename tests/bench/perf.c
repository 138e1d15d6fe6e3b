// SPDX-License-Identifier: GPL-2.0-only
/* Counts with perf_event. A session has one event, or one group of events. */
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tool.h"

static int event_open(uint64_t config, pid_t thread, int leader, uint64_t format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.disabled = leader == -1, /* the leader starts all members */
		.read_format = format,
	};

	return syscall(SYS_perf_event_open, &attr, thread, -1, leader, 0);
}

static bool no_such_event(void)
{
	return errno == EINVAL || errno == ENOENT || errno == EOPNOTSUPP;
}

static void perf_close(void *argument)
{
	struct session *session = argument;
	unsigned int i;

	for (i = session->count; i > 1; i--)
		close(session->members[i - 1]);
	close(session->fd);
}

static bool perf_open(struct session *session, unsigned int count, pid_t thread)
{
	const uint64_t *events = find_pmu()->perf.events;
	uint64_t format = count > 1 ? PERF_FORMAT_GROUP : 0;
	int fd;

	*session = (struct session){ 0 };
	while (session->count < count) {
		fd = events[session->count]
			     ? event_open(events[session->count], thread,
					  session->count ? session->fd : -1, format)
			     : -1;
		if (fd == -1)
			break;
		if (session->count == 0)
			session->fd = fd;
		session->members[session->count++] = fd;
	}
	if (session->count == count)
		return true;
	if (events[session->count] && !no_such_event())
		err(1, "perf_event_open");
	if (session->count)
		perf_close(session);
	return false;
}

static void perf_create(void *argument)
{
	struct session *session = argument;

	session->fd = event_open(find_pmu()->perf.events[0], 0, -1, 0);
	if (session->fd == -1)
		err(1, "perf_event_open");
}

static void perf_destroy(void *argument)
{
	struct session *session = argument;

	close(session->fd);
}

static void perf_start(void *argument)
{
	struct session *session = argument;

	if (ioctl(session->fd, PERF_EVENT_IOC_ENABLE, 0))
		err(1, "PERF_EVENT_IOC_ENABLE");
}

static void perf_stop(void *argument)
{
	struct session *session = argument;

	if (ioctl(session->fd, PERF_EVENT_IOC_DISABLE, 0))
		err(1, "PERF_EVENT_IOC_DISABLE");
}

static void perf_read(void *argument)
{
	struct session *session = argument;

	if (read(session->fd, session->values, sizeof(session->values)) <= 0)
		err(1, "read from perf");
}

static uint64_t perf_value(const struct session *session, unsigned int n)
{
	return session->values[session->count > 1 ? 1 + n : 0];
}

const struct tool perf_tool = {
	.create = perf_create,
	.destroy = perf_destroy,
	.open = perf_open,
	.close = perf_close,
	.start = perf_start,
	.stop = perf_stop,
	.read = perf_read,
	.value = perf_value,
};
