/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/decide/decide_ogasched.h"

/* Most elements of y, copies included; they take 256 MiB. */
#define CELLS_MAX 33554432
#define JOBS_MAX ASTRA_OGAS_COPIES_MAX
#define PROJECT_MAX 1e12

static const char *const algos[] = {"oga",	  "drf",       "fairness",
				    "binpacking", "spreading", NULL};
static const char *const rates[] = {"decay", "theory", "const", NULL};
static const char *const starts[] = {"zero", "fair", NULL};
static const char *const timings[] = {"committed", "reactive", NULL};
static const char *const utilities[] = {"linear", "log", "reciprocal", "poly",
					NULL};

#define OPTION(kind, key, member, ...)                        \
	ASTRA_MEMBER_AS(key, ogasched_instance, kind, member, \
			.optional = true, __VA_ARGS__)

static const struct astra_member option_members[] = {
	OPTION(WORD, "algo", algo, .words = algos),
	OPTION(WORD, "lr", options.rate, .words = rates),
	OPTION(WORD, "y1", fair, .words = starts),
	OPTION(WORD, "timing", options.reactive, .words = timings),
	OPTION(REAL, "eta0", options.eta0, .most = ASTRA_OGAS_ALPHA_MAX),
	OPTION(REAL, "decay", options.decay, .most = 1),
	ASTRA_MEMBERS_END,
};

static size_t size_of(const struct astra_in *in, const char *key)
{
	return json_array_size(json_object_get(in->object, key));
}

static int parse_case(const struct astra_in *in, void *element)
{
	struct ogasched_case *c = element;

	c->count = size_of(in, "z");
	if (astra_in_vector(in, "z", c->count, -PROJECT_MAX, PROJECT_MAX,
			    &c->z) < 0 ||
	    astra_in_vector(in, "a", c->count, 0, PROJECT_MAX, &c->a) < 0)
		return -1;
	return astra_in_number(in, "c", ASTRA_REQUIRED, 0, PROJECT_MAX, &c->c);
}

/* Sets the counts of ports, nodes, types and slots. */
static int count_all(const struct astra_in *in, struct ogasched_instance *out)
{
	out->ports = size_of(in, "a");
	out->nodes = size_of(in, "c");
	out->types = size_of(in, "beta");
	out->slots = size_of(in, "x");
	out->options.horizon = out->slots;
	if ((double)out->ports * (double)out->nodes * (double)out->types >
	    CELLS_MAX)
		return astra_in_fail(in, "a",
				     "ports x nodes x types are more "
				     "than %d",
				     CELLS_MAX);
	return 0;
}

static int parse_amounts(const struct astra_in *in,
			 struct ogasched_instance *out)
{
	if (astra_in_vector(in, "beta", out->types, 0, ASTRA_OGAS_ALPHA_MAX,
			    &out->beta) < 0 ||
	    astra_in_matrix(in, "a", out->ports, out->types, 0,
			    ASTRA_OGAS_AMOUNT_MAX, &out->request) < 0 ||
	    astra_in_matrix(in, "c", out->nodes, out->types, 0,
			    ASTRA_OGAS_AMOUNT_MAX, &out->capacity) < 0)
		return -1;
	return astra_in_matrix(in, "alpha", out->nodes, out->types, 0,
			       ASTRA_OGAS_ALPHA_MAX, &out->alpha);
}

/* Reads the utilities: one name for all, or one for each node and type. */
static int parse_utilities(const struct astra_in *in,
			   struct ogasched_instance *out)
{
	const json_t *value = json_object_get(in->object, "util"), *row;
	char name[64] = "util";

	out->utility = astra_in_take(in, out->nodes * out->types,
				     sizeof(*out->utility));
	if (!out->utility)
		return -1;
	for (size_t r = 0; r < out->nodes; r++) {
		if (json_is_array(value) &&
		    astra_in_row(in, "util", value, r, out->types, &row) < 0)
			return -1;
		for (size_t k = 0; k < out->types; k++) {
			const json_t *word = value;
			size_t index = 0;

			if (json_is_array(value)) {
				word = json_array_get(row, k);
				snprintf(name, sizeof(name), "util[%zu][%zu]",
					 r, k);
			}
			if (astra_in_word_value(in, name, word, utilities,
						&index) < 0)
				return -1;
			out->utility[r * out->types + k] =
				(enum astra_ogas_utility)index;
		}
	}
	return 0;
}

