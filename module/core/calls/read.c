// SPDX-License-Identifier: GPL-2.0-only
/* Reading PMDs. */
#include "counting/snapshot.h"
#include "read.h"
#include "registers.h"
#include "sum.h"

/*
 * Reading is a hot path, so only the words that matter in each element are copied.  struct
 * pfarg_pmd begins like struct pfarg_pmr.
 */
static_assert(offsetof(struct pfarg_pmd, reg_num) == offsetof(struct pfarg_pmr, reg_num));
static_assert(offsetof(struct pfarg_pmd, reg_set) == offsetof(struct pfarg_pmr, reg_set));
static_assert(offsetof(struct pfarg_pmd, reg_value) ==
	      offsetof(struct pfarg_pmr, reg_value));

/* The first 64 bits of an element, as they are in the user's memory. */
union pmd_name {
	struct {
		u16 pmd;
		u16 set;
		u32 flags;
	};
	u32 number; /* @pmd and @set */
	u64 all;
};

/*
 * A program may use the same struct pfarg_pmd to write a PMD and then to read the PMD, so a read
 * ignores the flags of a struct pfarg_pmd.
 */
static __always_inline bool has_flags(union pmd_name name, size_t known)
{
	return known == sizeof(struct pfarg_pmr) && name.flags;
}

/*
 * @first: pmd_name.number for PMD 0 of the set that is being read
 *
 * Return: the number of the PMD if the element belongs to this set and has_flags() is false; if
 * not, a number that no PMD has.  perfmon supports only little-endian machines, so the number of
 * the PMD is in the low 16 bits of @name.  If the set or the flags are wrong, the difference is at
 * least 2^16, which is larger than the number of any PMD.
 */
static __always_inline u64 pmd_of_set(union pmd_name name, u32 first, size_t known)
{
	return known == sizeof(struct pfarg_pmr) ? name.all - first : name.number - first;
}

/*
 * Read PMDs into the elements of @vector.  The first bad element and all after it are not changed.
 * No function may be called between user_access_begin() and user_access_end().  Adjacent elements
 * of the same set are read at the same moment.  @known: how many bytes of an element are used.
 * @stride: distance from one element to the next, in bytes.
 *
 * For PMDs below 64 there is a faster branch.  The modulo in this branch keeps speculative reads
 * within the memory of the snapshot.
 */
static __always_inline int read_elements(struct pfm_context *context,
					 struct pfm_vector vector, size_t known,
					 size_t stride)
{
	void __user *const first = u64_to_user_ptr(vector.address);
	void __user *const end = first + vector.count * stride;
	struct pfm_snapshot *snapshot = context->arguments;
	const struct pfm_pmd_attributes *attributes;
	struct pfarg_pmd __user *pmd = first;
	struct pfm_set *set;
	union pmd_name name;
	u32 pmd_0;
	u64 n, used, value;

	set = pfm_sum_snapshot(context, snapshot);

go_on:
	pmd_0 = (union pmd_name){ .set = set->id }.number;
	used = set->registers.used_pmds[0];
	if (unlikely(!user_access_begin(pmd, end - (void __user *)pmd)))
		goto no_access;
	for (; pmd != end; pmd = (void __user *)pmd + stride) {
		unsafe_get_user(name.all, (const u64 __user *)pmd, fault);
		n = pmd_of_set(name, pmd_0, known);
		if (likely(n < 64)) {
			OPTIMIZER_HIDE_VAR(n);
			n %= 64;
			if (unlikely(!(used & BIT_ULL(n))))
				goto bad;
			attributes = &set->attributes[0] + n;
			value = *(&snapshot->values[0] + n);
		} else {
			if (unlikely(n >= PFM_MAX_PMDS))
				goto other_set;
			if (unlikely(!pfm_pmd_used(set, n)))
				goto bad;
			attributes = pfm_attributes(set, n);
			value = pfm_snapshot_value(snapshot, n);
		}
		unsafe_put_user(value, &pmd->reg_value, fault);
		if (known == sizeof(*pmd)) {
			unsafe_put_user(attributes->last_reset, &pmd->reg_last_reset_val,
					fault);
			unsafe_put_user(attributes->switch_remaining,
					&pmd->reg_ovfl_switch_cnt, fault);
		}
	}
	user_access_end();
	return 0;

other_set:
	user_access_end();
	n = ((void __user *)pmd - first) / stride;
	if (has_flags(name, known))
		return pfm_fail_at(context, n, -EINVAL, PFM_REASON_FLAGS, name.flags);
	/* If the element belongs to @set, the loop stopped because name.pmd is too large. */
	set = name.set == set->id ? NULL : pfm_set_find(context, name.set);
	if (!set)
		return pfm_unreadable(context, n, name.set, name.pmd);
	pfm_sum_snapshot_set(context, set, snapshot);
	goto go_on;
bad:
	user_access_end();
	return pfm_unreadable(context, ((void __user *)pmd - first) / stride, name.set,
			      name.pmd);
fault:
	user_access_end();
no_access:
	return pfm_fault(context, pmd);
}

/*
 * Read elements that are longer than those of this version.  This is a function of its own, so that
 * the sizes in read_vector() are constants.
 */
static noinline int read_long_elements(struct pfm_context *context,
				       struct pfm_vector vector, size_t known)
{
	if (known == sizeof(struct pfarg_pmr))
		return read_elements(context, vector, sizeof(struct pfarg_pmr),
				     vector.element_size);
	return read_elements(context, vector, sizeof(struct pfarg_pmd),
			     vector.element_size);
}

static __always_inline int read_vector(struct pfm_context *context,
				       struct pfm_argument argument, size_t known)
{
	struct pfm_vector vector;
	int error = pfm_vector_get(context, &vector, argument, known);

	if (unlikely(error || !vector.count))
		return error;
	if (unlikely(vector.element_size != known))
		return read_long_elements(context, vector, known);
	return read_elements(context, vector, known, known);
}

int pfm_read_pmds(struct pfm_context *context, struct pfm_argument argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmd));
}

int pfm_read(struct pfm_context *context, struct pfm_argument argument)
{
	return read_vector(context, argument, sizeof(struct pfarg_pmr));
}
