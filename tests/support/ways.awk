# SPDX-License-Identifier: GPL-2.0-only
#
# Looks at every way through the functions of a module. Each line of standard input is an
# instruction: function, address and text, with tabs between (see tests/machine-code). For each
# function whose name matches "wanted", and in which an instruction that matches "second" can be
# executed after one that matches "first", this program prints "passed" if an instruction that
# matches "barrier" is always executed between the two, else a message.
#
# A jump through a register takes its target from a table, which this program does not read. So it
# assumes that each instruction can be the target if the instruction before it never leads to it.

function visit(i) {
	if (i in code && !(i in seen)) {
		seen[i]
		list[++left] = i
	}
}

# Whether the next instruction is never executed after this one.
function is_end(text) {
	return text ~ /^(ret|blr$|bctr$|b |br )/
}

function visit_table(   i) {
	for (i = 2; i <= count; i++)
		if (is_end(code[i - 1]))
			visit(i)
}

# Visit the instructions that can be executed after instruction I. A call is not a jump.
function visit_next(i,   text) {
	text = code[i]
	if (text ~ /^(br |bctr$)/)
		visit_table()
	if (text ~ /^[ct]?b/ && text !~ /^bl / && match(text, /[0-9a-f]+ </))
		visit(at[substr(text, RSTART, RLENGTH - 2)])
	if (!is_end(text))
		visit(i + 1)
}

# Return: the address of a SECOND that can be executed after a FIRST, with no instruction between
# them that matches STOP; empty if there is none.
function meeting(stop,   i) {
	split("", seen)
	left = 0
	for (i = 1; i <= count; i++)
		if (code[i] ~ first)
			visit_next(i)
	while (left) {
		i = list[left--]
		if (code[i] ~ stop)
			continue
		if (code[i] ~ second)
			return address[i]
		visit_next(i)
	}
}

function check(   where) {
	if (name !~ wanted || meeting("^$") == "")
		return
	where = meeting(barrier)
	if (where == "")
		print "passed"
	else
		print name ": no " barrier " between " first " and " second " at " where
}

function begin(function_name) {
	name = function_name
	count = 0
	split("", code)
	split("", at)
}

$1 != name { check(); begin($1) }
{ code[++count] = $3; address[count] = $2; at[$2] = count }
END { check() }
