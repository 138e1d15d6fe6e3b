/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_IOCTL_H
#define PERFMON_IOCTL_H

struct file;

long pfm_ioctl(struct file *file, unsigned int command, unsigned long argument);

#endif
