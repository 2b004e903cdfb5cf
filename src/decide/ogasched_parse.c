/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "src/common/number.h"
#include "src/decide/decide_ogasched.h"
#include "src/decide/instance.h"

/* Elements of y, copies included: 256 MiB. */
#define CELLS_MAX 33554432
#define JOBS_MAX ASTRA_OGAS_COPIES_MAX
#define PROJECT_MAX 1e12

static const char *const utilities[] = {"linear", "log", "reciprocal", "poly",
					NULL};

void ogasched_instance_clear(struct ogasched_instance *in)
{
	for (size_t i = 0; i < in->case_count; i++) {
		free(in->cases[i].z);
		free(in->cases[i].a);
	}
	free(in->request);
	free(in->capacity);
	free(in->alpha);
	free(in->beta);
	free(in->utility);
	free(in->x);
	free(in->copies);
	free(in->gang);
	free(in->need);
	free(in->edges);
	free(in->first_edge);
	free(in->cases);
	*in = (struct ogasched_instance){0};
}

static int parse_case(const struct astra_in *in, struct ogasched_case *c)
{
	const json_t *z;

	if (astra_in_array(in, "z", ASTRA_REQUIRED, &z) < 0)
		return -1;
	c->count = json_array_size(z);
	c->z = calloc(c->count + 1, sizeof(*c->z));
	c->a = calloc(c->count + 1, sizeof(*c->a));
	if (!c->z || !c->a)
		return astra_error_nomem(in->err);
	if (astra_in_numbers(in, "z", c->count, -PROJECT_MAX, PROJECT_MAX,
			     c->z) < 0 ||
	    astra_in_numbers(in, "a", c->count, 0, PROJECT_MAX, c->a) < 0)
		return -1;
	return astra_in_number(in, "c", ASTRA_REQUIRED, 0, PROJECT_MAX, &c->c);
}

static int parse_cases(const struct astra_in *in, struct ogasched_instance *out)
{
	const json_t *array;
	void *memory;

	if (astra_in_objects(in, "cases", ASTRA_REQUIRED, sizeof(*out->cases),
			     &array, &memory, &out->case_count) < 0)
		return -1;
	out->cases = memory;
	for (size_t i = 0; i < out->case_count; i++) {
		struct astra_in at;

		if (astra_in_element(in, "cases", array, i, &at) < 0 ||
		    parse_case(&at, &out->cases[i]) < 0)
			return -1;
	}
	return 0;
}

static int ogasched_parse_options(const struct astra_in *in,
				  struct ogasched_instance *out)
{
	static const char *const modes[] = {"project", NULL};
	static const char *const algos[] = {
		"oga", "drf", "fairness", "binpacking", "spreading", NULL};
	static const char *const rates[] = {"decay", "theory", "const", NULL};
	static const char *const starts[] = {"zero", "fair", NULL};
	static const char *const timings[] = {"committed", "reactive", NULL};
	size_t mode = 1, algo = 0, rate = 0, start = 0, timing = 0;

	out->options.eta0 = 25;
	out->options.decay = 0.9999;
	if (astra_in_word(in, "mode", modes, &mode) < 0 ||
	    astra_in_word(in, "algo", algos, &algo) < 0 ||
	    astra_in_word(in, "lr", rates, &rate) < 0 ||
	    astra_in_word(in, "y1", starts, &start) < 0 ||
	    astra_in_word(in, "timing", timings, &timing) < 0 ||
	    astra_in_number(in, "eta0", ASTRA_OPTIONAL, 0, ASTRA_OGAS_ALPHA_MAX,
			    &out->options.eta0) < 0 ||
	    astra_in_number(in, "decay", ASTRA_OPTIONAL, 0, 1,
			    &out->options.decay) < 0)
		return -1;
	out->project = mode == 0;
	out->algo = (enum astra_ogas_algo)algo;
	out->options.rate = (enum astra_ogas_rate)rate;
	out->options.reactive = timing == 1;
	out->fair = start == 1;
	return 0;
}

/* How many ports, nodes, types and slots there are, and room for all. */
static int parse_sizes(const struct astra_in *in, struct ogasched_instance *out)
{
	const json_t *a, *c, *beta, *x;

	if (astra_in_array(in, "a", ASTRA_REQUIRED, &a) < 0 ||
	    astra_in_array(in, "c", ASTRA_REQUIRED, &c) < 0 ||
	    astra_in_array(in, "beta", ASTRA_REQUIRED, &beta) < 0 ||
	    astra_in_array(in, "x", ASTRA_REQUIRED, &x) < 0)
		return -1;
	out->ports = json_array_size(a);
	out->nodes = json_array_size(c);
	out->types = json_array_size(beta);
	out->slots = json_array_size(x);
	out->options.horizon = out->slots;
	if ((double)out->ports * (double)out->nodes * (double)out->types >
	    CELLS_MAX)
		return astra_in_fail(in, "a",
				     "ports x nodes x types are more "
				     "than %d",
				     CELLS_MAX);
	out->request = calloc(out->ports * out->types + 1, sizeof(double));
	out->capacity = calloc(out->nodes * out->types + 1, sizeof(double));
	out->alpha = calloc(out->nodes * out->types + 1, sizeof(double));
	out->utility =
		calloc(out->nodes * out->types + 1, sizeof(*out->utility));
	out->beta = calloc(out->types + 1, sizeof(double));
	out->x = calloc(out->slots * out->ports + 1, sizeof(*out->x));
	out->copies = calloc(out->ports + 1, sizeof(*out->copies));
	out->gang = calloc(out->ports + 1, sizeof(*out->gang));
	out->need = calloc(out->ports + 1, sizeof(*out->need));
	out->first_edge = calloc(out->ports + 1, sizeof(*out->first_edge));
	if (!out->request || !out->capacity || !out->alpha || !out->utility ||
	    !out->beta || !out->x || !out->copies || !out->gang || !out->need ||
	    !out->first_edge)
		return astra_error_nomem(in->err);
	return 0;
}

