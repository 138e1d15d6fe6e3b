# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For shell tests: the same summary as libcheck's, and its exit status.
#
#	check NAME COMMAND...	COMMAND has to succeed; what it says is shown if not
#	summary SUITE		ends the test

checks=0
failures=0

check()
{
	check_name=$1
	shift
	checks=$((checks + 1))
	if ! check_output=$("$@" 2>&1); then
		failures=$((failures + 1))
		printf '%s:F: %s\n%s\n' "$0" "$check_name" "$check_output"
	fi
}

summary()
{
	echo "Running suite(s): $1"
	[ "$checks" -gt 0 ] || { echo "0%: Checks: 0"; exit 1; }
	echo "$(((checks - failures) * 100 / checks))%: Checks: $checks, Failures: $failures, Errors: 0"
	[ "$failures" = 0 ]
	exit
}
