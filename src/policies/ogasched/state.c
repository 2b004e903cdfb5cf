/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A learner as bytes:
 *   version, types, slot, whether it lends (from version 2 on)
 *   nodes, and of each: name; capacity, alpha, utility per type
 *   ports, and of each: name, copies, gang, need, a per type;
 *     the number of its nodes, and of each: its index among the nodes above,
 *     y[copies][types], each followed by what is learned if it lends */
#include <stdlib.h>

#include "src/policies/ogasched/learner.h"

enum { VERSION = 2 };

static void state_put_name(struct astra_bytes *out, const char *name)
{
	astra_put_text(out, name ? name : "");
}

static bool state_find_row(const struct ogas_node *n, const struct ogas_port *p,
			   size_t *at)
{
	*at = ogas_row_at(n, p->first_row);
	return *at < n->count && n->rows[*at] == p->first_row;
}

static void save_cell(const struct astra_ogas *o, const struct ogas_node *n,
		      size_t type, size_t at, struct astra_bytes *out)
{
	astra_put_f64(out, ogas_y(n, type)[at]);
	if (o->lending)
		astra_put_f64(out, n->learned[type * n->room + at]);
}

static void save_edges(const struct astra_ogas *o, const struct ogas_port *p,
		       struct astra_bytes *out)
{
	uint32_t edges = 0;
	size_t at;

	for (size_t r = 0; r < o->node_count; r++)
		edges += state_find_row(&o->nodes[r], p, &at);
	astra_put_u32(out, edges);
	for (uint32_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		if (!state_find_row(n, p, &at))
			continue;
		astra_put_u32(out, r);
		for (size_t copy = 0; copy < p->copies; copy++)
			for (size_t k = 0; k < o->types; k++)
				save_cell(o, n, k, at + copy, out);
	}
}

void astra_ogas_save(const struct astra_ogas *o, struct astra_bytes *out)
{
	astra_put_u32(out, VERSION);
	astra_put_u32(out, (uint32_t)o->types);
	astra_put_u64(out, o->slot);
	astra_put_u32(out, o->lending);
	astra_put_u32(out, (uint32_t)o->node_count);
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		state_put_name(out, n->name);
		for (size_t k = 0; k < o->types; k++) {
			astra_put_f64(out, n->capacity[k]);
			astra_put_f64(out, n->alpha[k]);
			astra_put_u32(out, n->utility[k]);
		}
	}
	astra_put_u32(out, (uint32_t)o->port_count);
	for (size_t l = 0; l < o->port_count; l++) {
		const struct ogas_port *p = &o->ports[l];

		state_put_name(out, p->name);
		astra_put_u32(out, p->copies);
		astra_put_u32(out, p->gang);
		astra_put_u32(out, p->need);
		for (size_t k = 0; k < o->types; k++)
			astra_put_f64(out, ogas_request(o, k)[p->first_row]);
		save_edges(o, p, out);
	}
}

struct restoring {
	struct astra_ogas *o;
	struct astra_reader *in;
	struct astra_error *err;
	size_t types;		 /* number of types in the saved state */
	bool lent;		 /* whether it lent when it was saved */
	double *numbers, *alpha; /* scratch: per type */
	enum astra_ogas_utility *utility;
};

static int damaged(const struct restoring *s)
{
	return astra_error_set(s->err, "what ogasched learned is damaged");
}

static bool is_amount(double x, double max)
{
	return x >= 0 && x <= max;
}

static uint32_t restore_node(struct restoring *s)
{
	char *name = astra_get_text(s->in);
	const struct astra_ogas_node node = {
		.name = name,
		.capacity = s->numbers,
		.alpha = s->alpha,
		.utility = s->utility,
	};
	uint32_t index = ASTRA_OGAS_NONE;
	bool ok = name != NULL;

	for (size_t k = s->types; k < s->o->types; k++) {
		s->numbers[k] = 0;
		s->alpha[k] = 1;
		s->utility[k] = ASTRA_OGAS_LINEAR;
	}
	for (size_t k = 0; k < s->types; k++) {
		uint32_t utility;

		s->numbers[k] = astra_get_f64(s->in);
		s->alpha[k] = astra_get_f64(s->in);
		utility = astra_get_u32(s->in);
		ok = ok && is_amount(s->numbers[k], ASTRA_OGAS_AMOUNT_MAX) &&
		     is_amount(s->alpha[k], ASTRA_OGAS_ALPHA_MAX) &&
		     utility <= ASTRA_OGAS_POLY &&
		     (utility != ASTRA_OGAS_RECIPROCAL ||
		      s->alpha[k] >= ASTRA_OGAS_ALPHA_MIN);
		s->utility[k] = (enum astra_ogas_utility)utility;
	}
	if (ok && !s->in->failed)
		index = astra_ogas_add_node(s->o, &node);
	free(name);
	return index;
}

