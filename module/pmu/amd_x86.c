// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code that the PMU descriptions of x86 processors share, for perfmon_amd.  Kbuild
 * builds an object for one module only, so each module includes the sources.  A separate
 * module with this code would stay loaded where perfmon_amd finds no PMU.
 */
#include "x86.c"
#include "x86_exclusive.c"
#include "x86_placeholders.c"
#include "x86_shared.c"
#include "x86_shared_claim.c"
