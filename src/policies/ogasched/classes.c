/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define EXPONENT_MAX 32

/* How many jobs of a class count at once. */
#define COPIES 8

/* beta: the overhead of another unit of a class, compared with utilities of 1.
 * It is the lower end of the paper's Table II. */
#define BETA 0.3

/* The most elements of y, 32 MiB. If there would be more, new classes of one
 * size are merged. */
#define CELLS_MAX 4194304
#define SIZES 33 /* the powers of two below 2^32, and the next one */
#define MIB_PER_GIB 1024.0

struct astra_ogas *ogas_classes_learner(const struct ogas_classes *c,
					size_t types)
{
	const double beta[OGAS_TYPES] = {BETA, BETA, BETA};

	return astra_ogas_create(&c->options, beta, types);
}

int ogas_classes_init(struct ogas_classes *c,
		      const struct astra_ogas_options *options,
		      enum astra_ogas_utility utility)
{
	*c = (struct ogas_classes){
		.options = *options,
		.utility = utility,
		.types = 1,
	};
	c->learner = ogas_classes_learner(c, c->types);
	return c->learner ? 0 : -1;
}

void ogas_classes_clear(struct ogas_classes *c)
{
	astra_ogas_destroy(c->learner);
	astra_intern_clear(&c->names);
	astra_intern_clear(&c->texts);
	for (size_t r = 0; r < c->told_count; r++)
		free(c->told[r].type);
	free(c->list);
	free(c->node_of);
	free(c->told);
	free(c->saved);
	free(c->x);
	free(c->slot_x);
	free(c->class_of);
	*c = (struct ogas_classes){0};
}

/* Make room for `classes` classes. */
static int ogas_classes_grow(struct ogas_classes *c, size_t classes)
{
	if (astra_grow(&c->x, &c->x_room, classes, sizeof(*c->x)) < 0 ||
	    astra_grow(&c->slot_x, &c->slot_x_room, classes,
		       sizeof(*c->slot_x)) < 0 ||
	    astra_grow(&c->saved, &c->saved_room, classes, sizeof(*c->saved)) <
		    0)
		return -1;
	return 0;
}

static const char *classes_keep_text(struct ogas_classes *c, const char *text)
{
	uint32_t number = astra_intern_put(&c->texts, text);

	return number == ASTRA_INTERN_NONE ? NULL : c->texts.names[number];
}

/* Add a class that the learner has already; its texts are copied. Returns 0, or
 * -1 when memory is out or its name is already used. */
static int ogas_classes_put(struct ogas_classes *c, const char *name,
			    const struct ogas_class *class)
{
	struct ogas_class own = *class;

	own.tenant = classes_keep_text(c, class->tenant);
	own.type = classes_keep_text(c, class->type);
	if (!own.tenant || !own.type ||
	    astra_grow(&c->list, &c->list_room, c->count + 1,
		       sizeof(*c->list)) < 0 ||
	    astra_intern_put(&c->names, name) != c->count)
		return -1;
	c->list[c->count++] = own;
	return 0;
}

static uint32_t classes_size_of(uint64_t units)
{
	uint32_t size = 0;

	while (size + 1 < SIZES && UINT64_C(1) << size < units)
		size++;
	return size;
}

/* Return what a job takes per GPU, as an exponent of 2; 0: no more than the
 * unit. unit: what the pool has per GPU; 0: unknown. */
static uint32_t classes_shape_of(double each, double unit)
{
	uint32_t size;

	if (!(unit > 0) || !(each > unit))
		return 0;
	size = classes_size_of((uint64_t)ceil(fmin(each, UINT32_MAX)));
	return size ? size : 1;
}

/* Return the class of a demand; its texts are borrowed from the demand. */
static struct ogas_class classes_describe(const struct ogas_classes *c,
					  const struct astra_demand *d)
{
	const struct astra_request *q = &d->job->request;
	double nodes = q->nodes_min ? q->nodes_min : 1;
	double cpus = fmax(q->cpus, nodes * q->cpus_per_node);
	double mem_mib = nodes * (double)q->mem_node_mib +
			 cpus * (double)q->mem_cpu_mib +
			 q->gpus * (double)q->mem_gpu_mib;

	return (struct ogas_class){
		.tenant = d->tenant_name ? d->tenant_name : "",
		.type = c->several && q->gpu_type ? q->gpu_type : "",
		.size = classes_size_of(q->gpus),
		.cpus = classes_shape_of(cpus / q->gpus, c->unit[OGAS_CPUS]),
		.mem = classes_shape_of(mem_mib / q->gpus / MIB_PER_GIB,
					c->unit[OGAS_MEMORY] / MIB_PER_GIB),
	};
}

