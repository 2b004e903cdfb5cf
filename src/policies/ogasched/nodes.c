/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the learner knows of nodes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/ogasched/classes.h"

static const char *node_name(const struct astra_offer *offer, uint32_t index,
			     char *text, size_t size)
{
	if (offer->nodes[index].name)
		return offer->nodes[index].name;
	snprintf(text, size, "%u", index);
	return text;
}

/* Return a node's alpha, the paper's merit of hardware: the weight of its GPU
 * type. */
static double alpha_of(const struct astra_node *node)
{
	double alpha = node->gpus ? node->charge / node->gpus : 0;

	return alpha > 0 ? fmin(fmax(alpha, 1e-3), 1e3) : 1;
}

static bool nodes_tells_cpus(const struct astra_node *node)
{
	return node->cpus && node->cpus != UINT32_MAX;
}

bool ogas_class_uses(const struct ogas_class *class, const char *node_type)
{
	size_t length = strlen(class->type);

	if (!length)
		return true;
	for (const char *at = node_type; at; at = strchr(at, '+')) {
		at += *at == '+';
		if (!strncmp(at, class->type, length) &&
		    (!at[length] || at[length] == '+'))
			return true;
	}
	return false;
}

/* Connect a node to the classes that may use it. */
static int connect_node(struct ogas_classes *c, uint32_t node, const char *type)
{
	for (uint32_t l = 0; l < c->count; l++)
		if (ogas_class_uses(&c->list[l], type) &&
		    !astra_ogas_connected(c->learner, l, node) &&
		    astra_ogas_connect(c->learner, l, node) < 0)
			return -1;
	return 0;
}

static int grow_told(struct ogas_classes *c)
{
	size_t need = astra_ogas_node_count(c->learner);

	if (astra_grow(&c->told, &c->told_room, need, sizeof(*c->told)) < 0)
		return -1;
	for (; c->told_count < need; c->told_count++)
		c->told[c->told_count] = (struct ogas_told){0};
	return 0;
}

static uint32_t nodes_add_node(struct ogas_classes *c, const char *name,
			       const char *type)
{
	const double nothing[OGAS_TYPES] = {0}, one[OGAS_TYPES] = {1, 1, 1};
	enum astra_ogas_utility utility[OGAS_TYPES] = {c->utility, c->utility,
						       c->utility};
	const struct astra_ogas_node node = {
		.name = name,
		.capacity = nothing,
		.alpha = one,
		.utility = utility,
	};
	uint32_t index = astra_ogas_add_node(c->learner, &node);

	if (index != ASTRA_OGAS_NONE && connect_node(c, index, type) < 0)
		return ASTRA_OGAS_NONE;
	return index;
}

/* Find the learner's node for each node of the offer. Usually they are the same
 * as before. */
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
			index = nodes_add_node(c, name,
					       offer->nodes[n].gpu_type);
		if (index == ASTRA_OGAS_NONE)
			return -1;
		c->node_of[n] = index;
		c->node_count = n + 1;
	}
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Note the GPU type of a node that has reported or changed it. */
static int tell_type(struct ogas_classes *c, uint32_t index, const char *type)
{
	struct ogas_told *told = &c->told[index];
	char *copy = type ? strdup(type) : NULL;

	if (type && !copy)
		return -1;
	free(told->type);
	told->type = copy;
	return connect_node(c, index, type);
}

static void tell_node(struct ogas_classes *c, uint32_t index,
		      const struct ogas_told *now)
{
	struct ogas_told *told = &c->told[index];
	enum astra_ogas_utility utility[OGAS_TYPES] = {c->utility, c->utility,
						       c->utility};
	const double *unit = c->unit;
	double alpha[OGAS_TYPES] = {now->alpha, 1, 1};
	double capacity[OGAS_TYPES] = {
		now->gpus,
		unit[OGAS_CPUS] > 0 ? now->cpus / unit[OGAS_CPUS] : 0,
		unit[OGAS_MEMORY] > 0 ? now->mem_mib / unit[OGAS_MEMORY] : 0,
	};

	if (told->gpus == now->gpus && told->cpus == now->cpus &&
	    told->mem_mib == now->mem_mib && told->alpha == now->alpha)
		return;
	told->gpus = now->gpus;
	told->cpus = now->cpus;
	told->mem_mib = now->mem_mib;
	told->alpha = now->alpha;
	c->changed = true;
	for (size_t k = 0; k < c->types; k++)
		capacity[k] = fmin(capacity[k], ASTRA_OGAS_AMOUNT_MAX);
	astra_ogas_set_node(c->learner, index,
			    &(struct astra_ogas_node){
				    .capacity = capacity,
				    .alpha = alpha,
				    .utility = utility,
			    });
}

