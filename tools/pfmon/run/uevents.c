// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel sends its uevents to all netlink sockets that belong to the group OF_KERNEL. A uevent
 * begins with a string such as "online@/devices/system/cpu/cpu3". uevents_take() reports only the
 * uevents about a CPU that came online or went offline. It ignores all others, such as those about
 * the devices that belong to a CPU.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uevents.h"

#define OF_KERNEL 1 /* the group of the kernel's own events; group 2 is udev's */
#define MOST	  8192 /* maximum number of bytes that pfmon reads of an event */

int uevents_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = OF_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd != -1 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static bool is_of_cpu(const char *event)
{
	return begins_with(event, "online@/devices/system/cpu/cpu") ||
	       begins_with(event, "offline@/devices/system/cpu/cpu");
}

bool uevents_take(int fd)
{
	char event[MOST + 1];
	bool has_cpu = false;
	ssize_t size;

	while ((size = recv(fd, event, MOST, 0)) >= 0 || errno == ENOBUFS) {
		/* The error ENOBUFS means that events were lost. */
		event[size < 0 ? 0 : size] = '\0';
		has_cpu |= size < 0 || is_of_cpu(event);
	}
	return has_cpu;
}
