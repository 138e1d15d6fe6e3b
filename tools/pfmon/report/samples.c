// SPDX-License-Identifier: GPL-2.0-only
/* Read the samples of a recording. What an entry contains depends on the sampling format. */
#include <perfmon/perfmon.h>
#include <perfmon/perfmon_callchain.h>
#include <perfmon/perfmon_hist.h>
#include <perfmon/perfmon_nway.h>

#include "samples.h"

/*
 * The sizes of all entries are multiples of 8 bytes, so that the values after an entry are aligned.
 */
_Static_assert(sizeof(struct pfm_dfl_smpl_entry) % 8 == 0, "no padding");
_Static_assert(sizeof(struct pfm_callchain_entry) % 8 == 0, "no padding");
_Static_assert(sizeof(struct pfm_hist_entry) % 8 == 0, "no padding");

/* The unread entries of a SAMPLES record. */
struct entries {
	const struct recording *recording;
	const struct data_samples *record;
	struct data_body body;
};

/* Read the next sample. Returns false if its entry is incomplete or invalid. */
typedef bool (*read_function)(struct entries *entries, struct sample *sample);

/* __u64 and uint64_t have the same size, but on most machines they are different types. */
static const uint64_t *as_frame(const __u64 *ip)
{
	return (const uint64_t *)ip;
}

/*
 * Fill in @sample from @entry. The sample gets one frame: @sample->frames points to @entry->ip.
 * Returns false if the file does not describe the sample's event.
 */
static bool take_entry(struct entries *entries, const struct pfm_dfl_smpl_entry *entry,
		       struct sample *sample)
{
	*sample = (struct sample){
		.event = recording_event(entries->recording, entry->set, entry->ovfl_pmd),
		.context = entries->record->context,
		.tid = entry->pid,
		.tgid = entry->tgid,
		.cpu = entry->cpu,
		.time = entry->tstamp,
		.count = 1,
		.period = -entry->last_reset_val,
		.frames = as_frame(&entry->ip),
		.frame_count = 1,
	};
	return sample->event;
}

/*
 * Returns the number of values that follow @entry. In version 1.0 of a format, entries do not
 * contain this number, because it is the same for all entries of an event.
 */
static size_t value_count(const struct entries *entries,
			  const struct pfm_dfl_smpl_entry *entry,
			  const struct sample *sample)
{
	if (PFM_VERSION_MINOR(entries->record->format_version) == 0)
		return sample->event->event->value_count;
	return PFM_SMPL_VALUES(entry->values);
}

static bool read_default(struct entries *entries, struct sample *sample)
{
	const struct pfm_dfl_smpl_entry *entry =
		data_take(&entries->body, sizeof(*entry));

	if (!entry || !take_entry(entries, entry, sample))
		return false;
	return data_take(&entries->body,
			 value_count(entries, entry, sample) * sizeof(uint64_t));
}

static bool read_callchain(struct entries *entries, struct sample *sample)
{
	const struct pfm_callchain_entry *entry =
		data_take(&entries->body, sizeof(*entry));
	const uint64_t *frames;
	unsigned int count;

	if (!entry || !take_entry(entries, &entry->sample, sample) ||
	    entry->kernel_count > PFM_CALLCHAIN_MAX_DEPTH ||
	    entry->user_count > PFM_CALLCHAIN_MAX_DEPTH ||
	    !data_take(&entries->body, entry->value_count * sizeof(uint64_t)))
		return false;
	count = (unsigned int)entry->kernel_count + entry->user_count;
	frames = data_take(&entries->body, count * sizeof(*frames));
	if (!frames)
		return false;
	sample->has_chain = true;
	if (count) {
		sample->frames = frames;
		sample->frame_count = count;
		sample->kernel_count = entry->kernel_count;
		sample->kernel_link = entry->flags & PFM_CALLCHAIN_KERNEL_LINK;
		sample->user_link = entry->flags & PFM_CALLCHAIN_USER_LINK;
		sample->user_calls = entry->flags & PFM_CALLCHAIN_USER_CALLS;
	}
	return true;
}

static bool read_hist(struct entries *entries, struct sample *sample)
{
	const struct pfm_hist_entry *entry = data_take(&entries->body, sizeof(*entry));

	if (!entry)
		return false;
	*sample = (struct sample){
		.event = recording_event(entries->recording, entry->set, entry->pmd),
		.context = entries->record->context,
		.tgid = entry->tgid,
		.time = UINT64_MAX,
		.count = entry->count,
		.period = entry->sum,
		.frames = as_frame(&entry->ip),
		.frame_count = 1,
	};
	return sample->event;
}

static read_function find_reader(const struct data_samples *record)
{
	static const struct {
		read_function read;
		uint32_t version;
	} formats[] = {
		[DATA_FORMAT_DEFAULT] = { read_default, PFM_DFL_SMPL_VERSION },
		[DATA_FORMAT_NWAY] = { read_default, PFM_NWAY_VERSION },
		[DATA_FORMAT_CALLCHAIN] = { read_callchain, PFM_CALLCHAIN_VERSION },
		[DATA_FORMAT_HIST] = { read_hist, PFM_HIST_VERSION },
	};
	uint32_t major = PFM_VERSION_MAJOR(record->format_version);

	if (record->format >= sizeof(formats) / sizeof(formats[0]) ||
	    major != PFM_VERSION_MAJOR(formats[record->format].version))
		return NULL;
	return formats[record->format].read;
}

static int read_record(const struct recording *recording,
		       const struct recorded_samples *record, sample_function function,
		       void *argument, size_t *bad)
{
	read_function read = find_reader(record->samples);
	struct entries entries = {
		.recording = recording,
		.record = record->samples,
		.body = { record->entries, record->entries + record->size },
	};
	struct sample sample;
	int result = 0;

	for (uint64_t i = 0; !result && i < record->samples->count; i++) {
		if (!read || !read(&entries, &sample)) {
			++*bad;
			break;
		}
		result = function(&sample, argument);
	}
	return result;
}

int samples_each(const struct recording *recording, sample_function function,
		 void *argument, size_t *bad)
{
	int result = 0;

	*bad = 0;
	for (size_t i = 0; !result && i < recording->samples_count; i++)
		result = read_record(recording, &recording->samples[i], function,
				     argument, bad);
	return result;
}
