// SPDX-License-Identifier: GPL-2.0-only
/* The registry of sampling formats. */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

#include "context.h"
#include "format.h"
#include "interface.h"
#include "sysfs.h"

struct registration {
	struct list_head node;
	struct pfm_format *format;
	struct pfm_format_directory *directory;
};

static DEFINE_MUTEX(registry); /* protects registrations */
static LIST_HEAD(registrations);

static struct registration *find(const char *name)
{
	struct registration *registration;

	lockdep_assert_held(&registry);
	list_for_each_entry(registration, &registrations, node)
		if (!strcmp(registration->format->name, name) ||
		    !strcasecmp(registration->format->uuid, name))
			return registration;
	return NULL;
}

/* The name becomes part of a module alias and of a sysfs path. */
static bool is_name(const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i < length; i++)
		if (!isalnum(name[i]) && name[i] != '_' && name[i] != '-')
			return false;
	return length > 0 && length < PFM_FORMAT_NAME_SIZE;
}

static bool is_complete(const struct pfm_format *format)
{
	return format->name && is_name(format->name) && format->uuid &&
	       is_name(format->uuid) && strlen(format->uuid) == 36 && format->handler &&
	       format->argument_size <= PFM_ARGUMENTS_SIZE &&
	       format->argument_first_size <= format->argument_size &&
	       !(format->flags & ~PFM_FORMAT_CONTINUOUS);
}

int __pfm_format_register(struct pfm_format *format, struct module *owner)
{
	struct registration *registration;
	int error;

	error = pfm_interface_check("format", format->interface, PFM_FORMAT_INTERFACE,
				    owner);
	if (error)
		return error;
	if (!is_complete(format))
		return -EINVAL;
	format->owner = owner;
	registration = kzalloc(sizeof(*registration), GFP_KERNEL);
	if (!registration)
		return -ENOMEM;
	registration->format = format;
	mutex_lock(&registry);
	if (find(format->name) || find(format->uuid))
		error = -EBUSY;
	if (!error) {
		registration->directory = pfm_sysfs_add_format(format);
		error = PTR_ERR_OR_ZERO(registration->directory);
	}
	if (error)
		kfree(registration);
	else
		list_add_tail(&registration->node, &registrations);
	mutex_unlock(&registry);
	return error;
}
EXPORT_SYMBOL_GPL(__pfm_format_register);

void pfm_format_unregister(struct pfm_format *format)
{
	struct registration *registration;

	mutex_lock(&registry);
	registration = find(format->name);
	list_del(&registration->node);
	pfm_sysfs_remove_format(registration->directory);
	mutex_unlock(&registry);
	kfree(registration);
}
EXPORT_SYMBOL_GPL(pfm_format_unregister);

static const struct pfm_format *get_registered(const char *name)
{
	struct registration *registration;
	const struct pfm_format *format = NULL;

	mutex_lock(&registry);
	registration = find(name);
	if (registration && try_module_get(registration->format->owner))
		format = registration->format;
	mutex_unlock(&registry);
	return format;
}

/* If there is no memory to load a module, return -ENOMEM, not -EINVAL: the format may exist. */
const struct pfm_format *pfm_format_get(const char *name)
{
	const struct pfm_format *format;
	char alias[PFM_FORMAT_NAME_SIZE];

	if (!is_name(name))
		return ERR_PTR(-EINVAL);
	format = get_registered(name);
	if (format)
		return format;
	/* Users may write a UUID in capital letters; module aliases have small letters. */
	string_lower(alias, name);
	/* Do not hold the mutex here: the module takes it to register its format. */
	if (request_module(PFM_FORMAT_ALIAS("%s"), alias) == -ENOMEM)
		return ERR_PTR(-ENOMEM);
	return get_registered(name) ?: ERR_PTR(-EINVAL);
}

int pfm_format_fit_argument(const struct pfm_format *format, void *argument, size_t size)
{
	const size_t known = format->argument_size;

	if (size < (format->argument_first_size ?: known))
		return -EINVAL;
	if (size > known)
		return memchr_inv(argument + known, 0, size - known) ? -E2BIG : 0;
	memset(argument + size, 0, known - size);
	return 0;
}

void pfm_format_put(const struct pfm_format *format)
{
	module_put(format->owner);
}
