#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# --help, the parser, the man page and the completion of each command of pfmon name the same
# options.
#
# BUILD: where pfmon was built
# check() calls the functions below by their names:
# shellcheck disable=SC2317
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
pages=$here/../../tools/pfmon
# shellcheck source-path=SCRIPTDIR source=check.sh
. "$here/check.sh"
PATH=$build/bin:$PATH

# The options in the text on standard input, one a line.
options()
{
	grep -oE -- '(^|[^-a-z])--?[a-zA-Z][a-z-]*' | sed 's/^[^-]//' | sort -u
}

help_options()
{
	pfmon "$1" --help | sed -n '/^Options:/,/^$/s/^ *\(-.*\)/\1/p' | sed 's/  .*//' | options
}

same()
{
	[ -n "$1" ] && [ "$1" = "$2" ] && return
	printf 'help:\n%s\nelsewhere:\n%s\n' "$1" "$2"
	return 1
}

page_has_the_same()
{
	same "$(help_options "$1")" "$(grep -E '^\*-[^ ]*\*(,| _|$)' "$pages/pfmon-$1.1.scd" | tr -d '*' | options)"
}

completion_has_the_same()
{
	same "$(help_options "$1")" "$(bash -c '
		. "$1/pfmon.bash"
		COMP_WORDS=(pfmon "$2" -) COMP_CWORD=2
		_pfmon
		printf "%s\n" "${COMPREPLY[@]}"' - "$pages" "$1" | sort -u)"
}

# An option with an argument stands last, and misses it.
parser_knows()
{
	for option in $(help_options "$1"); do
		pfmon "$1" "$option" --help </dev/null 2>&1 | grep 'there is no option' && return 1
	done
	return 0
}

# The long options in the parser's table are all in the help.
parser_has_no_other()
{
	sed -n 's/.*{ "\([a-z-]*\)", \(required\|no\)_argument.*/\1/p' "$pages/$2" |
		while read -r name; do
			help_options "$1" | grep -qx -e "--$name" ||
				{ echo "--$name is not in the help"; exit 1; }
		done
}

commands_complete()
{
	[ "$(bash -c '. "$1/pfmon.bash"; _pfmon_commands' - "$pages" | tr '\n' ' ')" = \
		'stat record report script list info help ' ]
}

check "the completion has all commands" commands_complete
for command in stat record report script list info; do
	check "$command: the parser knows the options of --help" parser_knows "$command"
	check "$command: the completion has the options of --help" completion_has_the_same "$command"
done
for command in stat record report script; do
	check "$command: the man page has the options of --help" page_has_the_same "$command"
done
check "stat: --help has all options" parser_has_no_other stat stat/stat_options.c
check "record: --help has all options" parser_has_no_other record record/record_options.c
check "report: --help has all options" parser_has_no_other report report/report.c
check "script: --help has all options" parser_has_no_other script report/script.c
check "list: --help has all options" parser_has_no_other list common/options.c
check "info: --help has all options" parser_has_no_other info common/options.c
summary
