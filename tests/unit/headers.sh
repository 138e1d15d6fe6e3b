#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the headers compile without a warning as C and C++ of several standards, with gcc and
# clang if they are installed. Structures must have the same layout on other architectures and in
# 32-bit programs. A program must be able to include both these headers and those of libpfm4, in
# either order.
#
# BUILD: where libpfmdev was built
# check() gets the names of the functions below and calls them. shellcheck does not see these calls:
# shellcheck disable=SC2317
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
build=${BUILD:-$top/build}
# shellcheck source-path=SCRIPTDIR source=check.sh
. "$here/check.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

strict="-Wall -Wextra -pedantic -Werror -I$top/libpfmdev/include -I$top/uapi"

have()
{
	command -v "$1" >/dev/null
}

# $compiler may be several words, so it is not quoted.
# shellcheck disable=SC2086
compile()
{
	$compiler $strict -c -o "$work/object.o" "$@"
}

# shellcheck disable=SC2086
link()
{
	$compiler $strict -o "$work/program" "$@" -L"$build/lib" -lpfmdev
}

alone()
{
	printf '#include <perfmon/%s>\nint unused;\n' "$1" > "$work/alone.c"
	compile -x "$language" "-std=$standard" "$work/alone.c"
}

both_orders()
{
	printf '#include <perfmon/%s>\n#include <perfmon/%s>\npfarg_pmd_t pmd;\nint (*stop)(int) = pfm_stop;\n' \
		"$1" "$2" > "$work/orders.c"
	compile -x "$language" "-std=$standard" "$work/orders.c"
}

check_standard()
{
	compiler=$1 language=$2 standard=$3
	have "$compiler" || return
	for header in "$top"/uapi/perfmon/*.h "$top"/libpfmdev/include/perfmon/*.h; do
		header=$(basename "$header")
		check "$compiler -std=$standard $header" alone "$header"
	done
	check "$compiler -std=$standard perfmon.h, pfmdev.h" both_orders perfmon.h pfmdev.h
	check "$compiler -std=$standard pfmdev.h, perfmon.h" both_orders pfmdev.h perfmon.h
	check "$compiler -std=$standard every call" \
		link -x "$language" "-std=$standard" "$here/every_call.c" -x none
}

for standard in gnu99 c99 gnu11 c11 gnu17 c17; do
	check_standard gcc c "$standard"
	check_standard clang c "$standard"
done
for standard in c++98 c++03 c++11 c++14 c++17 c++20; do
	check_standard g++ c++ "$standard"
	check_standard clang++ c++ "$standard"
done

# Check the layout of structures on several architectures and in 32-bit programs.
for compiler in gcc clang i686-linux-gnu-gcc aarch64-linux-gnu-gcc powerpc64le-linux-gnu-gcc; do
	have "$compiler" && check "$compiler layout" compile -std=c11 "$here/layout_static.c"
done
compiler="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
echo '#include <stdio.h>' > "$work/probe.c"
if compile "$work/probe.c" 2>/dev/null; then
	check "gcc -m32 layout" compile -std=c11 "$here/layout_static.c"
fi

# Build a program that uses both libpfmdev and libpfm4.
if [ -e /usr/include/perfmon/pfmlib.h ]; then
	for order in -DPERFMON_FIRST -UPERFMON_FIRST; do
		# shellcheck disable=SC2086
		for compiler in gcc "g++ -x c++"; do
			check "libpfm4 with $compiler $order" \
				link $order "$here/both.c" -x none -lpfm
			check "libpfm4 with $compiler $order, static" \
				link $order "$here/both.c" -x none "$build/lib/libpfmdev.a" -lpfm
		done
	done
fi

summary
