/* SPDX-License-Identifier: GPL-2.0-only */
/* A suite that is linked with device.o and --wrap=ioctl answers ioctls in place of the device. */
#ifndef DEVICE_H
#define DEVICE_H

/*
 * The descriptor of the device.  It is only a number, without an open file: it must not
 * be closed.
 */
#define DEVICE_FD 77

/* The suite's answer to an ioctl: returns 0, or sets errno and returns -1. */
int device_answer(unsigned long request, void *argument);

#endif
