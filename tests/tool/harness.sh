# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2317,SC2034 # used by the scripts that source this file
#
# Functions that the test scripts of this folder share. The scripts run inside a guest, in this
# folder. Each script defines functions test_... and ends with run_tests "$0" "$@".
#
# Which tests run: a script runs all of its tests, or only those that its arguments name. It leaves
# out the tests test_long_..., which take long, if PERFMON_SHORT is in the environment. A test that
# cannot run in this guest is skipped. The test calls skip(), or the beginning of its name says
# which PMU it needs:
# test_armv8_..., test_power_..., test_soft_..., test_intel_...: the PMU of this name
# test_x86_...: the PMUs of Intel and AMD
# test_ibs_...: the PMUs of AMD that have instruction based sampling
# test_levels_...: the PMUs that can leave out the kernel level
# tests/skips lists the tests that each stage skips.
#
# A script prints "N passed, N failed, N skipped" as its last line.

# A test can kill the shell that runs it. So the script starts itself as a second process, which
# runs the tests and writes their results to a file. The first process prints the sums, no matter
# how the second one ends.
print_sums() {
	grep -q '^end$' "$PERFMON_RESULTS" ||
		echo "FAILED   tool-${0##*/}: the script ended before its last test" |
		tee -a "$PERFMON_RESULTS"
	passed=$(grep -c '^passed ' "$PERFMON_RESULTS")
	failed=$(grep -c '^FAILED ' "$PERFMON_RESULTS")
	skipped=$(grep -c '^skipped ' "$PERFMON_RESULTS")
	rm "$PERFMON_RESULTS"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

if [ -z "$PERFMON_RESULTS" ]; then
	PERFMON_RESULTS=$(mktemp)
	export PERFMON_RESULTS
	sh "$0" "$@" &
	runner=$!
	trap 'kill $runner' HUP INT TERM
	wait $runner
	print_sums
	exit
fi

pmu=$(pfmon info | sed -n 's/^pmu  *//p')
out=/tmp/out err=/tmp/err
# If perf_event_paranoid is 1, ordinary users may count at user level and at kernel level. A test
# that sets another value restores 1 at its end.
paranoid=/proc/sys/kernel/perf_event_paranoid
echo 1 >$paranoid
# The scripts use the same event codes on Intel and AMD, except for cycles.
case $pmu in
intel) cycles_code=3c ;;
amd) cycles_code=76 ;;
esac
# Not empty if the guest's clock counts instructions: tests/vm/run passes the boot option below only
# with --icount.
is_icount=$(grep randomize_kstack_offset=off /proc/cmdline)
cpus=$(grep -c ^processor /proc/cpuinfo)

# skip WHY: ends the test, which is then reported as skipped. WHY says why the test cannot run here.
why_skipped=/tmp/why-skipped
skip() {
	echo "$1" >$why_skipped
	exit
}

needs_icount() { [ "$is_icount" ] || skip 'needs a clock that counts instructions'; }

needs_cpus() { [ "$cpus" -ge "$1" ] || skip "needs $1 CPUs"; }

# run STATUS COMMAND...: runs the command, and checks that its exit status is STATUS. Its output is
# in $out and $err.
run() {
	wanted=$1
	shift
	"$@" >$out 2>$err
	got=$?
	[ $got -eq "$wanted" ] && return
	echo "  '$*': status $got, not $wanted"
	sed 's/^/  | /' $err
	return 1
}

# has FILE REGEX...: checks that each REGEX matches a line of FILE.
has() {
	file=$1
	shift
	for regex; do
		grep -qE -- "$regex" "$file" && continue
		echo "  no '$regex' in:"
		sed 's/^/  | /' "$file"
		return 1
	done
}

# warns_of_survivor: pfmon must have warned that a process outlives the command. Without
# CONFIG_PROC_CHILDREN, as in debug guests, pfmon cannot list its children, and nothing is checked.
warns_of_survivor() {
	[ ! -e /proc/thread-self/children ] ||
		has $err "a process that the command started continues after the command's end"
}

# Checks that the error message in $err is one line.
is_one_line() {
	[ "$(wc -l <$err)" -eq 1 ] || { echo "  not one line:"; cat $err; return 1; }
}

