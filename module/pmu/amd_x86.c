// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modules perfmon_intel and perfmon_amd share code.  This file compiles it for perfmon_amd.
 * Kbuild links an object file into one module only, so each of the two modules includes the
 * sources.  If a third module contained this code, that module would stay loaded even if
 * perfmon_amd finds no PMU.
 */
#include "x86.c"
#include "x86_exclusive.c"
#include "x86_placeholders.c"
#include "x86_shared.c"
#include "x86_shared_claim.c"
