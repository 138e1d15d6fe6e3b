#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the interface of libpfmdev. The library exports exactly the symbols in libpfmdev.map. Each
# symbol has a man page, and the header contains the prototype that the page shows. No file of
# libpfmdev has the same name as a file of libpfm4, and no symbol has the same name as a symbol of
# libpfm4.
#
# BUILD: where libpfmdev was built
# check() gets the names of the functions below and calls them. shellcheck does not see these calls:
# shellcheck disable=SC2317
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
lib=$top/libpfmdev
build=${BUILD:-$top/build}
# shellcheck source-path=SCRIPTDIR source=check.sh
. "$here/check.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

symbols=$(sed -n 's/^\t\(pfm_[a-z_]*\);$/\1/p' "$lib/libpfmdev.map" | sort)

map_is_what_is_exported()
{
	echo "$symbols" > "$work/map"
	nm -D --defined-only "$build/lib/libpfmdev.so" | sed -n 's/.* T \([^@]*\)@@LIBPFMDEV_1\.0$/\1/p' |
		sort | diff "$work/map" -
}

header_declares_what_is_exported()
{
	echo "$symbols" > "$work/map"
	grep -o 'pfm_[a-z_]*(' "$lib/include/perfmon/pfmdev.h" | grep -v 'pfm_last_error()' |
		tr -d '(' | sort -u | diff "$work/map" -
}

static_library_has_only_our_names()
{
	! nm --defined-only --extern-only "$build/lib/libpfmdev.a" | grep ' [A-Z] ' |
		grep -v -e ' pfmdev_' -e ' pfm_'
}

soname_is_kept()
{
	readelf -d "$build/lib/libpfmdev.so" | grep 'SONAME.*\[libpfmdev\.so\.1\]'
}

# Prints the prototype that man page $1 shows, in one line, without the backslashes and stars of
# scdoc.
prototype_of_page()
{
	sed -n "s/^\*\(.*[ \\*]$1(.*);\)\*$/\1/p" "$lib/man/$1.3.scd" | tr -d '\134'
}

one_line_header()
{
	tr '\n\t' '  ' < "$lib/include/perfmon/pfmdev.h" | tr -s ' '
}

prototype_stands_in_header()
{
	prototype=$(prototype_of_page "$1")
	[ -n "$prototype" ] || { echo "no prototype in the page"; return 1; }
	one_line_header | grep -qF " $prototype" || { echo "not in the header: $prototype"; return 1; }
}

page_is_complete()
{
	for section in NAME SYNOPSIS DESCRIPTION 'RETURN VALUE' 'SEE ALSO'; do
		grep -qx "# $section" "$lib/man/$1.3.scd" || { echo "no section $section"; return 1; }
	done
	grep -q "^$1 - " "$lib/man/$1.3.scd" && grep -qF "*$1*(3)" "$lib/man/libpfmdev.7.scd"
}

# Checks that perfmon_$1(7) names each macro and function of the header perfmon_$1.h.
pmu_page_is_complete()
{
	page=$lib/man/perfmon_$1.7.scd
	header=$top/uapi/perfmon/perfmon_$1.h
	for section in NAME SYNOPSIS DESCRIPTION ERRORS FILES 'SEE ALSO'; do
		grep -qx "# $section" "$page" || { echo "no section $section"; return 1; }
	done
	sed -n -e 's/^#define \(PFM_[A-Z0-9_]*\).*/\1/p' -e 's/^static inline .* \(pfm_[a-z0-9_]*\)(.*/\1/p' "$header" \
		> "$work/names"
	[ -s "$work/names" ] || { echo "no macros in $header"; return 1; }
	while read -r name; do
		grep -qw "$name" "$page" || { echo "$name"; return 1; }
	done < "$work/names"
}

page_is_of_a_symbol()
{
	echo "$symbols" | grep -qx "$(basename "$1" .3.scd)"
}

