# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # variables shared with the scripts that source this
#
# The stages that test mutants. They are stages of the gate (tests/stages), but the suites of a
# stage run one by one, so that each suite can be measured.

# ---- the table -------------------------------------------------------------------------------

# mutant_stages FILE [KIND]: print the stages for mutants of FILE. The stages that kill the most
# mutants per second come first.
# The guest of arm64 is faster than that of x86_64, and has hardware counters. A mutant that changes
# a lock (KIND is lock) is run in the debug guests before the other guests, because the debug kernel
# checks locks. The rules of tests/machine-code about barriers need no guest. They are used for
# barriers only: another mutant may change the registers that a rule expects, or what is inlined.
mutant_stages() {
	local quick='icount-arm64 icount-faults-arm64 debug-icount-x86_64'
	[[ ${2-} != lock ]] ||
		quick='debug-icount-x86_64 debug-cpus-x86_64 icount-arm64 icount-faults-arm64'
	[[ ${2-} != barrier ]] || case $1 in
	module/pmu/power*) echo machine-code-ppc64el ;;
	module/core/* | module/pmu/armv8*) echo machine-code-arm64 ;;
	esac
	case $1 in
	libpfmdev/*) echo 'unit icount-arm64 icount-tool-arm64' ;;
	tools/*) echo 'unit icount-tool-arm64 icount-tool-gate-x86_64 icount-tool-gate-ppc64el' ;;
	module/pmu/perfmon_soft.c)
		echo 'icount-x86_64 cpus-x86_64 debug-icount-x86_64
			icount-tool-gate-x86_64 fuzz-x86_64' ;;
	module/pmu/armv8*)
		echo 'icount-arm64 cpus-arm64 icount-conformance-armv8-arm64 bench-arm64
			icount-faults-arm64 icount-without-pmu-arm64 icount-without-driver-arm64' ;;
	module/pmu/power*)
		echo 'icount-power9-ppc64el icount-conformance-power-ppc64el icount-power8-ppc64el
			icount-power10-ppc64el' ;;
	module/pmu/amd_uncore*)
		echo 'uncore-x86_64 debug-driver-x86_64 icount-gate-amd-15h-x86_64' ;;
	module/pmu/intel*)
		echo 'icount-gate-intel-v5-x86_64 icount-pebs-intel-v4-x86_64
			icount-gate-shared-intel-v2-x86_64 icount-refined-x86_64
			icount-isolated-x86_64 icount-quirks-core2-x86_64
			icount-quirks-nehalem-x86_64 icount-quirks-sandybridge-x86_64
			icount-gate-intel-v1-x86_64 icount-gate-intel-v6-x86_64
			icount-mixed-x86_64 icount-gate-amd-15h-x86_64 cpus-x86_64' ;;
	module/pmu/amd*)
		echo 'icount-gate-amd-perfmonv2-x86_64 icount-gate-amd-10h-x86_64
			icount-gate-amd-15h-x86_64 uncore-x86_64 icount-gate-intel-v1-x86_64' ;;
	module/pmu/*x86*)
		echo 'icount-gate-shared-intel-v2-x86_64 icount-gate-amd-perfmonv2-x86_64
			icount-gate-intel-v5-x86_64 icount-quirks-nehalem-x86_64 icount-mixed-x86_64
			icount-gate-amd-10h-x86_64 icount-gate-intel-v1-x86_64 cpus-x86_64' ;;
	module/format/*_x86*) echo 'icount-gate-intel-v5-x86_64' ;;
	module/format/*_arm64*) echo 'icount-arm64' ;;
	module/format/*_power*) echo 'icount-power9-ppc64el' ;;
	module/format/*)
		echo "$quick cpus-arm64 bench-arm64 icount-x86_64 icount-tool-arm64 fuzz-x86_64" ;;
	*)
		quick+=' cpus-arm64'
		[[ $quick == *debug-cpus* ]] || quick+=' debug-cpus-x86_64'
		echo "$quick bench-arm64 icount-power9-ppc64el icount-conformance-example-arm64
			icount-x86_64 icount-tool-arm64 cpus-x86_64 uncore-x86_64
			icount-gate-amd-perfmonv2-x86_64 fuzz-x86_64" ;;
	esac
}

# The value of a variable of tests/stages.
gate_words() {
	(. tests/stages && echo "${!1}")
}

# expand_words WORD...: print the words, one per line. The words have the form of those in
# tests/suites. In place of "FOLDER/", print the suites of this folder. Leave out each suite that is
# named with ^ before its name.
expand_words() {
	local word
	for word; do
		case $word in
		^*) ;;
		*/) sed -n 's/^SUITE(\([a-z_0-9]*\),.*/\1/p' "tests/guest/$word"*.c ;;
		*) echo "$word" ;;
		esac
	done | grep -vxF -f <(printf '%s\n' "$@" | sed -n 's/^^//p')
}

