# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Fetches Debian's kernels, their headers, and the programs that are needed to build modules with
# these headers. tests/vm/fetch sources this file.

# Print the apt states that may have a kernel of the architecture. The release's own state comes
# first, because modules for its kernels can be built with the machine's programs. This is also true
# of kernel 6.12: it is from the release's backports, but was built with the release's compiler.
kernel_states() {
	local suite
	echo "$deb"
	for suite in trixie sid; do
		[[ $suite == "$codename" ]] || echo "$suite-$deb"
	done
}

# Print the version of the release's kernel: the newest one that all architectures have. A mirror
# may lack the security suite of an architecture for some time. Then this architecture has only an
# older kernel.
default_version() {
	local file=$cache/kernel-version arch versions complete=yes
	! stored "$file" || return 0
	lock_cache
	versions=$(for arch in x86_64 arm64 ppc64el; do
		arch_names "$arch"
		need_lists "$deb"
		apt_for "$deb" apt-cache depends "linux-image-$flavour" |
			sed -n "s/.*Depends: linux-image-\(.*\)-$flavour\$/\1/p"
	done | sort -V)
	[[ -n $versions ]] || die "no kernel found in the lists of $codename"
	! lack_lists amd64 arm64 ppc64el || complete=''
	store "$file" "${versions%%$'\n'*}" "$complete"
}

# series_releases SERIES FLAVOUR: print the kernels of a series, newest first. Print only kernels
# whose image and headers are both on the mirror. The search ends at the first apt state that has
# such a kernel.
series_releases() {
	local series=${1//./\\.} of_flavour=$2 state found
	for state in $(kernel_states); do
		(need_lists "$state") || continue
		found=$(apt_for "$state" apt-cache search --names-only \
			"^linux-(image|headers)-$series\.[0-9].*-$of_flavour\$" |
			sed -n "s/^linux-[a-z]*-\($series\.[^-]*\(-[0-9]*\)\?-$of_flavour\) .*/\1/p" |
			sort -rV | uniq -d)
		[[ -z $found ]] || { echo "$found"; return; }
	done
}

# Print the newest kernel of a series (6.12, 6.12-rt-amd64) that can be fetched with its headers.
# The result is provisional if a newer kernel or a package list could not be fetched.
series_release() {
	local series=${1%%-*} of_flavour=$flavour file release newest='' complete=yes releases
	[[ $1 != *-* ]] || of_flavour=${1#*-}
	file=$cache/series/$series-$of_flavour
	! stored "$file" || return 0
	# series_releases() may lock the cache. The end of this subshell releases the lock, so that
	# the fetches below can take it.
	releases=$(
		exec 9>"$cache/lock"
		series_releases "$series" "$of_flavour"
	)
	[[ -n $releases ]] || die "no kernel $1 for $deb at the mirror"
	for release in $releases; do
		if "$here/fetch" headers "$arch" "$release" >/dev/null &&
			"$here/fetch" kernel "$arch" "$release" >/dev/null; then
			newest=$release
			break
		fi
		complete=''
		say "cannot fetch $release now: trying an older one"
	done
	[[ -n $newest ]] || die "cannot fetch any kernel $1"
	! lack_lists "$deb" "$(state_of "$newest")" || complete=''
	store "$file" "$newest" "$complete"
}

# release_of [VERSION]: print the kernel's release (uname -r). The names of all flavours of an
# architecture (arm64, rt-arm64, arm64-16k) contain the name of the usual flavour (arm64). So if
# VERSION contains this name, VERSION names a flavour.
release_of() {
	if [[ ${1-} =~ ^[0-9]+\.[0-9]+(-[a-z].*)?$ ]]; then
		series_release "$1"
		return
	fi
	case ${1-} in
	[0-9]*"$flavour"*) echo "$1" ;;
	*"$flavour"*) echo "$(default_version)-$1" ;;
	*) echo "${1:-$(default_version)}-$flavour" ;;
	esac
}

# state_of RELEASE: print the first apt state that has this kernel.
state_of() {
	local state
	for state in $(kernel_states); do
		(need_lists "$state") || continue
		if apt_for "$state" apt-cache show "linux-image-$1" >/dev/null 2>&1; then
			echo "$state"
			return
		fi
	done
	die "no kernel $1 for $deb at the mirror"
}

