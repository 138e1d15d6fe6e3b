#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the shell completion and the man page of each pfmon command have the options that
# --help shows. Only list and info have no man page of their own: pfmon(1) has their synopsis. pfmon
# uses one table both to parse the options and to print --help.
#
# BUILD: where pfmon was built
# check() gets the names of the functions below and calls them. shellcheck does not see these calls:
# shellcheck disable=SC2317
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
pages=$here/../../tools/pfmon
# shellcheck source-path=SCRIPTDIR source=check.sh
. "$here/check.sh"
PATH=$build/bin:$PATH

# Prints the options as --help shows them, one per line: "-e, --event EVENT[,EVENT]...".
help_options()
{
	pfmon "$1" --help | sed -n '/^Options:/,/^$/s/^ \{2,6\}\(-\)/\1/p' | sed 's/  .*//'
}

# Prints the names of the options, one per line: "-e" and "--event".
help_names()
{
	help_options "$1" | grep -oE -- '(^|[^-a-z])--?[a-zA-Z][a-z-]*' | sed 's/^[^-]//' | sort -u
}

help_synopsis()
{
	pfmon "$1" --help | sed '/^$/q; s/^Usage: */ /; s/^ *//'
}

# Turns scdoc markup into the form of --help: _word_ becomes WORD, and stars are removed.
as_in_help()
{
	sed 's/_\([a-z]*\)_/\U\1/g; s/\*//g'
}

page_options()
{
	grep -E '^\*-[^ ]*\*(,| _|$)' "$pages/pfmon-$1.1.scd" | as_in_help
}

# page_synopsis COMMAND PAGE
page_synopsis()
{
	sed -n '/^# SYNOPSIS/,/^# DESCRIPTION/s/^\*/&/p' "$pages/$2.1.scd" | as_in_help |
		grep "^pfmon $1"
}

same()
{
	[ -n "$1" ] && [ "$1" = "$2" ] && return
	printf 'help:\n%s\npage or completion:\n%s\n' "$1" "$2"
	return 1
}

page_has_the_options()
{
	same "$(help_options "$1")" "$(page_options "$1")"
}

page_has_the_synopsis()
{
	same "$(help_synopsis "$1")" "$(page_synopsis "$1" "$2")"
}

completion_has_the_same()
{
	same "$(help_names "$1")" "$(bash -c '
		. "$1/pfmon.bash"
		COMP_WORDS=(pfmon "$2" -) COMP_CWORD=2
		_pfmon
		printf "%s\n" "${COMPREPLY[@]}"' - "$pages" "$1" | sort -u)"
}

# Calls pfmon with each option, followed by --help. If the option needs an argument, pfmon takes the
# word --help as this argument. pfmon may refuse this argument, but it must know the option.
parser_knows()
{
	for option in $(help_names "$1"); do
		pfmon "$1" "$option" --help </dev/null 2>&1 | grep 'there is no option' && return 1
	done
	return 0
}

commands_complete()
{
	[ "$(bash -c '. "$1/pfmon.bash"; _pfmon_commands' - "$pages" | tr '\n' ' ')" = \
		'stat record report script top list info help ' ]
}

check "the completion has all commands" commands_complete
for command in stat record report script top list info; do
	check "$command: the parser knows the options of --help" parser_knows "$command"
	check "$command: the completion has the options of --help" completion_has_the_same "$command"
done
for command in stat record report script top; do
	check "$command: the man page has the options of --help" page_has_the_options "$command"
	check "$command: the man page has the synopsis of --help" page_has_the_synopsis "$command" "pfmon-$command"
done
for command in list info; do
	check "$command: pfmon(1) has the synopsis of --help" page_has_the_synopsis "$command" pfmon
done
summary
