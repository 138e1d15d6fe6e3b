// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modules perfmon_intel and perfmon_amd share the code of the files below.  Kbuild links an
 * object file into one module only, so each of the two modules includes these files.  The code is
 * not in a third module, because that module would stay loaded even if perfmon_amd finds no PMU.
 */
#include "x86.c"
#include "x86_exclusive.c"
#include "x86_placeholders.c"
#include "x86_shared.c"
#include "x86_shared_claim.c"
