// SPDX-License-Identifier: GPL-2.0-only
/* Writes synthetic recordings with the code of pfmon record. */
#include <check.h>
#include <stdio.h>
#include <sys/mman.h>

#include "../../tools/pfmon/data/data_write.h"
#include "synthetic.h"

const char *synthetic_path(void)
{
	static char path[32];
	int fd = memfd_create("recording", 0);

	ck_assert_int_ge(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

uint32_t synthetic_flags;

void synthetic_begin(struct data_writer *writer, const char *path)
{
	static const char *const strings[DATA_MACHINE_STRINGS] = {
		"0.1",	   "x86_64", "6.1.0-44-amd64",	  "0123456789abcdef",
		"boot-id", "soft",   "any machine's PMU",
	};
	static char *const command[] = { (char *)"app", (char *)"--size", (char *)"100",
					 NULL };
	const struct data_machine machine = { .time = MACHINE_TIME,
					      .flags = synthetic_flags };
	const struct id_list none = { 0 };

	ck_assert_int_eq(data_create(writer, path), 0);
	ck_assert_int_eq(data_write_machine(writer, &machine, strings), 0);
	ck_assert_int_eq(data_write_command(writer, command, &none, &none, &none), 0);
}

void synthetic_event(struct data_writer *writer, const char *name, uint16_t pmd,
		     uint64_t period, uint16_t values)
{
	static const uint16_t pmds[] = { 7, 8, 9, 10 };
	const struct data_event event = {
		.code = 0x11,
		.period = period,
		.pmd = pmd,
		.modes = DATA_MODE_USER,
		.value_count = values,
	};

	ck_assert_uint_le(values, sizeof(pmds) / sizeof(pmds[0]));
	ck_assert_int_eq(data_write_event(writer, &event, pmds, name), 0);
}

void synthetic_thread(struct data_writer *writer, uint32_t tid, uint32_t tgid,
		      uint32_t context, const char *comm)
{
	const struct data_thread thread = { .tid = tid,
					    .tgid = tgid,
					    .context = context };

	ck_assert_int_eq(data_write_thread(writer, &thread, comm), 0);
}

void synthetic_mapping(struct data_writer *writer, uint32_t tgid, uint64_t start,
		       uint64_t end, uint64_t offset, const char *path)
{
	const struct data_mapping mapping = {
		.tgid = tgid, .start = start, .end = end, .offset = offset
	};

	ck_assert_int_eq(data_write_mapping(writer, &mapping, path, NULL), 0);
}

struct pfm_dfl_smpl_entry synthetic_entry(uint32_t tid, uint32_t tgid, uint16_t pmd,
					  uint64_t ip, uint64_t time, uint64_t period)
{
	return (struct pfm_dfl_smpl_entry){
		.pid = tid,
		.tgid = tgid,
		.ovfl_pmd = pmd,
		.values = PFM_SMPL_CLOCK_SCHEDULER << 12,
		.ip = ip,
		.tstamp = time,
		.last_reset_val = -period,
		.cpu = 1,
	};
}

void synthetic_samples(struct data_writer *writer, enum data_format format,
		       uint32_t context, uint64_t count, const void *entries, size_t size)
{
	const struct data_samples samples = {
		.context = context,
		.format = format,
		.format_version = PFM_DFL_SMPL_VERSION,
		.count = count,
	};

	ck_assert_int_eq(data_write_samples(writer, &samples, entries, size), 0);
}

void synthetic_losses(struct data_writer *writer, uint32_t context, uint64_t lost,
		      uint64_t throttled)
{
	const struct data_losses losses = { .context = context,
					    .lost = lost,
					    .throttled = throttled };

	ck_assert_int_eq(data_write_losses(writer, &losses), 0);
}

void synthetic_end(struct data_writer *writer, uint64_t written, uint64_t lost)
{
	const struct data_end end = {
		.produced = written + lost,
		.written = written,
		.lost = lost,
		.duration = 2000000000,
	};

	ck_assert_int_eq(data_write_end(writer, &end), 0);
	ck_assert_int_eq(data_close(writer), 0);
}