refused() {
	words=$1
	shift
	run 125 "$@" && is_one_line && has $err "$words"
}

# between VALUE LOW HIGH
between() {
	awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(v >= low && v <= high) }' ||
		{ echo "  $1 is not in $2 .. $3"; return 1; }
}

go=/tmp/go

tasks_of() { find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l; }

is_alive() { grep -qs 'State:.[RSD]' "/proc/$1/status"; }

# The CPU time in ns of the first thread of process $1, from /proc. While the thread runs, this is
# the time as of the last tick.
cpu_time() { cut -d ' ' -f 1 "/proc/$1/schedstat"; }

# Waits until $worker has at least $1 threads.
wait_for_threads() {
	until [ "$(tasks_of "$worker")" -ge "$1" ]; do
		is_alive "$worker" || return
		sleep 0.01
	done
}

# Waits until pfmon, process $1, counts: a context is loaded on a thread, and pfmon sleeps.
wait_for_session() {
	until [ "$(cat /sys/kernel/perfmon/task_sessions_count)" -gt 0 ] &&
		grep -q 'State:.S' "/proc/$1/status"; do
		is_alive "$1" || return
		sleep 0.1
	done
}

# begin_later T N: starts "pfm-workload later T N" as $worker, and waits until its threads wait for
# input.
begin_later() {
	rm -f $go
	mkfifo $go
	pfm-workload later "$1" "$2" <>$go &
	worker=$!
	wait_for_threads $(($1 + 1))
}

# let_go T: prints a command. The command lets T threads of $worker go on, and ends when $worker has
# ended.
let_go() {
	echo "head -c $1 /dev/zero >$go; while grep -q 'State:.[RSD]' /proc/$worker/status; do sleep 0.1; done"
}

is_left_out() {
	case $1 in
	test_long_*) [ "$PERFMON_SHORT" ] ;;
	*) false ;;
	esac
}

# Skips the test unless the guest has the PMU that the test's name asks for.
needs_pmu_of() {
	case $1 in
	test_armv8_* | test_power_* | test_soft_* | test_intel_*) [ "${1#test_"$pmu"_}" != "$1" ] ;;
	test_ibs_*) [ -d /sys/kernel/perfmon/pmus/amd_ibs ] ;;
	test_x86_*) [ "$pmu" = intel ] || [ "$pmu" = amd ] ;;
	test_levels_*) [ "$pmu" = armv8 ] || [ "$pmu" = intel ] || [ "$pmu" = amd ] ;;
	esac || skip "is not for PMU $pmu"
}

# Runs a test, and then kills the processes that the test has left running. (A failed test may leave
# some.) Such a process keeps the pipe of run_tests() open, so run_tests() would wait for the
# process to end.
run_test() {
	# shellcheck disable=SC2046 # several words
	trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
	needs_pmu_of "$1"
	"$1"
}

# report RESULT NAME
report() { printf '%-8s %s\n' "$1" "$2" | tee -a "$PERFMON_RESULTS"; }

# run_and_report TEST: fails if the test fails.
run_and_report() {
	rm -f $why_skipped
	if ! why=$(run_test "$1" 2>&1); then
		report FAILED "$suite/$1"
		echo "$why"
		return 1
	elif [ -e $why_skipped ]; then
		report skipped "$suite/$1: $(cat $why_skipped)"
	else
		report passed "$suite/$1"
	fi
}

# run_tests SCRIPT [TEST]...: runs the test functions of the script, or the named ones. If
# UNTIL_FAILURE is in the environment, the run stops after the first test that fails.
run_tests() {
	script=$1 suite=tool-${1##*/}
	shift
	# shellcheck disable=SC2046 # several words
	[ $# -gt 0 ] || set -- $(sed -n 's/^\(test_[a-z_0-9]*\)() {.*/\1/p' "$script")
	for test; do
		is_left_out "$test" || run_and_report "$test" || [ -z "$UNTIL_FAILURE" ] || break
	done
	[ "$(cat /sys/kernel/perfmon/task_sessions_count)" -eq 0 ] ||
		report FAILED "$suite: sessions are left over"
	echo end >>"$PERFMON_RESULTS"
}
