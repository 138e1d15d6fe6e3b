/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests know of perfmon-successor. */
#ifndef SUCCESSOR_H
#define SUCCESSOR_H

#define SUCCESSOR	"perfmon-successor"
#define SUCCESSOR_PAGES 20

#endif
