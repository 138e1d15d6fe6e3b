# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Runs the checks of a shell script. Output and exit status are like those of the suites that are
# written in C.
#
#	check NAME COMMAND...	COMMAND must succeed; if it fails, its output is shown
#	summary			prints the numbers of checks and exits

suite=$(basename "$0" .sh)
passed=0
failed=0

check()
{
	check_name=$1
	shift
	if check_output=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED   %s: %s\n%s\n' "$suite" "$check_name" "$check_output"
	fi
}

summary()
{
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	exit
}
