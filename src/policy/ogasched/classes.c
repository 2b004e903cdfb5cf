/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/ogasched/classes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

/* So many jobs of a class count at once; with more it is the same class. */
#define COPIES 8
/* What a GPU more of a class costs in overhead, beside utilities of 1: the
 * lower end of the paper's Table II. */
#define BETA 0.3
/* Elements of y: 32 MiB. Beyond them, classes of one size share one. */
#define CELLS_MAX 4194304
#define SIZES 33 /* powers of two below 2^32, and the next */

int ogas_classes_init(struct ogas_classes *c,
		      const struct astra_ogas_options *options,
		      enum astra_ogas_utility utility)
{
	const double beta = BETA;

	*c = (struct ogas_classes){.utility = utility};
	c->learner = astra_ogas_create(options, &beta, 1);
	return c->learner ? 0 : -1;
}

void ogas_classes_clear(struct ogas_classes *c)
{
	astra_ogas_destroy(c->learner);
	astra_intern_clear(&c->names);
	free(c->node_of);
	free(c->gpus_of);
	free(c->alpha_of);
	free(c->saved);
	free(c->x);
	free(c->slot_x);
	free(c->class_of);
	*c = (struct ogas_classes){0};
}

static const char *node_name(const struct astra_offer *offer, uint32_t index,
			     char *text, size_t size)
{
	if (offer->nodes[index].name)
		return offer->nodes[index].name;
	snprintf(text, size, "%u", index);
	return text;
}

/* Weights of GPU types are what the paper calls alpha: hardware's merit. */
static double alpha_of(const struct astra_node *node)
{
	double alpha = node->gpus ? node->charge / node->gpus : 0;

	return alpha > 0 ? fmin(fmax(alpha, 1e-3), 1e3) : 1;
}

static uint32_t add_node(struct ogas_classes *c, const char *name)
{
	const double nothing = 0, one = 1;
	const struct astra_ogas_node node = {
		.name = name,
		.capacity = &nothing,
		.alpha = &one,
		.utility = &c->utility,
	};
	uint32_t index = astra_ogas_add_node(c->learner, &node);
	size_t ports = astra_ogas_port_count(c->learner);

	for (uint32_t l = 0; index != ASTRA_OGAS_NONE && l < ports; l++)
		if (astra_ogas_connect(c->learner, l, index) < 0)
			return ASTRA_OGAS_NONE;
	return index;
}

/* The learner's nodes by the offer's: as a rule they are what they were. */
static int match_nodes(struct ogas_classes *c, const struct astra_offer *offer)
{
	size_t known = c->node_count;
	char text[16];

	if (astra_grow(&c->node_of, &c->node_room, offer->node_count,
		       sizeof(*c->node_of)) < 0)
		return -1;
	c->node_count = 0;
	for (uint32_t n = 0; n < offer->node_count; n++) {
		const char *name = node_name(offer, n, text, sizeof(text));
		uint32_t index = n < known ? c->node_of[n] : n;

		if (index >= astra_ogas_node_count(c->learner) ||
		    strcmp(astra_ogas_node_name(c->learner, index), name) != 0)
			index = astra_ogas_find_node(c->learner, name);
		if (index == ASTRA_OGAS_NONE)
			index = add_node(c, name);
		if (index == ASTRA_OGAS_NONE)
			return -1;
		c->node_of[n] = index;
		c->node_count = n + 1;
	}
	return 0;
}

static int grow_told(struct ogas_classes *c)
{
	size_t need = astra_ogas_node_count(c->learner), room = c->told_room;

	if (astra_grow(&c->gpus_of, &room, need, sizeof(*c->gpus_of)) < 0)
		return -1;
	room = c->told_room;
	if (astra_grow(&c->alpha_of, &room, need, sizeof(*c->alpha_of)) < 0)
		return -1;
	c->told_room = room;
	return 0;
}

static void tell_node(struct ogas_classes *c, uint32_t index, double capacity,
		      double alpha)
{
	if (c->gpus_of[index] == capacity && c->alpha_of[index] == alpha)
		return;
	c->gpus_of[index] = capacity;
	c->alpha_of[index] = alpha;
	c->changed = true;
	astra_ogas_set_node(c->learner, index,
			    &(struct astra_ogas_node){
				    .capacity = &capacity,
				    .alpha = &alpha,
				    .utility = &c->utility,
			    });
}

/* How much of each node is offered: of a part of a pool its part of each. */
static double part_of(const struct astra_offer *offer)
{
	double gpus = 0;

	for (size_t n = 0; offer->part && n < offer->node_count; n++)
		if (offer->nodes[n].usable)
			gpus += offer->nodes[n].gpus;
	return gpus > 0 ? fmin((double)offer->gpus / gpus, 1) : 1;
}

/* Nodes that are gone or down have nothing. */
static int tell_nodes(struct ogas_classes *c, const struct astra_offer *offer)
{
	size_t count = astra_ogas_node_count(c->learner);
	bool *there = calloc(count + 1, sizeof(*there));
	double part = part_of(offer);

	if (!there || grow_told(c) < 0) {
		free(there);
		return -1;
	}
	for (size_t n = 0; n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		c->largest_node = fmax(c->largest_node, node->gpus);
		there[c->node_of[n]] = true;
		tell_node(c, c->node_of[n],
			  node->usable ? part * node->gpus : 0, alpha_of(node));
	}
	for (uint32_t i = 0; i < count; i++)
		if (!there[i])
			tell_node(c, i, 0, 1);
	free(there);
	return 0;
}

