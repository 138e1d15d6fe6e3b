/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs written for perfmon2 include a header of this name.  This file includes the library's
 * header for them.  Programs that use only the ioctls include perfmon_ioctl.h instead.
 */
#ifndef _PERFMON_PERFMON_H
#define _PERFMON_PERFMON_H

#include <perfmon/pfmdev.h>

#endif
