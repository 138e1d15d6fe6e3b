/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_DEVICE_H
#define PERFMON_DEVICE_H

int pfm_device_init(void);
void pfm_device_exit(void);

#endif