# stage_define STAGE: set the variables that describe the stage: the options of tests/vm/run, the
# kernel, the prefix of the commands, the suites, and the tests of suites that are left out (words
# like ^SUITE/TEST). A suite of perfmon-tests is named SUITE, a
# suite of perfmon-conformance is named conformance/SUITE, and a script of tests/tool is named
# tool/SCRIPT.
stage_define() {
	local words='' pmu
	arch=${1##*-} options=(--icount) suites=() left_out=() prefix='' kernel=''
	case $1 in
	unit) arch=host suites=(unit) ;;
	bench-*) suites=(bench) ;;
	machine-code-*) suites=(machine-code) ;;
	fuzz-*) kernel=debug options=(-k debug) suites=(fuzz) ;;
	icount-tool-gate-*) options+=(-f tests/tool) suites=(tool/pfmon) ;;
	icount-tool-*)
		options+=(-f tests/tool)
		mapfile -t suites < <(sed -n 's/^\[.*set -- //p' tests/tool/all | tr ' ' '\n' | sed 's|^|tool/|') ;;
	icount-gate-*)
		words=${1#icount-gate-} words=${words%-*}
		options+=(-c "${words#shared-}")
		if [[ $words == shared-* ]]; then
			options+=(--append perfmon_intel.ownership=shared)
			words=$(gate_words shared_gate)
		else
			options+=(--append "perfmon_${words%%-*}.ownership=exclusive")
			words=$(. tests/stages && gate_suites "$words")
		fi ;;
	icount-pebs-*)
		words=${1#icount-pebs-}
		options+=(-c "${words%-*}" --append perfmon_intel.ownership=exclusive)
		words=$(gate_words precise) ;;
	icount-refined-*)
		options+=(-c intel-skylake)
		words=$(gate_words refined) ;;
	icount-isolated-*)
		options+=(-c intel-v5 --append pti=on)
		words=$(gate_words isolated) ;;
	icount-quirks-*)
		words=${1#icount-quirks-}
		options+=(-c "intel-${words%-*}")
		words=quirks ;;
	icount-mixed-*) options+=(-c intel-mixed) words=$(gate_words mixed) ;;
	uncore-*)
		options=(-c amd-17h -s '4,sockets=2' -f tests/tool)
		mapfile -t suites < <(printf '%s\n' tool/uncore tool/cpus; expand_words amd/) ;;
	icount-conformance-*)
		pmu=${1#icount-conformance-}
		options+=(--no-load) prefix="modprobe perfmon_${pmu%-*} && "
		mapfile -t suites < <(expand_words conformance/ | sed 's|^|conformance/|') ;;
	icount-power9-ppc64el) words=$(gate_words power_gate) ;;
	icount-power*-ppc64el)
		arch=${1#icount-}
		options+=(-c "${arch%-*}")
		arch=ppc64el
		words=$(gate_words power_models) ;;
	icount-without-*)
		words=${1#icount-without-}
		# shellcheck disable=SC2207 # words
		options+=(--no-load $(gate_words "no_${words%-*}"))
		prefix="modprobe perfmon_armv8 2>&1 | grep 'No such device' && "
		words=lifecycle ;;
	icount-faults-*) words="$(gate_words faults) $(gate_words system_faults)" ;;
	icount-arm64) words=$(gate_words one_cpu) ;;
	icount-x86_64) words="$(gate_words software) $(gate_words pmu_calls)" ;;
	icount-*) words="$(gate_words counts) $(gate_words pmu_calls)" ;;
	cpus-*)
		mapfile -t options < <(. tests/stages && cpus_options "$arch" | tr ' ' '\n')
		prefix='PERFMON_ITERATIONS=100 ' words=$(gate_words two_cpus) ;;
	debug-driver-*)
		kernel=debug options=(-k debug -c amd-17h -s '4,sockets=2')
		words=$(gate_words without_driver) ;;
	debug-cpus-*)
		kernel=debug options=(-k debug) prefix='PERFMON_ITERATIONS=20 '
		words=$(gate_words checked_races) ;;
	debug-icount-*) kernel=debug options+=(-k debug) words=$(gate_words checked) ;;
	*) echo "mutants: no stage '$1'" >&2; return 2 ;;
	esac
	# shellcheck disable=SC2086 # words
	[[ -z $words ]] || mapfile -t suites < <(expand_words $words | slow_last)
	mapfile -t left_out < <(tr ' ' '\n' <<<"$words" | grep '^^.*/')
}

