/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What programs of the perfmon2 time include: the library's header by its old name.
 * perfmon_ioctl.h has the kernel's side of it alone.
 */
#ifndef _PERFMON_PERFMON_H
#define _PERFMON_PERFMON_H

#include <perfmon/pfmdev.h>

#endif