/* Write the name of a class: tenant and size, then CPUs, memory and type if any
 * of them is special. */
static void name_class(const struct ogas_class *class, char *text, size_t size)
{
	bool plain = !*class->type && !class->cpus && !class->mem;

	if (plain)
		snprintf(text, size, "%.256s/%u", class->tenant, class->size);
	else
		snprintf(text, size, "%.256s/%u,c%u,m%u:%.80s", class->tenant,
			 class->size, class->cpus, class->mem, class->type);
}

/* Compute what jobs of a class ask for, in units. Jobs that take more CPUs or
 * memory per GPU than the unit ask for more units of these than GPUs. */
static void classes_request_of(const struct ogas_classes *c,
			       const struct ogas_class *class,
			       double request[OGAS_TYPES])
{
	/* On one node a job cannot get more GPUs than the largest node has. */
	double gpus =
		fmin((double)(UINT64_C(1) << class->size), c->largest_node);
	double cpus = ldexp(1, (int)class->cpus);
	double mem_mib = ldexp(MIB_PER_GIB, (int)class->mem);

	request[OGAS_GPUS] = request[OGAS_CPUS] = request[OGAS_MEMORY] = gpus;
	if (class->cpus)
		request[OGAS_CPUS] *= cpus / c->unit[OGAS_CPUS];
	if (class->mem)
		request[OGAS_MEMORY] *= mem_mib / c->unit[OGAS_MEMORY];
	for (int k = 0; k < OGAS_TYPES; k++)
		request[k] = fmin(request[k], ASTRA_OGAS_AMOUNT_MAX);
}

/* Add a class. Returns 0, or -1 when memory is out. */
static int classes_add_class(struct ogas_classes *c, const char *name,
			     const struct ogas_class *class)
{
	double request[OGAS_TYPES];
	const struct astra_ogas_port port = {
		.name = name,
		.request = request,
		.copies = COPIES,
	};
	size_t nodes = astra_ogas_node_count(c->learner);
	uint32_t index;

	classes_request_of(c, class, request);
	index = astra_ogas_add_port(c->learner, &port);
	if (index == ASTRA_OGAS_NONE || ogas_classes_put(c, name, class) < 0)
		return -1;
	for (uint32_t n = 0; n < nodes; n++)
		if (ogas_class_uses(class, c->told[n].type) &&
		    astra_ogas_connect(c->learner, index, n) < 0)
			return -1;
	c->changed = true;
	return 0;
}

/* Return the index of a class. A new class is added. */
static uint32_t class_number(struct ogas_classes *c,
			     const struct ogas_class *class)
{
	size_t cells = (c->count + SIZES + 1) * COPIES * c->types *
		       astra_ogas_node_count(c->learner);
	const struct ogas_class shared = {
		.tenant = "*",
		.type = "",
		.size = class->size,
	};
	char name[400];
	uint32_t index;

	name_class(class, name, sizeof(name));
	index = astra_intern_get(&c->names, name);
	if (index != ASTRA_INTERN_NONE)
		return index;
	if (cells > CELLS_MAX) {
		class = &shared;
		name_class(class, name, sizeof(name));
		index = astra_intern_get(&c->names, name);
	}
	if (index != ASTRA_INTERN_NONE)
		return index;
	return classes_add_class(c, name, class) < 0 ? ASTRA_OGAS_NONE
						     : (uint32_t)c->count - 1;
}

uint32_t ogas_classes_find(const struct ogas_classes *c,
			   const struct astra_demand *d)
{
	struct ogas_class class = classes_describe(c, d);
	char name[400];
	uint32_t index;

	name_class(&class, name, sizeof(name));
	index = astra_intern_get(&c->names, name);
	if (index != ASTRA_INTERN_NONE)
		return index;
	class = (struct ogas_class){
		.tenant = "*", .type = "", .size = class.size};
	name_class(&class, name, sizeof(name));
	index = astra_intern_get(&c->names, name);
	return index == ASTRA_INTERN_NONE ? ASTRA_OGAS_NONE : index;
}

