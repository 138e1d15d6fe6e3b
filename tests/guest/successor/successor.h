/* SPDX-License-Identifier: GPL-2.0-only */
/* Constants that perfmon-successor and its tests share. */
#ifndef SUCCESSOR_H
#define SUCCESSOR_H

#define SUCCESSOR	"perfmon-successor"
#define SUCCESSOR_PAGES 20

#endif