static int restore_nodes(struct restoring *s)
{
	uint32_t nodes = astra_get_u32(s->in);

	for (uint32_t i = 0; i < nodes; i++)
		if (restore_node(s) == ASTRA_OGAS_NONE)
			return damaged(s);
	return 0;
}

static int restore_cell(struct restoring *s, struct ogas_node *n, size_t type,
			size_t at)
{
	double y = astra_get_f64(s->in);
	double learned = s->lent ? astra_get_f64(s->in) : y;

	if (s->in->failed || !is_amount(y, s->numbers[type]) ||
	    !is_amount(learned, s->numbers[type]))
		return damaged(s);
	ogas_y(n, type)[at] = s->o->lending ? y : learned;
	if (s->o->lending)
		n->learned[type * n->room + at] = learned;
	return 0;
}

/* Restore y of a port on one of its nodes. */
static int restore_edge(struct restoring *s, uint32_t port)
{
	struct astra_ogas *o = s->o;
	const struct ogas_port *p = &o->ports[port];
	uint32_t node = astra_get_u32(s->in);
	size_t at;

	if (s->in->failed || node >= o->node_count ||
	    state_find_row(&o->nodes[node], p, &at))
		return damaged(s);
	if (astra_ogas_connect(o, port, node) < 0)
		return astra_error_nomem(s->err);
	state_find_row(&o->nodes[node], p, &at);
	for (size_t copy = 0; copy < p->copies; copy++)
		for (size_t k = 0; k < s->types; k++)
			if (restore_cell(s, &o->nodes[node], k, at + copy) < 0)
				return -1;
	return 0;
}

static uint32_t restore_header(struct restoring *s)
{
	char *name = astra_get_text(s->in);
	struct astra_ogas_port port = {.name = name, .request = s->numbers};
	uint32_t index = ASTRA_OGAS_NONE;
	bool ok;

	port.copies = astra_get_u32(s->in);
	port.gang = astra_get_u32(s->in);
	port.need = astra_get_u32(s->in);
	ok = port.copies && port.copies <= ASTRA_OGAS_COPIES_MAX &&
	     (uint64_t)port.gang * port.copies <= ASTRA_OGAS_COPIES_MAX;
	for (size_t k = 0; k < s->types; k++) {
		s->numbers[k] = astra_get_f64(s->in);
		ok = ok && is_amount(s->numbers[k], ASTRA_OGAS_AMOUNT_MAX);
	}
	for (size_t k = s->types; k < s->o->types; k++)
		s->numbers[k] = s->numbers[0];
	if (name && ok && !s->in->failed)
		index = astra_ogas_add_port(s->o, &port);
	free(name);
	return index;
}

static int restore_port(struct restoring *s)
{
	uint32_t port = restore_header(s), edges;

	if (port == ASTRA_OGAS_NONE)
		return damaged(s);
	edges = astra_get_u32(s->in);
	for (uint32_t i = 0; i < edges; i++)
		if (restore_edge(s, port) < 0)
			return -1;
	return 0;
}

static int restore_ports(struct restoring *s)
{
	uint32_t ports = astra_get_u32(s->in);

	for (uint32_t i = 0; i < ports; i++)
		if (restore_port(s) < 0)
			return -1;
	return 0;
}

int astra_ogas_restore(struct astra_ogas *o, struct astra_reader *in,
		       struct astra_error *err)
{
	struct restoring s = {.o = o, .in = in, .err = err};
	uint32_t version = astra_get_u32(in);
	int rc;

	s.types = astra_get_u32(in);
	o->slot = astra_get_u64(in);
	if (version > 1)
		s.lent = astra_get_u32(in) != 0;
	o->lending = s.lent && o->options.lent_steps;
	if (in->failed || version < 1 || version > VERSION ||
	    s.types > o->types || (!s.types && o->types))
		return astra_error_set(err,
				       "what ogasched learned is of another "
				       "version or other resources");
	s.numbers = calloc(o->types + 1, sizeof(*s.numbers));
	s.alpha = calloc(o->types + 1, sizeof(*s.alpha));
	s.utility = calloc(o->types + 1, sizeof(*s.utility));
	if (!s.numbers || !s.alpha || !s.utility)
		rc = astra_error_nomem(err);
	else
		rc = restore_nodes(&s) < 0 || restore_ports(&s) < 0 ? -1 : 0;
	free(s.numbers);
	free(s.alpha);
	free(s.utility);
	for (size_t r = 0; !rc && r < o->node_count; r++)
		ogas_fit_node(o, &o->nodes[r]);
	return rc;
}