static int check_utilities(const struct astra_in *in,
			   const struct ogasched_instance *out)
{
	char name[64];

	for (size_t i = 0; i < out->nodes * out->types; i++) {
		if (out->utility[i] != ASTRA_OGAS_RECIPROCAL ||
		    out->alpha[i] >= ASTRA_OGAS_ALPHA_MIN)
			continue;
		snprintf(name, sizeof(name), "alpha[%zu][%zu]", i / out->types,
			 i % out->types);
		return astra_in_fail(in, name,
				     "must be at least %g for \"reciprocal\"",
				     ASTRA_OGAS_ALPHA_MIN);
	}
	return 0;
}

/* Reads the nodes of one port, of which there are at most `nodes`. */
static int parse_edges_of(const struct astra_in *in, const char *name,
			  const json_t *array, size_t nodes, uint32_t *edges)
{
	size_t count = json_array_size(array);

	if (!json_is_array(array) || count > nodes)
		return astra_in_fail(in, name,
				     "must be an array of at most %zu", nodes);
	for (size_t i = 0; i < count; i++)
		if (!nodes || !astra_json_whole(json_array_get(array, i), 0,
						(uint32_t)nodes - 1, &edges[i]))
			return astra_in_fail(in, name, "[%zu] is no index of c",
					     i);
	qsort(edges, count, sizeof(*edges), astra_compare_u32);
	for (size_t i = 1; i < count; i++)
		if (edges[i] == edges[i - 1])
			return astra_in_fail(in, name, "has node %u twice",
					     edges[i]);
	return 0;
}

static int parse_edges(const struct astra_in *in, struct ogasched_instance *out)
{
	const json_t *array;
	size_t room = 0;

	if (astra_in_array(in, "edges", ASTRA_REQUIRED, &array) < 0)
		return -1;
	if (json_array_size(array) != out->ports)
		return astra_in_fail(in, "edges", "must be an array of %zu",
				     out->ports);
	for (size_t l = 0; l < out->ports; l++)
		room += json_array_size(json_array_get(array, l));
	out->edges = astra_in_take(in, room, sizeof(*out->edges));
	out->first_edge =
		astra_in_take(in, out->ports, sizeof(*out->first_edge));
	if (!out->edges || !out->first_edge)
		return -1;
	for (size_t l = 0; l < out->ports; l++) {
		const json_t *nodes = json_array_get(array, l);
		char name[64];

		snprintf(name, sizeof(name), "edges[%zu]", l);
		if (parse_edges_of(in, name, nodes, out->nodes,
				   out->edges + out->first_edge[l]) < 0)
			return -1;
		out->first_edge[l + 1] =
			out->first_edge[l] + json_array_size(nodes);
	}
	return 0;
}

/* Reads the jobs of one slot. */
static int parse_slot(const struct astra_in *in, const json_t *array,
		      struct ogasched_instance *out, size_t slot)
{
	const json_t *row;

	if (astra_in_row(in, "x", array, slot, out->ports, &row) < 0)
		return -1;
	for (size_t l = 0; l < out->ports; l++) {
		uint32_t *x = &out->x[slot * out->ports + l];
		char name[64];

		snprintf(name, sizeof(name), "x[%zu][%zu]", slot, l);
		if (!astra_json_whole(json_array_get(row, l), 0, JOBS_MAX, x))
			return astra_in_fail(in, name,
					     "must be a whole number from 0 to "
					     "%d",
					     JOBS_MAX);
		if (*x > out->copies[l])
			out->copies[l] = *x;
	}
	return 0;
}

static int parse_arrivals(const struct astra_in *in,
			  struct ogasched_instance *out)
{
	const json_t *array;