/* Look up a class. Most classes are plain, and each plain one is looked up
 * once. */
static uint32_t classes_look_up(struct ogas_classes *c,
				const struct ogas_class *class, uint32_t *entry)
{
	if (*class->type || class->cpus || class->mem)
		return class_number(c, class);
	if (!*entry)
		*entry = 1 + class_number(c, class);
	return *entry - 1;
}

static int classes_classify(struct ogas_classes *c,
			    const struct astra_offer *offer)
{
	uint32_t *table =
		calloc(offer->tenant_count * SIZES + 1, sizeof(*table));
	int rc = table ? 0 : -1;

	for (size_t i = 0; !rc && i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		const struct ogas_class class = classes_describe(c, d);

		c->class_of[i] = classes_look_up(
			c, &class, &table[d->tenant * SIZES + class.size]);
		rc = c->class_of[i] == ASTRA_OGAS_NONE ? -1 : 0;
	}
	free(table);
	return rc;
}

static int classes_count_jobs(struct ogas_classes *c,
			      const struct astra_offer *offer)
{
	if (ogas_classes_grow(c, c->count) < 0)
		return -1;
	for (size_t l = 0; l < c->count; l++)
		c->x[l] = 0;
	for (size_t i = 0; i < offer->demand_count; i++) {
		uint32_t copies = offer->demands[i].copies;

		c->x[c->class_of[i]] += copies > 1 ? copies : 1;
	}
	return 0;
}

int ogas_classes_update(struct ogas_classes *c, const struct astra_offer *offer)
{
	if (ogas_nodes_update(c, offer) < 0 ||
	    astra_grow(&c->class_of, &c->class_of_room, offer->demand_count,
		       sizeof(*c->class_of)) < 0)
		return -1;
	return classes_classify(c, offer) < 0 ? -1
					      : classes_count_jobs(c, offer);
}

/* Return for how many GPUs a class's CPUs and memory suffice, if its jobs take
 * more of them than the unit. */
static double enough_for(const struct ogas_classes *c, uint32_t class)
{
	double gpus = astra_ogas_request(c->learner, class, OGAS_GPUS);
	double least = UINT32_MAX;

	for (size_t k = 1; k < c->types; k++) {
		double each = astra_ogas_request(c->learner, class, k);

		if (each > gpus * (1 + 1e-9))
			least = fmin(least,
				     astra_ogas_amount(c->learner, class,
						       c->slot_x[class], k) *
					     gpus / each);
	}
	return least;
}

int ogas_classes_units(struct ogas_classes *c, uint32_t *units)
{
	size_t nodes = astra_ogas_node_count(c->learner);

	if (astra_ogas_round(c->learner, c->slot_x, OGAS_GPUS, 1, units) < 0)
		return -1;
	for (uint32_t l = 0; l < c->count; l++) {
		/* Round in the same way as GPUs are rounded. */
		uint64_t left = (uint64_t)(enough_for(c, l) + 0.5);

		for (size_t n = 0; n < nodes; n++) {
			uint32_t *at = &units[l * nodes + n];

			*at = *at < left ? *at : (uint32_t)left;
			left -= *at;
		}
	}
	return 0;
}

/* Save classes as bytes: number of types, units of CPUs and memory; the
 * learner. Then of each class: GPUs saved, jobs at the slot's begin, tenant,
 * type, and the exponents of GPUs, CPUs and memory. The old layout: the
 * learner; of each class GPUs saved and jobs. Its class names are
 * TENANT/EXPONENT. */
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

/* Restore the learner's types of resources and their units. */
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

/* Make a class from its name in the old layout. name: is cut at the slash.
 * Returns false if the name is invalid. */
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

static bool classes_is_sound(const struct ogas_class *class, double saved)
{
	return saved >= 0 && saved <= UINT32_MAX &&
	       class->size <= EXPONENT_MAX && class->cpus <= EXPONENT_MAX &&
	       class->mem <= EXPONENT_MAX;
}

/* Read what is saved of a class outside of the learner. */
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
	    classes_is_sound(&class, c->saved[number]))
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
	    classes_is_sound(&class, c->saved[number]))
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
