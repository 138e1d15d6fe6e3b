#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the shell completion and the man pages of pfmon have the subcommands, options and
# synopses that --help shows. pfmon uses one table both to parse the options and to print --help.
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
subcommands='stat record report script top list info help'

# The functions below get the name of a subcommand. No name stands for pfmon itself.

# Prints the options as --help shows them, one per line: "-e, --event EVENT[,EVENT]...".
help_options()
{
	pfmon "$@" --help | sed -n '/^Options:/,/^$/s/^ \{2,6\}\(-\)/\1/p' | sed 's/  .*//'
}

# Prints the names of the options, one per line: "-e" and "--event".
help_names()
{
	help_options "$@" | grep -oE -- '(^|[^-a-z])--?[a-zA-Z][a-z-]*' | sed 's/^[^-]//' | sort -u
}

help_synopsis()
{
	pfmon "$@" --help | sed '/^$/q; s/^Usage: */ /; s/^ *//'
}

# Prints the path of the man page.
page()
{
	echo "$pages/pfmon${1:+-$1}.1.scd"
}

# Turns scdoc markup into the form of --help: _word_ becomes WORD, and stars are removed.
as_in_help()
{
	sed 's/_\([a-z]*\)_/\U\1/g; s/\*//g'
}

page_options()
{
	grep -E '^\*-[^ ]*\*(,| _|$)' "$(page "$@")" | as_in_help
}

page_synopsis()
{
	sed -n '/^# SYNOPSIS/,/^# DESCRIPTION/s/^\*/&/p' "$(page "$@")" | as_in_help
}

# Prints what the synopsis of pfmon(1) has to be: the first line of the synopsis of each subcommand,
# and that line of 'pfmon --help' which has no subcommand.
summary_of_synopses()
{
	for each in $subcommands; do
		help_synopsis "$each" | sed -n 1p
	done
	help_synopsis | grep -v SUBCOMMAND
}

# Prints the names of the subcommands that pfmon(1) describes, in the form of $subcommands.
described_subcommands()
{
	sed -n 's/^\*pfmon \([a-z]*\)\*$/\1/p' "$(page)" | xargs
}

same()
{
	[ -n "$1" ] && [ "$1" = "$2" ] && return
	printf 'help:\n%s\npage or completion:\n%s\n' "$1" "$2"
	return 1
}

summary_page_describes_each_subcommand()
{
	same "$subcommands" "$(described_subcommands)"
}

page_has_the_options()
{
	same "$(help_options "$@")" "$(page_options "$@")"
}

page_has_the_synopsis()
{
	same "$(help_synopsis "$1")" "$(page_synopsis "$1")"
}

summary_page_has_each_synopsis()
{
	same "$(summary_of_synopses)" "$(page_synopsis | grep .)"
}

# Prints what the completion offers for the last word, one per line. The arguments are the words
# after "pfmon".
completion()
{
	bash -c '
		. "$1/pfmon.bash"
		COMP_WORDS=(pfmon "${@:2}") COMP_CWORD=$(($# - 1))
		_pfmon
		printf "%s\n" "${COMPREPLY[@]}"' - "$pages" "$@" | sort
}

completion_has_the_options()
{
	same "$(help_names "$@")" "$(completion "$@" -)"
}

# completion_has_the_subcommands [help]
completion_has_the_subcommands()
{
	same "$(echo "$subcommands" | tr ' ' '\n' | sort)" "$(completion "$@" "")"
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

help_shows_the_help_of()
{
	same "$(pfmon "$1" --help)" "$(pfmon help "$1")"
}

check "the completion has all subcommands" completion_has_the_subcommands
check "help: the completion has all subcommands" completion_has_the_subcommands help
check "the completion has the options of pfmon --help" completion_has_the_options
check "pfmon(1) has the options of pfmon --help" page_has_the_options
check "pfmon(1) describes each subcommand" summary_page_describes_each_subcommand
check "pfmon(1) has a synopsis of each subcommand" summary_page_has_each_synopsis
for subcommand in $subcommands; do
	check "$subcommand: the parser knows the options of --help" parser_knows "$subcommand"
	check "$subcommand: the completion has the options of --help" completion_has_the_options "$subcommand"
	check "$subcommand: pfmon help shows what --help shows" help_shows_the_help_of "$subcommand"
done
for subcommand in stat record report script top; do
	check "$subcommand: the man page has the options of --help" page_has_the_options "$subcommand"
	check "$subcommand: the man page has the synopsis of --help" page_has_the_synopsis "$subcommand"
done
summary