static uint32_t size_of(uint32_t gpus)
{
	uint32_t size = 0;

	while (size + 1 < SIZES && UINT64_C(1) << size < gpus)
		size++;
	return size;
}

static uint32_t add_class(struct ogas_classes *c, const char *name,
			  uint32_t size)
{
	/* On one node it cannot get more than there is. */
	double request = fmin((double)(UINT64_C(1) << size), c->largest_node);
	const struct astra_ogas_port port = {
		.name = name,
		.request = &request,
		.copies = COPIES,
	};
	uint32_t index = astra_ogas_add_port(c->learner, &port);
	size_t nodes = astra_ogas_node_count(c->learner);

	for (uint32_t n = 0; index != ASTRA_OGAS_NONE && n < nodes; n++)
		if (astra_ogas_connect(c->learner, index, n) < 0)
			return ASTRA_OGAS_NONE;
	return index;
}

/* The class of a tenant's jobs of a size, made if need be. */
static uint32_t class_of(struct ogas_classes *c, const char *tenant,
			 uint32_t size)
{
	size_t cells = (c->names.count + SIZES + 1) * COPIES *
		       astra_ogas_node_count(c->learner);
	char name[320];
	uint32_t index;

	snprintf(name, sizeof(name), "%.256s/%u", tenant ? tenant : "", size);
	index = astra_intern_get(&c->names, name);
	if (index != ASTRA_INTERN_NONE)
		return index;
	if (cells > CELLS_MAX) {
		snprintf(name, sizeof(name), "*/%u", size);
		index = astra_intern_get(&c->names, name);
	}
	if (index != ASTRA_INTERN_NONE)
		return index;
	if (add_class(c, name, size) == ASTRA_OGAS_NONE)
		return ASTRA_OGAS_NONE;
	c->changed = true;
	return astra_intern_put(&c->names, name);
}

static int classify(struct ogas_classes *c, const struct astra_offer *offer)
{
	uint32_t *table =
		calloc(offer->tenant_count * SIZES + 1, sizeof(*table));
	int rc = table ? 0 : -1;

	for (size_t i = 0; !rc && i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		uint32_t size = size_of(d->job->request.gpus);
		uint32_t *entry = &table[d->tenant * SIZES + size];

		if (!*entry)
			*entry = 1 + class_of(c, d->tenant_name, size);
		c->class_of[i] = *entry - 1;
		rc = c->class_of[i] == ASTRA_OGAS_NONE ? -1 : 0;
	}
	free(table);
	return rc;
}

static int count_jobs(struct ogas_classes *c, const struct astra_offer *offer)
{
	size_t classes = astra_ogas_port_count(c->learner);

	if (astra_grow(&c->x, &c->x_room, classes, sizeof(*c->x)) < 0 ||
	    astra_grow(&c->slot_x, &c->slot_x_room, classes,
		       sizeof(*c->slot_x)) < 0 ||
	    astra_grow(&c->saved, &c->saved_room, classes, sizeof(*c->saved)) <
		    0)
		return -1;
	for (size_t l = 0; l < classes; l++)
		c->x[l] = 0;
	for (size_t i = 0; i < offer->demand_count; i++) {
		uint32_t copies = offer->demands[i].copies;

		c->x[c->class_of[i]] += copies > 1 ? copies : 1;
	}
	return 0;
}

int ogas_classes_update(struct ogas_classes *c, const struct astra_offer *offer)
{
	if (match_nodes(c, offer) < 0 || tell_nodes(c, offer) < 0 ||
	    astra_grow(&c->class_of, &c->class_of_room, offer->demand_count,
		       sizeof(*c->class_of)) < 0)
		return -1;
	return classify(c, offer) < 0 ? -1 : count_jobs(c, offer);
}

int ogas_classes_save(const struct ogas_classes *c, struct astra_bytes *out)
{
	size_t classes = astra_ogas_port_count(c->learner);

	astra_ogas_save(c->learner, out);
	for (size_t l = 0; l < classes; l++) {
		astra_put_f64(out, c->saved[l]);
		astra_put_u32(out, c->slot_x[l]);
	}
	return out->failed ? -1 : 0;
}

/* What the learner was told of its nodes is asked again. */
static int forget_told(struct ogas_classes *c)
{
	size_t nodes = astra_ogas_node_count(c->learner);

	if (grow_told(c) < 0)
		return -1;
	for (size_t i = 0; i < nodes; i++)
		c->alpha_of[i] = 0;
	return 0;
}

int ogas_classes_restore(struct ogas_classes *c, struct astra_reader *in)
{
	size_t classes;

	if (astra_ogas_restore(c->learner, in, NULL) < 0)
		return -1;
	classes = astra_ogas_port_count(c->learner);
	if (astra_grow(&c->saved, &c->saved_room, classes, sizeof(*c->saved)) <
		    0 ||
	    astra_grow(&c->slot_x, &c->slot_x_room, classes,
		       sizeof(*c->slot_x)) < 0)
		return -1;
	for (uint32_t l = 0; l < classes; l++) {
		const char *name = astra_ogas_port_name(c->learner, l);

		c->saved[l] = astra_get_f64(in);
		c->slot_x[l] = astra_get_u32(in);
		if (in->failed || !(c->saved[l] >= 0) ||
		    !(c->saved[l] <= UINT32_MAX) ||
		    astra_intern_put(&c->names, name) != l)
			return -1;
	}
	return forget_told(c);
}
