# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For the scripts that run Debian's perf in an x86_64 guest.

# Fills the array perf_files with options of tests/vm/run. These options copy perf into the guest.
fetch_perf() {
	local tree file
	tree=$(tests/vm/fetch perf x86_64) || return
	perf_files=()
	for file in bin/bash lib64 lib/x86_64-linux-gnu usr/bin/perf usr/sbin usr/lib; do
		perf_files+=(-f "$tree/$file:/$file")
	done
}
