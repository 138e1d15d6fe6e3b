/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the modifiers that follow the name of an event, as in cycles:u:pp. */
#ifndef PFMON_MODIFIERS_H
#define PFMON_MODIFIERS_H

/* The maximum number of letters "p". As with perf, "p" and "pp" make an event precise. */
#define MOST_PRECISE 2

/*
 * Cut modifiers such as ":u", ":k", ":pp", ":upp" and ":u:k" out of @name. Returns the levels at
 * which the event is counted: MODE_USER, MODE_KERNEL or both. Adds the number of letters "p" to
 * @precision.
 */
unsigned int modifiers_cut(char *name, unsigned int *precision);

/*
 * Returns the part of @name that follows the name of the event and begins with a colon. NULL if
 * there is no such part. The name of the event may contain the name of a PMU, as in
 * amd_l3::l3-misses.
 */
const char *modifiers_find(const char *name);

#endif
