/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFMON_HOTPLUG_H
#define PERFMON_HOTPLUG_H

int pfm_hotplug_init(void);
void pfm_hotplug_exit(void);

#endif
