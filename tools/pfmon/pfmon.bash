# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion for pfmon in bash. The commands and their options come from --help.

# The commands that 'pfmon --help' lists.
_pfmon_commands()
{
	pfmon --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The options that 'pfmon COMMAND --help' lists.
_pfmon_options()
{
	pfmon "$1" --help 2>/dev/null | sed -n '/^Options:/,/^$/p' |
		sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\1 \2/p' | tr -d ',' | tr -s ' ' '\n'
}

_pfmon()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-}

	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_pfmon_commands)" -- "$word")
	elif [[ $COMP_CWORD -eq 2 && $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_pfmon_commands)" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_pfmon_options "$command")" -- "$word")
	fi
}

complete -o default -F _pfmon pfmon
