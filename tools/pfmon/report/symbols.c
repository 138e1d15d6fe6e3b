// SPDX-License-Identifier: GPL-2.0-only
/* Find the functions that contain given addresses. */
#include "symbols.h"

int symbols_make(struct symbols *symbols, const struct recording *recording)
{
	*symbols = (struct symbols){ .recording = recording };
	if (objects_make(&symbols->objects, recording))
		return -1;
	return mappings_make(&symbols->mappings, recording);
}

void symbols_free(struct symbols *symbols)
{
	mappings_free(&symbols->mappings);
	objects_free(&symbols->objects);
}

/*
 * Returns whether frame @index is a return address, which is the address after a call instruction.
 * Two kinds of frames are not return addresses. The first frame of the kernel's part, or of the
 * program's part, is the address of the interrupted instruction. If the hardware has recorded the
 * callers, their frames are the addresses of the call instructions. If a call is the last
 * instruction of a function, its return address is outside of this function. So for a return
 * address, pfmon looks up the byte before it, which belongs to the call instruction.
 */
static bool is_return(const struct sample *sample, unsigned int index)
{
	if (index > sample->kernel_count && sample->user_calls)
		return false;
	return index && index != sample->kernel_count;
}

/*
 * Returns the object that contains the address of frame @index. If the frame is a return address,
 * returns the object that contains the call instruction, which ends at the return address. Returns
 * NULL if nothing was mapped there. Stores in @offset the offset of the frame's address in the
 * object.
 */
static struct object *find_object(struct symbols *symbols, const struct sample *sample,
				  unsigned int index, uint64_t *offset)
{
	uint64_t address = sample->frames[index];
	uint64_t before = is_return(sample, index) && address;
	const struct recorded_mapping *recorded = mappings_find(
		&symbols->mappings, sample->tgid, sample->time, address - before);

	if (!recorded)
		return NULL;
	*offset = address - recorded->mapping->start + recorded->mapping->offset;
	return symbols->objects.of_mapping[recorded - symbols->recording->mappings];
}

struct location symbols_find(struct symbols *symbols, const struct sample *sample,
			     unsigned int index)
{
	uint64_t address = sample->frames[index];
	uint64_t before = is_return(sample, index) && address;
	struct location location = {
		.offset = address,
		.is_kernel = is_kernel_address(address),
	};
	uint64_t offset, inside;
	struct object *object = find_object(symbols, sample, index, &offset);
	struct symbol *symbol;

	if (!object)
		return location;
	symbol = object_symbol(&symbols->objects, object, offset - before, &inside);
	if (symbol && symbols->demangles)
		symbol_demangle(symbol);
	location.object = object;
	location.symbol = symbol;
	location.offset = symbol ? inside + before : offset;
	return location;
}

/*
 * Returns whether two frames are known to be in different functions. symbols_is_frame() calls this
 * if no unwinding table says where the return address is. Then it treats the value of the link
 * register as the address of a caller only if this value and the interrupted instruction are in
 * different functions. A value in the interrupted function may be left over from an earlier call.
 */
static bool are_different_functions(struct symbols *symbols, const struct sample *sample,
				    unsigned int one, unsigned int other)
{
	struct location a = symbols_find(symbols, sample, one);
	struct location b = symbols_find(symbols, sample, other);

	return a.symbol && b.symbol && a.symbol != b.symbol;
}

bool symbols_is_frame(struct symbols *symbols, const struct sample *sample,
		      unsigned int index)
{
	struct object *object;
	uint64_t offset;

	if (!sample_is_link(sample, index))
		return true;
	if (index + 1 < sample->frame_count &&
	    sample->frames[index + 1] == sample->frames[index])
		return false;
	object = find_object(symbols, sample, index - 1, &offset);
	switch (object ? object_link(&symbols->objects, object, offset) : LINK_UNKNOWN) {
	case LINK_IN_REGISTER:
		return true;
	case LINK_SAVED:
		return false;
	default:
		return are_different_functions(symbols, sample, index - 1, index);
	}
}

const char *object_name(const struct object *object, bool is_kernel)
{
	if (object)
		return object->name;
	return is_kernel ? "[kernel]" : "[unknown]";
}
