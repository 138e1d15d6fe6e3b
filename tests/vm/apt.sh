# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Gets packages from the Debian mirror that the machine's apt configuration names. tests/vm/fetch
# sources this file. These functions never change the machine's own apt state. The cache of fetch
# has an apt state (a folder with apt's configuration and package lists) for each Debian
# architecture, such as amd64. The cache also has states for other suites of the mirror, such as
# sid-amd64, and the state "source" for lists of source packages.

# suites [SUITE]: print a line "URI SUITE" for each suite of the machine's release, including
# security, updates and backports. With an argument, print only the line for that suite.
suites() {
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v release="$codename" -v other="${1-}" '
			$3 != "main" { next }
			$2 == release { print $1, other ? other : release "-backports" }
			!other && $2 ~ "^" release "(-updates|-security)?$" { print $1, $2 }' | sort -u
}

# write_apt_state STATE DEB [SUITE]
write_apt_state() {
	local state=$cache/apt/$1 deb=$2 suite=${3-}
	mkdir -p "$state"/{lists/partial,archives/partial,keys}
	suites "$suite" | sed 's/.*/deb & main/' >"$state/sources.list"
	ln -sf /usr/share/keyrings/debian-archive-*.gpg "$state/keys/"
	find /etc/apt/trusted.gpg.d -type f -exec ln -sf -t "$state/keys" {} +
	# The state for the host itself contains a list of the packages that are installed there, so
	# apt fetches only packages that the host lacks.
	if [[ $1 == "$host" ]]; then
		cp /var/lib/dpkg/status "$state/status"
	else
		: >"$state/status"
	fi
	cat >"$state/apt.conf" <<-END
		#clear APT::Update;
		APT::Architecture "$deb";
		#clear APT::Architectures;
		APT::Architectures { "$deb"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Dir::State "$state";
		Dir::State::lists "$state/lists";
		Dir::State::status "$state/status";
		Dir::Cache "$state";
		Dir::Cache::archives "$state/archives";
		Dir::Etc::sourcelist "$state/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::Etc::trustedparts "$state/keys";
	END
}

# apt_for STATE COMMAND...: run an apt command that uses this state.
apt_for() {
	local state=$cache/apt/$1 command=$2
	shift 2
	"$command" -c "$state/apt.conf" -qq "$@"
}

# Succeeds if the file exists and was written in the last half hour. A script that runs longer, such
# as tests/check, sets $PERFMON_BEGAN to the time at which it began, in seconds since 1970. Then a
# file is recent if it was written in the half hour before that time, or later. So the script keeps
# the kernels with which it began.
is_recent() {
	local now=${PERFMON_BEGAN:-$EPOCHSECONDS}
	[[ -n $(find "$1" -newermt "@$((now - 1800))" 2>/dev/null) ]]
}

# Succeeds if all lists of the state are present, or if fetch tried to get them in the last half
# hour.
has_lists() {
	local state=$cache/apt/$1
	[[ -e $state/listed ]] || is_recent "$state/tried"
}

# Succeeds if lists of one of the named states could not be fetched.
lack_lists() {
	local state
	for state; do
		[[ ! -e $cache/apt/$state/tried ]] || return 0
	done
	return 1
}

# Results of searches in the package lists are kept in the cache. If something was missing, such as
# a list, the result is provisional: after half an hour, the search is repeated.

# stored FILE: print the stored result. Fails if no result is stored, or if the result is
# provisional and older than half an hour.
stored() {
	if [[ -e $1 ]]; then
		cat "$1"
	else
		is_recent "$1.provisional" && cat "$1.provisional"
	fi
}

# store FILE RESULT COMPLETE: store and print the result. If COMPLETE is empty, the result is
# provisional.
store() {
	local file=$1
	mkdir -p "${file%/*}"
	[[ -n $3 ]] || file+=.provisional
	echo "$2" >"$file.$$"
	mv "$file.$$" "$file"
	echo "$2"
}

# Get the package lists of a state. For some hours, a mirror's index of a suite may not match the
# suite's lists. Then this function goes on without the lists of this suite. It tries again if it is
# called more than half an hour later. The list of the main suite is required. To find out whether
# this list is there, the function looks for the package busybox-static, and fails if it does not
# find the package.
need_lists() {
	local state=$cache/apt/$1 suite=''
	! has_lists "$1" || return 0
	lock_cache
	! has_lists "$1" || return 0
	say "reading the mirror's lists for $1"
	[[ $1 != *-* ]] || suite=${1%-*}
	write_apt_state "$1" "${1#*-}" "$suite"
	if apt_for "$1" apt-get update -o APT::Update::Error-Mode=any >&2; then
		touch "$state/listed"
		rm -f "$state/tried"
	else
		say "could not get the lists of some suites for $1: new packages may be missing"
		touch "$state/tried"
	fi
	apt_for "$1" apt-cache show busybox-static >/dev/null || die "no package list for $1"
}

# unpack STATE PACKAGE...: fetch the packages and unpack them into the current directory.
unpack() {
	local state=$1
	shift
	need_lists "$state"
	say "fetching $* ($state)"
	mkdir debs
	(cd debs && apt_for "$state" apt-get download "$@")
	unpack_debs debs
}

unpack_debs() {
	local file
	for file in "$1"/*.deb; do
		dpkg -x "$file" .
	done
	rm -r "$1"
}