# The slow suites, in the order of their run time: the slowest suite is the last one. These suites
# run after all other suites, so most mutants are killed sooner.
slow='claims program_counts hist counting x86_pauses ibs_interrupts x86_interrupts beside_perf
	threads end_races inherit_races hotplug inherit thread_counts modules module_races
	emulation set_switch buffer callchain_kernel periods budget policy'

# Copy lines with names of suites to standard output, the slow suites last.
slow_last() {
	awk -v slow="$slow" '
	BEGIN {
		count = split(slow, names)
		for (i = 1; i <= count; i++)
			late[names[i]] = ""
	}
	{ suite = $0; sub("/.*", "", suite) }
	suite in late { late[suite] = late[suite] $0 "\n"; next }
	{ print }
	END {
		for (i = 1; i <= count; i++)
			printf "%s", late[names[i]]
	}'
}

# ---- running them ----------------------------------------------------------------------------

# Print the CPU seconds of all processes of a session. The limits of suites are in CPU seconds,
# because elapsed seconds depend on the load of the machine.
cpu_seconds() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v session="$1" -v hz="$(getconf CLK_TCK)" '
		{ sub(/^.*\) /, "") }
		$4 == session { ticks += $12 + $13 + $14 + $15 }
		END { printf "%.1f\n", ticks / hz }'
}

# Print the command with which a guest prints the names of the functions that SUITE called, and
# then forgets them. See reached/perfmon_reached.c.
reached_command() {
	# shellcheck disable=SC2016 # executed in the guest
	printf 'echo "reached: %s$(cat /proc/perfmon_reached)"; echo >/proc/perfmon_reached\n' "$1"
}

# guest_command HOW SUITE...: print the commands that a guest executes. These commands print a line
# before each suite. If HOW is "first", the commands end at the first failure. If HOW is "reached",
# they print a line after each suite, with the names of the functions that the suite called.
guest_command() {
	local how=$1 suite program first=''
	shift
	[[ $how != first ]] || first=' -x'
	[[ $how != reached ]] || reached_command load
	# shellcheck disable=SC2016 # the guest's variables
	local skip='[ $failed = 0 ] &&' status='exit $failed'
	[[ -n $first ]] || skip=''
	echo 'failed=0'
	for suite; do
		case $suite in
		conformance/*) program="perfmon-conformance$first ${suite#*/}" ;;
		tool/*) program="cd /root/tool && PERFMON_SHORT=yes ${first:+UNTIL_FAILURE=yes }./${suite#*/}" ;;
		fuzz) program="perfmon-fuzz --pmu soft --seed 1 --seconds 30" ;;
		*) program="perfmon-tests$first $suite"
			program+=$(printf ' %s\n' "${left_out[@]}" | grep -F " ^$suite/" | tr -d '\n') ;;
		esac
		echo "$skip { echo 'suite: $suite'; ($prefix$program) || { failed=1; echo 'FAILED   $suite'; }; }"
		[[ $how != reached ]] || reached_command "$suite"
	done
	echo "echo 'suite: end'"
	echo "$status"
}

