/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the slots of an instance with the same learner as in slurmctld. */
#include <stdlib.h>

#include "src/decide/decide_ogasched.h"
#include "src/policies/ogasched/project.h"

void ogasched_result_clear(struct ogasched_result *result)
{
	free(result->rewards);
	free(result->y);
	*result = (struct ogasched_result){0};
}

static int ogasched_run_add_all(const struct ogasched_instance *in,
				struct astra_ogas *o)
{
	for (size_t r = 0; r < in->nodes; r++) {
		const struct astra_ogas_node node = {
			.capacity = in->capacity + r * in->types,
			.alpha = in->alpha + r * in->types,
			.utility = in->utility + r * in->types,
		};

		if (astra_ogas_add_node(o, &node) == ASTRA_OGAS_NONE)
			return -1;
	}
	for (uint32_t l = 0; l < in->ports; l++) {
		const struct astra_ogas_port port = {
			.request = in->request + l * in->types,
			.copies = in->copies[l],
			.gang = in->gang[l],
			.need = in->need[l],
		};

		if (astra_ogas_add_port(o, &port) == ASTRA_OGAS_NONE)
			return -1;
		for (size_t i = in->first_edge[l]; i < in->first_edge[l + 1];
		     i++)
			if (astra_ogas_connect(o, l, in->edges[i]) < 0)
				return -1;
	}
	return 0;
}

/* Runs one slot. Returns 0, or -1 when memory is out. */
static int run_slot(const struct ogasched_instance *in, struct astra_ogas *o,
		    const uint32_t *x, double *reward)
{
	if (in->algo == ASTRA_OGAS_OGA) {
		*reward = astra_ogas_step(o, x);
		return 0;
	}
	if (astra_ogas_allocate(o, in->algo, x) < 0)
		return -1;
	*reward = astra_ogas_reward(o, x);
	return 0;
}

static int run_slots(const struct ogasched_instance *in, struct astra_ogas *o,
		     struct ogasched_result *out)
{
	size_t cells = in->ports * in->nodes * in->types;

	out->rewards = calloc(in->slots + 1, sizeof(*out->rewards));
	out->y = calloc(cells + 1, sizeof(*out->y));
	if (!out->rewards || !out->y || ogasched_run_add_all(in, o) < 0)
		return -1;
	if (in->algo == ASTRA_OGAS_OGA && in->fair &&
	    astra_ogas_allocate(o, ASTRA_OGAS_FAIRNESS, NULL) < 0)
		return -1;
	for (size_t t = 0; t < in->slots; t++) {
		if (run_slot(in, o, in->x + t * in->ports, &out->rewards[t]) <
		    0)
			return -1;
		out->total += out->rewards[t];
	}
	astra_ogas_copy(o, out->y);
	return 0;
}

static int ogasched_run_cases(const struct ogasched_instance *in,
			      struct ogasched_result *out)
{
	size_t count = 0, most = 0, at = 0;
	double *scratch;

	for (size_t i = 0; i < in->case_count; i++) {
		count += in->cases[i].count;
		if (in->cases[i].count > most)
			most = in->cases[i].count;
	}
	out->y = calloc(count + 1, sizeof(*out->y));
	scratch = calloc(astra_ogas_scratch(most) + 1, sizeof(*scratch));
	if (!out->y || !scratch) {
		free(scratch);
		return -1;
	}
	for (size_t i = 0; i < in->case_count; i++) {
		const struct ogasched_case *c = &in->cases[i];

		astra_ogas_project(c->z, c->a, c->c, c->count, out->y + at,
				   scratch);
		at += c->count;
	}
	free(scratch);
	return 0;
}

int ogasched_run(const struct ogasched_instance *in,
		 struct ogasched_result *out, struct astra_error *err)
{
	struct astra_ogas *o;
	int rc;

	*out = (struct ogasched_result){0};
	if (in->project)
		return ogasched_run_cases(in, out) < 0 ? astra_error_nomem(err)
						       : 0;
	o = astra_ogas_create(&in->options, in->beta, in->types);
	rc = o ? run_slots(in, o, out) : -1;
	astra_ogas_destroy(o);
	return rc < 0 ? astra_error_nomem(err) : 0;
}
