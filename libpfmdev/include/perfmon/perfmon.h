/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library's header under its perfmon2 name, for programs of that time.
 * perfmon_ioctl.h has the ioctls only.
 */
#ifndef _PERFMON_PERFMON_H
#define _PERFMON_PERFMON_H

#include <perfmon/pfmdev.h>

#endif
