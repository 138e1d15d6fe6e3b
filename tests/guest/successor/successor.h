/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations for tests that execute perfmon-successor. */
#ifndef SUCCESSOR_H
#define SUCCESSOR_H

#define SUCCESSOR	"perfmon-successor"
#define SUCCESSOR_PAGES 20

#endif