# Checks that the module uses each reason that perfmon_reason.h defines, because programs may have
# code for each of them.
each_reason_is_raised()
{
	sed -n 's/^\t\(PFM_REASON_[A-Z_]*\),$/\1/p' "$top/uapi/perfmon/perfmon_reason.h" |
		while read -r reason; do
			grep -rqw "$reason" "$top/module" --include='*.[ch]' || { echo "$reason"; return 1; }
		done
}

# shellcheck disable=SC2016
overview_example_compiles()
{
	sed -n '/^```$/,/^```$/p' "$lib/man/libpfmdev.7.scd" | grep -v '^```' |
		sed 's/\\\\/\\/g' > "$work/example.c"
	gcc -Wall -Wextra -Werror -I"$lib/include" -I"$top/uapi" -o "$work/example" "$work/example.c" \
		-L"$build/lib" -lpfmdev
}

install_and_uninstall()
{
	make -s -C "$lib" BUILD="$build" DESTDIR="$work/root" PREFIX=/usr install >/dev/null &&
		(cd "$work/root" && find . -type f -o -type l) | sort > "$work/installed" &&
		make -s -C "$lib" BUILD="$build" DESTDIR="$work/root" PREFIX=/usr uninstall &&
		[ -z "$(find "$work/root" -type f -o -type l)" ]
}

installed_files_are_complete()
{
	for file in lib/libpfmdev.a lib/libpfmdev.so lib/libpfmdev.so.1 lib/pkgconfig/libpfmdev.pc \
		include/perfmon/perfmon.h include/perfmon/pfmdev.h share/man/man7/libpfmdev.7 \
		share/man/man7/perfmon_intel.7 share/man/man7/perfmon_amd.7; do
		grep -qxF "./usr/$file" "$work/installed" || { echo "$file"; return 1; }
	done
	for symbol in $symbols; do
		grep -qxF "./usr/share/man/man3/$symbol.3" "$work/installed" || { echo "$symbol.3"; return 1; }
	done
}

# Compares file names without directories, because Debian installs libraries in another directory.
no_file_name_of_libpfm4()
{
	dpkg -L libpfm4-dev libpfm4 | grep -e /perfmon/ -e /lib -e /man/ | sed 's/\.gz$//; s|.*/||' | sort -u > "$work/theirs"
	sed 's|.*/||' "$work/installed" | sort -u | comm -12 - "$work/theirs" > "$work/clash"
	cat "$work/clash"
	[ ! -s "$work/clash" ]
}

no_symbol_of_libpfm4()
{
	nm -D --defined-only "$(gcc -print-file-name=libpfm.so)" | awk '{ print $3 }' | sed 's/@.*//' | sort > "$work/theirs"
	[ -s "$work/theirs" ] || return 1
	nm --defined-only --extern-only "$build/lib/libpfmdev.a" | awk 'NF == 3 { print $3 }' | sort |
		comm -12 - "$work/theirs" > "$work/clash"
	cat "$work/clash"
	[ ! -s "$work/clash" ]
}

check "the library exports the symbols of its map" map_is_what_is_exported
check "the header declares the symbols of the map" header_declares_what_is_exported
check "the static library defines only names with pfm_ or pfmdev_" static_library_has_only_our_names
check "soname is kept" soname_is_kept
for symbol in $symbols; do
	check "the prototype of $symbol(3) is in the header" prototype_stands_in_header "$symbol"
	check "$symbol(3) is complete" page_is_complete "$symbol"
done
for page in "$lib"/man/*.3.scd; do
	check "$(basename "$page") describes a symbol of the library" page_is_of_a_symbol "$page"
done
for pmu in intel amd; do
	check "perfmon_$pmu(7) is complete" pmu_page_is_complete "$pmu"
done
check "the module raises each reason" each_reason_is_raised
check "the example of libpfmdev(7) compiles" overview_example_compiles
check "install and uninstall" install_and_uninstall
check "all files are installed" installed_files_are_complete
if dpkg -s libpfm4-dev >/dev/null 2>&1; then
	check "no file has the name of a file of libpfm4" no_file_name_of_libpfm4
	check "no symbol has the name of a symbol of libpfm4" no_symbol_of_libpfm4
fi

summary