static int parse_amounts(const struct astra_in *in,
			 struct ogasched_instance *out)
{
	if (astra_in_matrix(in, "a", out->ports, out->types, 0,
			    ASTRA_OGAS_AMOUNT_MAX, out->request) < 0 ||
	    astra_in_matrix(in, "c", out->nodes, out->types, 0,
			    ASTRA_OGAS_AMOUNT_MAX, out->capacity) < 0 ||
	    astra_in_matrix(in, "alpha", out->nodes, out->types, 0,
			    ASTRA_OGAS_ALPHA_MAX, out->alpha) < 0)
		return -1;
	return astra_in_numbers(in, "beta", out->types, 0, ASTRA_OGAS_ALPHA_MAX,
				out->beta);
}

/* One name for all, or one for each node and type. */
static int parse_utilities(const struct astra_in *in,
			   struct ogasched_instance *out)
{
	const json_t *value = json_object_get(in->object, "util"), *row;
	char name[64] = "util";

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

/* One port's nodes, which are not more than there are. */
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
	size_t count = 0;

	if (astra_in_array(in, "edges", ASTRA_REQUIRED, &array) < 0)
		return -1;
	if (json_array_size(array) != out->ports)
		return astra_in_fail(in, "edges", "must be an array of %zu",
				     out->ports);
	out->edges = calloc(out->ports * out->nodes + 1, sizeof(*out->edges));
	if (!out->edges)
		return astra_error_nomem(in->err);
	for (size_t l = 0; l < out->ports; l++) {
		const json_t *nodes = json_array_get(array, l);
		char name[64];

		snprintf(name, sizeof(name), "edges[%zu]", l);
		if (parse_edges_of(in, name, nodes, out->nodes,
				   out->edges + count) < 0)
			return -1;
		count += json_array_size(nodes);
		out->first_edge[l + 1] = count;
	}
	return 0;
}

static int parse_arrivals(const struct astra_in *in,
			  struct ogasched_instance *out)
{
	const json_t *array = json_object_get(in->object, "x"), *row;

	for (size_t l = 0; l < out->ports; l++)
		out->copies[l] = 1;
	for (size_t t = 0; t < out->slots; t++) {
		if (astra_in_row(in, "x", array, t, out->ports, &row) < 0)
			return -1;
		for (size_t l = 0; l < out->ports; l++) {
			uint32_t *x = &out->x[t * out->ports + l];
			char name[64];

			snprintf(name, sizeof(name), "x[%zu][%zu]", t, l);
			if (!astra_json_whole(json_array_get(row, l), 0,
					      JOBS_MAX, x))
				return astra_in_fail(in, name,
						     "must be a whole number "
						     "from 0 to %d",
						     JOBS_MAX);
			if (*x > out->copies[l])
				out->copies[l] = *x;
		}
	}
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

/* The components of a gang arrive together. */
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

static int parse_gang(const struct astra_in *in, struct ogasched_instance *out,
		      uint32_t gang)
{
	const json_t *array;
	uint32_t need = 0, first = 0, port;
	size_t count;

	if (astra_in_array(in, "ports", ASTRA_REQUIRED, &array) < 0)
		return -1;
	count = json_array_size(array);
	if (astra_in_whole(in, "need", ASTRA_REQUIRED, (uint32_t)count, &need) <
	    0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!out->ports ||
		    !astra_json_whole(json_array_get(array, i), 0,
				      (uint32_t)out->ports - 1, &port))
			return astra_in_fail(in, "ports",
					     "[%zu] is no index of a", i);
		if (out->gang[port])
			return astra_in_fail(in, "ports",
					     "%u is in a gang already", port);
		out->gang[port] = gang;
		out->need[port] = need;
		first = i ? first : port;
		if (check_gang(in, out, first, port) < 0)
			return -1;
	}
	return 0;
}

static int parse_gangs(const struct astra_in *in, struct ogasched_instance *out)
{
	const json_t *array;

	if (astra_in_array(in, "gangs", ASTRA_OPTIONAL, &array) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct astra_in at;

		if (astra_in_element(in, "gangs", array, i, &at) < 0 ||
		    parse_gang(&at, out, (uint32_t)i + 1) < 0)
			return -1;
	}
	return 0;
}

int ogasched_parse(const json_t *json, struct ogasched_instance *out,
		   struct astra_error *err)
{
	struct astra_in in = {.object = json, .err = err};

	*out = (struct ogasched_instance){0};
	if (ogasched_parse_options(&in, out) < 0)
		return -1;
	if (out->project)
		return parse_cases(&in, out);
	if (parse_sizes(&in, out) < 0 || parse_amounts(&in, out) < 0 ||
	    parse_utilities(&in, out) < 0 || check_utilities(&in, out) < 0 ||
	    parse_edges(&in, out) < 0 || parse_arrivals(&in, out) < 0 ||
	    check_cells(&in, out) < 0 || parse_gangs(&in, out) < 0)
		return -1;
	return 0;
}
