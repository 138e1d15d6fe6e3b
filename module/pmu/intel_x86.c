// SPDX-License-Identifier: GPL-2.0-only
/*
 * This file compiles the code that perfmon_intel and perfmon_amd share, for perfmon_intel.
 * Kbuild links an object file into one module only, so each of the two modules includes the
 * sources.  If this code were in a third module, that module would stay loaded when perfmon_intel
 * finds no PMU.
 */
#include "x86.c"
#include "x86_exclusive.c"
#include "x86_placeholders.c"
#include "x86_shared.c"
#include "x86_shared_claim.c"
