/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library's header under the name of perfmon2's header, for programs written for
 * perfmon2.  Programs that use only the ioctls include perfmon_ioctl.h instead.
 */
#ifndef _PERFMON_PERFMON_H
#define _PERFMON_PERFMON_H

#include <perfmon/pfmdev.h>

#endif
