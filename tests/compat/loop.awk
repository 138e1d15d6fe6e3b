# SPDX-License-Identifier: GPL-2.0-only
#
# Prints how many instructions the 10,000,000 iterations of the loop in self.c execute. The input is
# the output of objdump -d for main() of compat-self. The loop ends with the only conditional branch
# in main() that goes backwards. A compiler may unroll the loop. Each iteration in self.c has one
# store, so the number of stores in the compiled loop is the unroll factor.

/^ *[0-9a-f]+:\t/ {
	split($0, part, "\t")
	address = part[1]
	gsub(/[ :]/, "", address)
	code = part[3] " " part[4] # some instructions have a tab before their operands
	line[++lines] = code
	at[address] = lines
	# a branch, for example: jne 401600 <main+0x110>, b.ne 400648 <...>, bdnz 10000ad4 <...>
	if (code ~ /^(j|b|cb)[a-z.]* .*<main\+0x/ && code !~ /^(jmp|b|bl) /) {
		target = code
		sub(/ <main.*/, "", target)
		sub(/.*[ ,]/, "", target)
		if (target in at) {
			begin = at[target]
			end = lines
			loops++
		}
	}
}
END {
	for (i = begin; i <= end; i++)
		rounds += line[i] ~ /^(str +|std +|mov +%[a-z0-9]+,.*\()/
	if (loops != 1 || !rounds || 10000000 % rounds) {
		print "self.c: the loop was not found" >"/dev/stderr"
		exit 1
	}
	print (end - begin + 1) * 10000000 / rounds
}
