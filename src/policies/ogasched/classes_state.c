/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes as bytes:
 *   types, units of CPUs and memory
 *   the learner
 *   of each class: GPUs saved, jobs when the slot began;
 *     tenant, type, and the exponents of GPUs, CPUs and memory
 * Old ones: the learner; of each class: GPUs saved, jobs; its name is
 * TENANT/EXPONENT.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/ogasched/classes.h"

#define EXPONENT_MAX 32

int ogas_classes_save(const struct ogas_classes *c, struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)c->types);
	astra_put_f64(out, c->unit[OGAS_CPUS]);
	astra_put_f64(out, c->unit[OGAS_MEMORY]);
	astra_ogas_save(c->learner, out);
	for (size_t l = 0; l < c->count; l++) {
		const struct ogas_class *class = &c->list[l];

		astra_put_f64(out, c->saved[l]);
		astra_put_u32(out, c->slot_x[l]);
		astra_put_text(out, class->tenant);
		astra_put_text(out, class->type);
		astra_put_u32(out, class->size);
		astra_put_u32(out, class->cpus);
		astra_put_u32(out, class->mem);
	}
	return out->failed ? -1 : 0;
}

/* How many types the learner has, and their units. */
static int restore_types(struct ogas_classes *c, struct astra_reader *in)
{
	struct astra_ogas *learner;

	c->types = astra_get_u32(in);
	c->unit[OGAS_CPUS] = astra_get_f64(in);
	c->unit[OGAS_MEMORY] = astra_get_f64(in);
	if (in->failed || !c->types || c->types > OGAS_TYPES)
		return -1;
	for (size_t k = 1; k < OGAS_TYPES; k++)
		if (!(c->unit[k] >= 0) || !isfinite(c->unit[k]) ||
		    (k < c->types && !(c->unit[k] > 0)))
			return -1;
	learner = ogas_classes_learner(c, c->types);
	if (!learner)
		return -1;
	astra_ogas_destroy(c->learner);
	c->learner = learner;
	return 0;
}

/* From its name, as it was written once. name: is cut.
 * Returns false where it is none. */
static bool old_class(char *name, struct ogas_class *class)
{
	char *slash = name ? strrchr(name, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	class->tenant = name;
	class->type = "";
	class->size = (uint32_t)strtoul(slash + 1, NULL, 10);
	return true;
}

static bool classes_state_is_sound(const struct ogas_class *class, double saved)
{
	return saved >= 0 && saved <= UINT32_MAX &&
	       class->size <= EXPONENT_MAX && class->cpus <= EXPONENT_MAX &&
	       class->mem <= EXPONENT_MAX;
}

/* What is written of a class beside what the learner has. */
static int read_class(struct ogas_classes *c, uint32_t number,
		      struct astra_reader *in)
{
	char *tenant = astra_get_text(in), *type = astra_get_text(in);
	struct ogas_class class = {.tenant = tenant, .type = type};
	int rc = -1;

	class.size = astra_get_u32(in);
	class.cpus = astra_get_u32(in);
	class.mem = astra_get_u32(in);
	if (tenant && type && !in->failed &&
	    classes_state_is_sound(&class, c->saved[number]))
		rc = ogas_classes_put(
			c, astra_ogas_port_name(c->learner, number), &class);
	free(tenant);
	free(type);
	return rc;
}

static int read_old_class(struct ogas_classes *c, uint32_t number)
{
	const char *name = astra_ogas_port_name(c->learner, number);
	char *copy = name ? strdup(name) : NULL;
	struct ogas_class class = {0};
	int rc = -1;

	if (old_class(copy, &class) &&
	    classes_state_is_sound(&class, c->saved[number]))
		rc = ogas_classes_put(c, name, &class);
	free(copy);
	return rc;
}

static int restore_class(struct ogas_classes *c, uint32_t number,
			 struct astra_reader *in, bool old)
{
	c->saved[number] = astra_get_f64(in);
	c->slot_x[number] = astra_get_u32(in);
	if (in->failed)
		return -1;
	return old ? read_old_class(c, number) : read_class(c, number, in);
}

int ogas_classes_restore(struct ogas_classes *c, struct astra_reader *in,
			 bool old)
{
	size_t classes;

	if ((!old && restore_types(c, in) < 0) ||
	    astra_ogas_restore(c->learner, in, NULL) < 0)
		return -1;
	classes = astra_ogas_port_count(c->learner);
	if (ogas_classes_grow(c, classes) < 0)
		return -1;
	for (uint32_t l = 0; l < classes; l++)
		if (restore_class(c, l, in, old) < 0)
			return -1;
	return ogas_nodes_forget(c);
}