/* Return which part of each node is offered. It is less than 1 for a part of a
 * pool. */
static double nodes_part_of(const struct astra_offer *offer)
{
	double gpus = 0;

	for (size_t n = 0; offer->part && n < offer->node_count; n++)
		if (offer->nodes[n].usable)
			gpus += offer->nodes[n].gpus;
	return gpus > 0 ? fmin((double)offer->gpus / gpus, 1) : 1;
}

static struct ogas_told told_of(const struct astra_node *node, double part)
{
	struct ogas_told told = {.alpha = alpha_of(node)};

	if (!node->usable)
		return told;
	told.gpus = part * node->gpus;
	told.cpus = nodes_tells_cpus(node) ? part * node->cpus : 0;
	told.mem_mib = part * (double)node->mem_mib;
	return told;
}

/* Update the nodes in the learner. Nodes that are gone or down have nothing. */
static int tell_nodes(struct ogas_classes *c, const struct astra_offer *offer)
{
	const struct ogas_told gone = {.alpha = 1};
	size_t count = astra_ogas_node_count(c->learner);
	bool *there = calloc(count + 1, sizeof(*there));
	double part = nodes_part_of(offer);
	int rc = there && grow_told(c) == 0 ? 0 : -1;

	for (size_t n = 0; !rc && n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];
		uint32_t index = c->node_of[n];
		struct ogas_told now = told_of(node, part);

		c->largest_node = fmax(c->largest_node, node->gpus);
		there[index] = true;
		if (!same_text(c->told[index].type, node->gpu_type))
			rc = tell_type(c, index, node->gpu_type);
		tell_node(c, index, &now);
	}
	for (uint32_t i = 0; !rc && i < count; i++)
		if (!there[i])
			tell_node(c, i, &gone);
	free(there);
	return rc;
}

static void see_types(struct ogas_classes *c, const struct astra_offer *offer)
{
	const char *first = NULL;

	c->several = false;
	for (size_t n = 0; n < offer->node_count && !c->several; n++) {
		const char *type = offer->nodes[n].gpu_type;

		if (!type)
			continue;
		c->several = strchr(type, '+') ||
			     (first && strcmp(first, type) != 0);
		first = type;
	}
}

/* Set the units per GPU once they are known. */
static void see_units(struct ogas_classes *c, const struct astra_offer *offer)
{
	double gpus = 0, cpus = 0, mem_mib = 0;

	for (size_t n = 0; n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		if (!node->gpus)
			continue;
		gpus += node->gpus;
		cpus += nodes_tells_cpus(node) ? node->cpus : 0;
		mem_mib += (double)node->mem_mib;
	}
	c->unit[OGAS_GPUS] = 1;
	if (!(c->unit[OGAS_CPUS] > 0) && gpus > 0)
		c->unit[OGAS_CPUS] = cpus / gpus;
	if (!(c->unit[OGAS_MEMORY] > 0) && c->unit[OGAS_CPUS] > 0 && gpus > 0)
		c->unit[OGAS_MEMORY] = mem_mib / gpus;
}

/* Make the learner again, with more types of resources. */
static int nodes_widen(struct ogas_classes *c, size_t types)
{
	struct astra_ogas *wide = ogas_classes_learner(c, types);
	struct astra_bytes state = {0};
	struct astra_error err;
	int rc = -1;

	astra_ogas_save(c->learner, &state);
	if (wide && !state.failed)
		rc = astra_ogas_restore(wide,
					&(struct astra_reader){
						.data = state.data,
						.size = state.size,
					},
					&err);
	astra_bytes_clear(&state);
	if (rc < 0) {
		astra_ogas_destroy(wide);
		return -1;
	}
	astra_ogas_destroy(c->learner);
	c->learner = wide;
	c->types = types;
	return ogas_nodes_forget(c);
}

static int add_types(struct ogas_classes *c)
{
	size_t types = 1;

	while (types < OGAS_TYPES && c->unit[types] > 0)
		types++;
	return types > c->types ? nodes_widen(c, types) : 0;
}

int ogas_nodes_forget(struct ogas_classes *c)
{
	if (grow_told(c) < 0)
		return -1;
	for (size_t i = 0; i < c->told_count; i++)
		c->told[i].alpha = 0;
	return 0;
}

int ogas_nodes_update(struct ogas_classes *c, const struct astra_offer *offer)
{
	see_types(c, offer);
	see_units(c, offer);
	if (add_types(c) < 0 || match_nodes(c, offer) < 0)
		return -1;
	return tell_nodes(c, offer);
}