# depends STATE PACKAGE: print the dependencies of the package, one per line.
depends() {
	apt_for "$1" apt-cache depends "$2" | sed -n 's/^ [ |]Depends: //p'
}

# Newer kernels are split into several packages. linux-base-RELEASE has the lists of built-in
# modules. linux-modules-RELEASE (100 MB) has the drivers. This package is not fetched, because
# guests load no drivers.
fill_kernel() {
	local release=$1 state parts image
	state=$(state_of "$release")
	parts=$(depends "$state" "linux-image-$release" | grep -E '^linux-(base|binary)-' || true)
	# shellcheck disable=SC2086 # words
	unpack "$state" ${parts:-"linux-image-$release"}
	if [[ -d usr/lib/modules ]]; then
		mkdir -p lib
		mv usr/lib/modules lib/
	fi
	image=$(find boot "lib/modules/$release" -maxdepth 1 \
		\( -name "vmlinu?-$release" -o -name 'vmlinu?' \) 2>/dev/null || true)
	[[ -e lib/modules/$release/modules.builtin && -n $image ]] ||
		die "the packages of $release have no kernel or no lib/modules"
	mv "$image" vmlinuz
	rm -rf boot usr
	# An emulated CPU takes 3 seconds to unpack an x86 kernel, so the kernel is unpacked here.
	# QEMU starts an unpacked kernel at its PVH entry. A kernel that is not packed with xz stays
	# packed.
	if [[ $kernel_arch == x86 ]]; then
		payload vmlinuz | xz -dc >vmlinux 2>/dev/null || rm vmlinux
	fi
}

# Print the packed kernel in an x86 bzImage. The setup header of the bzImage contains the position
# and length of the packed kernel (the kernel's Documentation/x86/boot.rst: setup_sects,
# payload_offset, payload_length). The last 4 bytes are left out, because they contain the unpacked
# size.
payload() {
	local sectors offset length
	sectors=$(od -A n -t u1 -j $((0x1f1)) -N 1 "$1")
	read -r offset length < <(od -A n -t u4 -j $((0x248)) -N 8 "$1")
	head -c $(((sectors + 1) * 512 + offset + length - 4)) "$1" | tail -c $((length - 4))
}

# Fetch the headers for the guest's architecture, and the kernel's build programs for this machine's
# architecture.
fill_headers() {
	local release=$1 state needs common kbuild
	state=$(state_of "$release")
	needs=$(depends "$state" "linux-headers-$release")
	common=$(grep '^linux-headers-.*-common' <<<"$needs")
	kbuild=$(grep '^linux-kbuild-' <<<"$needs")
	unpack "$state" "linux-headers-$release" "$common"
	unpack "${state/%"$deb"/"$host"}" "${kbuild%:any}"
	# The Makefile has paths below /usr/src, where the package would be installed. Make these
	# paths relative to the Makefile's own folder.
	# shellcheck disable=SC2016 # make's own variables
	find usr/src -path "*/linux-headers-$release/Makefile" -exec sed -i \
		-e '1i sources := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))..' \
		-e 's|/usr/src/|$(sources)/|' {} +
	# The build programs of another suite need that suite's C library and compiler. fetch reads
	# the file "suite", and then calls fill_tools().
	if [[ $state == *-* ]]; then
		grep -o '^gcc-[0-9]*' <<<"$needs" | sed "s/^/${state%-*} /" >suite
	fi
}

# Fetch the programs that are needed to build modules for any architecture, with the packages that
# these programs depend on.
fill_tools() {
	local suite=$1 gcc=$2 state=$1-$host triplet
	local -a packages=(bash coreutils dash diffutils findutils gawk grep make python3-minimal
		sed)
	for triplet in x86-64-linux-gnu aarch64-linux-gnu powerpc64le-linux-gnu; do
		packages+=("$gcc-$triplet")
	done
	need_lists "$state"
	packages+=("$(apt_for "$state" apt-cache search --names-only '^linux-kbuild-' |
		sed 's/ .*//' | sort -V | tail -n 1)")
	say "fetching ${packages[*]} ($state)"
	apt_for "$state" apt-get --no-install-recommends --download-only -y install "${packages[@]}"
	mv "$cache/apt/$state/archives" debs
	mkdir -p "$cache/apt/$state/archives/partial"
	unpack_debs debs
	ln -sf gawk usr/bin/awk # the package does this when it is installed
}