	if (astra_in_array(in, "x", ASTRA_REQUIRED, &array) < 0)
		return -1;
	out->x = astra_in_take(in, out->slots * out->ports, sizeof(*out->x));
	out->copies = astra_in_take(in, out->ports, sizeof(*out->copies));
	if (!out->x || !out->copies)
		return -1;
	for (size_t l = 0; l < out->ports; l++)
		out->copies[l] = 1;
	for (size_t t = 0; t < out->slots; t++)
		if (parse_slot(in, array, out, t) < 0)
			return -1;
	return 0;
}

static int check_cells(const struct astra_in *in,
		       const struct ogasched_instance *out)
{
	double cells = 0;

	for (size_t l = 0; l < out->ports; l++)
		cells += (double)out->copies[l] * (double)(out->nodes + 1) *
			 (double)(out->types + 1);
	if (cells <= CELLS_MAX)
		return 0;
	return astra_in_fail(in, "x",
			     "the most jobs of each port, x nodes x types, are "
			     "more than %d",
			     CELLS_MAX);
}

/* Checks that two components of a gang arrive in the same slots. */
static int check_gang(const struct astra_in *in,
		      const struct ogasched_instance *out, size_t first,
		      size_t port)
{
	for (size_t t = 0; t < out->slots; t++)
		if (out->x[t * out->ports + first] !=
		    out->x[t * out->ports + port])
			return astra_in_fail(in, "ports",
					     "x[%zu] differs between %zu and "
					     "%zu",
					     t, first, port);
	return 0;
}

/* Reads a gang into its ports; there is no array of gangs. */
static int parse_gang(const struct astra_in *in, void *ignored)
{
	struct ogasched_instance *out = in->whole;
	uint32_t need = 0, first = 0, port;
	const json_t *array;

	(void)ignored;
	if (astra_in_array(in, "ports", ASTRA_REQUIRED, &array) < 0 ||
	    astra_in_whole(in, "need", ASTRA_REQUIRED,
			   (uint32_t)json_array_size(array), &need) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!out->ports ||
		    !astra_json_whole(json_array_get(array, i), 0,
				      (uint32_t)out->ports - 1, &port))
			return astra_in_fail(in, "ports",
					     "[%zu] is no index of a", i);
		if (out->gang[port])
			return astra_in_fail(in, "ports",
					     "%u is in a gang already", port);
		out->gang[port] = (uint32_t)in->index + 1;
		out->need[port] = need;
		first = i ? first : port;
		if (check_gang(in, out, first, port) < 0)
			return -1;
	}
	return 0;
}

static int parse_gangs(const struct astra_in *in, struct ogasched_instance *out)
{
	void *ignored;
	size_t count;

	out->gang = astra_in_take(in, out->ports, sizeof(*out->gang));
	out->need = astra_in_take(in, out->ports, sizeof(*out->need));
	if (!out->gang || !out->need)
		return -1;
	return astra_in_list(in, "gangs", ASTRA_OPTIONAL, 1, parse_gang,
			     &ignored, &count);
}

int ogasched_parse(struct astra_in *in, struct ogasched_instance *out)
{
	static const char *const modes[] = {"project", NULL};
	size_t mode = 1;

	*out = (struct ogasched_instance){
		.options = {.eta0 = 25, .decay = 0.9999},
	};
	in->whole = out;
	if (astra_in_word(in, "mode", ASTRA_OPTIONAL, modes, &mode) < 0 ||
	    astra_in_members(in, option_members, out) < 0)
		return -1;
	out->project = mode == 0;
	if (out->project)
		return astra_in_list(in, "cases", ASTRA_REQUIRED,
				     sizeof(*out->cases), parse_case,
				     &out->cases, &out->case_count);
	if (count_all(in, out) < 0 || parse_amounts(in, out) < 0 ||
	    parse_utilities(in, out) < 0 || check_utilities(in, out) < 0 ||
	    parse_edges(in, out) < 0 || parse_arrivals(in, out) < 0 ||
	    check_cells(in, out) < 0)
		return -1;
	return parse_gangs(in, out);
}
