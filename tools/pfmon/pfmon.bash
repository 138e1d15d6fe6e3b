# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for pfmon in bash. The subcommands and all options come from --help.

# The subcommands that 'pfmon --help' lists.
_pfmon_subcommands()
{
	pfmon --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _pfmon_options [SUBCOMMAND]: the options that 'pfmon [SUBCOMMAND] --help' lists.
_pfmon_options()
{
	pfmon "$@" --help 2>/dev/null | sed -n '/^Options:/,/^$/p' |
		sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' | tr -d ',' | tr -s ' ' '\n'
}

_pfmon()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=("${COMP_WORDS[@]:1:COMP_CWORD-1}") words

	COMPREPLY=()
	if [[ $word == -* ]]; then
		words=$(_pfmon_options "${before[@]:0:1}")
	elif [[ ${before[*]} == "" || ${before[*]} == help ]]; then
		words=$(_pfmon_subcommands)
	else
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _pfmon pfmon
