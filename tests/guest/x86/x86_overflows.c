// SPDX-License-Identifier: GPL-2.0-only
#include "x86_overflows.h"

bool interrupts_are_shared;

static struct seen before;

static struct seen now(void)
{
	return (struct seen){
		.nmis = interrupts("NMI:"),
		.late = module_parameter(pmu_module(), "late_interrupts"),
		.spurious = statistic("ovfl_intr_spurious_count"),
		.regular = statistic("ovfl_intr_regular_count"),
		.replayed = statistic("ovfl_intr_replay_count"),
	};
}

void look(void)
{
	reports_begin();
	before = now();
}

struct seen seen(void)
{
	struct seen after = now();

	return (struct seen){
		.nmis = after.nmis - before.nmis,
		.unknown = reports_end(UNKNOWN_NMI),
		.late = after.late - before.late,
		.spurious = after.spurious - before.spurious,
		.regular = after.regular - before.regular,
		.replayed = after.replayed - before.replayed,
	};
}

void must_see(struct seen wanted)
{
	struct seen is = seen();

	if (interrupts_are_shared) {
		ck_assert_uint_eq(is.unknown, wanted.unknown);
		ck_assert_uint_eq(is.regular + is.replayed,
				  wanted.regular + wanted.replayed);
		return;
	}
	ck_assert_msg(
		!memcmp(&is, &wanted, sizeof(is)),
		"NMIs %ju (not %ju), unknown %ju (%ju), late %ju (%ju), spurious %ju "
		"(%ju), regular %ju (%ju), replayed %ju (%ju)",
		is.nmis, wanted.nmis, is.unknown, wanted.unknown, is.late, wanted.late,
		is.spurious, wanted.spurious, is.regular, wanted.regular, is.replayed,
		wanted.replayed);
}

/* ---- counters that wrap ------------------------------------------------------------------- */

void set_distance(int fd, unsigned int n, uint64_t distance)
{
	write_pmd(fd, n, WRAP - distance);
}

int context_near_wrap(uint64_t distance, unsigned int levels)
{
	int fd = context_of(0, instructions(levels));

	use(fd, 1, instructions(levels), 0);
	set_distance(fd, 0, distance);
	load(fd, thread_id());
	return fd;
}

void run_loop(int fd)
{
	must(fd, pfm_start(fd, NULL));
	loop(LOOP);
	must(fd, pfm_stop(fd));
}

void run_and_see(int fd, struct seen wanted)
{
	look();
	run_loop(fd);
	must_see(wanted);
}

void must_agree(int fd, uint64_t distance)
{
	uint64_t counted = read_pmd(fd, 1);

	ck_assert_uint_ge(counted, LOOP);
	ck_assert_uint_eq(read_pmd(fd, 0) - (WRAP - distance), counted);
}

void must_be_found(int fd, struct found *found, unsigned int turn)
{
	const struct seen is = seen();

	ck_assert_msg(is.nmis == 1 && !is.unknown && is.regular + is.replayed == 1,
		      "turn %u: NMIs %ju, unknown %ju, regular %ju, replayed %ju", turn,
		      is.nmis, is.unknown, is.regular, is.replayed);
	must_agree(fd, CLOSE_TO_THE_END);
	found->regular += is.regular;
	found->left += is.replayed && !is.late;
	found->late += is.late;
}

void must_have_all(const struct found *found)
{
	ck_assert_uint_gt(found->regular, 0);
	ck_assert_uint_gt(found->left, 0);
	ck_assert_uint_gt(found->late, 0);
}