# Copy standard input to standard output. Add the elapsed seconds and the CPU seconds so far to each
# line that begins a suite. End all processes of the session when a suite takes more CPU time than
# its limit, or when its elapsed time exceeds three times this limit. Both checks are needed: a
# guest that hangs with interrupts disabled uses CPU time, but a guest that waits forever uses none.
stamp() {
	local session=$1 limits=$2 begun=$EPOCHREALTIME line='' part status suite=load used=0
	local since=$SECONDS
	trap '' TERM
	while true; do
		IFS= read -r -t 5 part
		status=$?
		line+=$part
		if [[ $status -gt 128 ]]; then
			end_overdue "$session" "$limits" "$suite" "$used" "$since"
			continue
		fi
		[[ $status -eq 0 ]] || break
		if [[ $line == 'suite: '* ]]; then
			used=$(cpu_seconds "$session")
			since=$SECONDS
			suite=${line#suite: }
			line+=$(awk -v a="$begun" -v b="$EPOCHREALTIME" -v cpu="$used" \
				'BEGIN { printf " %.1f %s", b - a, cpu }')
		fi
		printf '%s\n' "$line"
		line=''
	done
}

end_overdue() {
	local now limit
	limit=$(suite_limit "$3" "$2")
	now=$(cpu_seconds "$1")
	[[ $limit -gt 0 ]] || return
	if [[ ${now%.*} -gt $((${4%.*} + limit)) || $SECONDS -gt $(($5 + 3 * limit)) ]]; then
		echo "run: no end after $((${now%.*} - ${4%.*})) s of CPU time in $3"
		kill -TERM 0
	fi
}

# Print the CPU seconds that a suite may take, or 0 if the suite has no limit. The limit is three
# times the CPU seconds that the suite takes without a mutant, plus $margin. The time before the
# first suite, in which the guest boots, counts as a suite named "load". Its limit is 100 CPU
# seconds.
suite_limit() {
	[[ -e $2 ]] || { echo 0; return; }
	awk -F '\t' -v suite="$1" -v margin="$margin" '
		BEGIN { limit = 100 }
		$1 == suite { limit = 3 * $4 + margin }
		END { printf "%d\n", limit }' "$2"
}

# run_limited LIMITS LOG COMMAND...: run the command in a session of its own.
run_limited() {
	local limits=$1 log=$2
	shift 2
	# shellcheck disable=SC2016 # variables of the shell that is started
	setsid bash -c '
		echo $$ >>"$1"
		limits=$2
		shift 2
		. tests/mutants/stages.sh
		set -o pipefail
		trap : TERM
		"$@" 2>&1 </dev/null | stamp $$ "$limits"' run "$sessions" "$limits" "$@" >"$log" &
	wait $!
}

run_unit() {
	echo 'suite: unit'
	make --no-print-directory -s -C "$1/tests/unit" BUILD="$1/build/unit" 'CFLAGS=-O2 -w' check
	local status=$?
	echo 'suite: end'
	return "$status"
}

run_bench() {
	echo 'suite: bench'
	"$1/tests/bench/bench" --check -a "$2"
	local status=$?
	echo 'suite: end'
	return "$status"
}

run_machine_code() {
	echo 'suite: machine-code'
	"$1/tests/machine-code" "$2"
	local status=$?
	echo 'suite: end'
	return "$status"
}

# run_suites HOW TREE LOG LIMITS SUITE...: run suites of the current stage, which stage_define has
# set. TREE must have been built. The exit status is that of tests/vm/run.
run_suites() {
	local how=$1 tree=$2 log=$3 limits=$4
	shift 4
	# CPU seconds that suite_limit() adds to each limit. If the guest's clock does not count
	# instructions, tests of races take longer while other guests use the CPUs.
	local -x margin=20
	[[ " ${options[*]} " == *' --icount '* ]] || margin=200
	if [[ $arch == host ]]; then
		run_limited "$limits" "$log" run_unit "$tree"
	elif [[ ${suites[*]} == bench ]]; then
		PERFMON_NO_BUILD=1 run_limited "$limits" "$log" run_bench "$tree" "$arch"
	elif [[ ${suites[*]} == machine-code ]]; then
		PERFMON_NO_BUILD=1 run_limited "$limits" "$log" run_machine_code "$tree" "$arch"
	else
		PERFMON_NO_BUILD=1 run_limited "$limits" "$log" "$tree/tests/vm/run" -a "$arch" \
			"${options[@]}" --timeout 1800 -- "$(guest_command "$how" "$@")"
	fi
}

# ---- reading a log ---------------------------------------------------------------------------

# Print a line for each suite that began: its name, the word passed or failed, the elapsed seconds,
# the CPU seconds, and the first test that failed. Leave out suites that the guest does not have. If
# the guest ended during a suite, the line of this suite says how the guest ended.
log_suites() {
	local log=$1 status=$2
	awk -v status="$status" '
	function finish(verdict, wall, cpu) {
		if (suite != "" && !absent)
			printf "%s\t%s\t%.1f\t%.1f\t%s\n", suite, verdict, wall - begun, cpu - used, test
		suite = ""
	}
	/^suite: / {
		finish(test == "" ? "passed" : "failed", $3, $4)
		suite = $2 == "end" ? "" : $2
		begun = $3; used = $4; test = ""; last = ""; absent = 0; ended = $2 == "end"
		seen = 1
		next
	}
	/: no suite or test "/ { absent = 1 }
	/^(passed|skipped)  / { last = $2; sub(/:$/, "", last) }
	/^FAILED  / && test == "" { test = $2; sub(/:$/, "", test) }
	/^FAIL(ED)?: / && test == "" { test = $2; sub(/:$/, "", test) }
	/:(F|E):/ && test == "" { split($0, part, ":"); test = part[4] ":" part[5] }
	/BUG:|WARNING:|UBSAN:|INFO: |Oops|Internal error|Unable to handle|Kernel panic|LOCKUP|kmemleak:|protection fault|suspiciously/ &&
		complaint == "" {
		complaint = $0
		sub(/^\[[ 0-9.]*\] */, "", complaint)
	}
	/^run: the kernel complained/ && complaint == "" { complaint = $0 }
	/^run: no end after|^run: the guest stopped before/ { stopped = 1 }
	END {
		how = complaint != "" ? "kernel: " complaint : stopped ? "no end" : "status " status
		if (ended && complaint == "")
			exit
		if (!seen || ended)
			suite = seen ? "end" : "load"
		if (test == "" || complaint != "")
			test = how (last == "" ? "" : " after " last)
		finish("failed", begun, used)
	}' "$log"
}

# From a log of the commands with HOW "reached", print a line for each function that a suite called:
# the suite and the function's name. The suite "load" stands for the time before the first suite. If
# a suite failed or the guest ended, it is not known what the suite calls: then print the suite and
# "*".
log_reached() {
	local log=$1 status=$2
	awk '/^reached: / { for (i = 3; i <= NF; i++) print $2 "\t" $i }' "$log"
	log_suites "$log" "$status" | awk -F '\t' '$2 == "failed" { print $1 "\t*" }'
}
