# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions for the scripts that are stages of tests/check. The functions count the checks, and
# print the counts at the end of the script.

passed=0 failed=0

# verify NAME COMMAND...: COMMAND must succeed.
verify() {
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "FAIL: $name"
		failed=$((failed + 1))
	fi
}

# The last command of a script: prints the counts, and fails if a check failed or if there was no
# check.
print_counts() {
	echo "$passed passed, $failed failed"
	[[ $failed -eq 0 && $passed -gt 0 ]]
}
