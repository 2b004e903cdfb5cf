/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was learned, as bytes:
 *   version, types, slot
 *   nodes, and of each its name
 *   ports, and of each: name, copies, gang, need, a per type;
 *     the number of its nodes, and of each: index above, y[copies][types]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policy/ogasched/learner.h"

enum { VERSION = 1 };

static void put_name(struct astra_bytes *out, const char *name)
{
	astra_put_text(out, name ? name : "");
}

static bool find_row(const struct ogas_node *n, const struct ogas_port *p,
		     size_t *at)
{
	*at = ogas_row_at(n, p->first_row);
	return *at < n->count && n->rows[*at] == p->first_row;
}

static void save_edges(const struct astra_ogas *o, const struct ogas_port *p,
		       struct astra_bytes *out)
{
	uint32_t edges = 0;
	size_t at;

	for (size_t r = 0; r < o->node_count; r++)
		edges += find_row(&o->nodes[r], p, &at);
	astra_put_u32(out, edges);
	for (uint32_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		if (!find_row(n, p, &at))
			continue;
		astra_put_u32(out, r);
		for (size_t copy = 0; copy < p->copies; copy++)
			for (size_t k = 0; k < o->types; k++)
				astra_put_f64(out, ogas_y(n, k)[at + copy]);
	}
}

void astra_ogas_save(const struct astra_ogas *o, struct astra_bytes *out)
{
	astra_put_u32(out, VERSION);
	astra_put_u32(out, (uint32_t)o->types);
	astra_put_u64(out, o->slot);
	astra_put_u32(out, (uint32_t)o->node_count);
	for (size_t r = 0; r < o->node_count; r++)
		put_name(out, o->nodes[r].name);
	astra_put_u32(out, (uint32_t)o->port_count);
	for (size_t l = 0; l < o->port_count; l++) {
		const struct ogas_port *p = &o->ports[l];

		put_name(out, p->name);
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
	uint32_t *node; /* by the saved one's index: the present one's, or
			 * ASTRA_OGAS_NONE */
	uint32_t node_count;
	double *request;
};

static int damaged(const struct restoring *s)
{
	return astra_error_set(s->err, "what ogasched learned is damaged");
}

/* Whether so many things of at least one byte can follow. */
static bool can_follow(const struct restoring *s, uint64_t count)
{
	return !s->in->failed && count <= s->in->size - s->in->at;
}

/* Names are saved and restored in the same order as a rule. */
static uint32_t node_of_name(const struct astra_ogas *o, const char *name,
			     uint32_t likely)
{
	const char *there =
		likely < o->node_count ? o->nodes[likely].name : NULL;

	return there && !strcmp(there, name) ? likely
					     : astra_ogas_find_node(o, name);
}

static int restore_nodes(struct restoring *s)
{
	s->node_count = astra_get_u32(s->in);
	if (!can_follow(s, s->node_count))
		return damaged(s);
	s->node = calloc((size_t)s->node_count + 1, sizeof(*s->node));
	if (!s->node)
		return astra_error_nomem(s->err);
	for (uint32_t i = 0; i < s->node_count; i++) {
		char *name = astra_get_text(s->in);

		if (!name)
			return damaged(s);
		s->node[i] = node_of_name(s->o, name, i);
		free(name);
	}
	return 0;
}

static bool is_amount(double x, double max)
{
	return x >= 0 && x <= max;
}

/* y of a port on one of its nodes; kept if the node is there. */
static int restore_edge(struct restoring *s, uint32_t port)
{
	struct astra_ogas *o = s->o;
	const struct ogas_port *p = &o->ports[port];
	uint32_t index = astra_get_u32(s->in), node;
	size_t at = 0;

	if (s->in->failed || index >= s->node_count)
		return damaged(s);
	node = s->node[index];
	if (node != ASTRA_OGAS_NONE) {
		if (find_row(&o->nodes[node], p, &at))
			return damaged(s);
		if (astra_ogas_connect(o, port, node) < 0)
			return astra_error_nomem(s->err);
		find_row(&o->nodes[node], p, &at);
	}
	for (size_t copy = 0; copy < p->copies; copy++)
		for (size_t k = 0; k < o->types; k++) {
			double y = astra_get_f64(s->in);

			if (s->in->failed || !is_amount(y, s->request[k]))
				return damaged(s);
			if (node != ASTRA_OGAS_NONE)
				ogas_y(&o->nodes[node], k)[at + copy] = y;
		}
	return 0;
}

static uint32_t restore_header(struct restoring *s)
{
	char *name = astra_get_text(s->in);
	struct astra_ogas_port port = {.name = name, .request = s->request};
	uint32_t index = ASTRA_OGAS_NONE;
	bool ok;

	port.copies = astra_get_u32(s->in);
	port.gang = astra_get_u32(s->in);
	port.need = astra_get_u32(s->in);
	ok = port.copies && port.copies <= ASTRA_OGAS_COPIES_MAX &&
	     port.gang <= ASTRA_OGAS_COPIES_MAX;
	for (size_t k = 0; k < s->o->types; k++) {
		s->request[k] = astra_get_f64(s->in);
		ok = ok && is_amount(s->request[k], ASTRA_OGAS_AMOUNT_MAX);
	}
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
	if (!can_follow(s, edges))
		return damaged(s);
	for (uint32_t i = 0; i < edges; i++)
		if (restore_edge(s, port) < 0)
			return -1;
	return 0;
}

static int restore_ports(struct restoring *s)
{
	uint32_t ports = astra_get_u32(s->in);

	if (!can_follow(s, ports))
		return damaged(s);
	for (uint32_t i = 0; i < ports; i++)
		if (restore_port(s) < 0)
			return -1;
	return 0;
}

int astra_ogas_restore(struct astra_ogas *o, struct astra_reader *in,
		       struct astra_error *err)
{
	struct restoring s = {.o = o, .in = in, .err = err};
	uint32_t version = astra_get_u32(in), types = astra_get_u32(in);
	int rc;

	o->slot = astra_get_u64(in);
	if (in->failed || version != VERSION || types != o->types)
		return astra_error_set(err,
				       "what ogasched learned is of another "
				       "version or other resources");
	s.request = calloc(types + 1, sizeof(*s.request));
	if (!s.request)
		return astra_error_nomem(err);
	rc = restore_nodes(&s) < 0 || restore_ports(&s) < 0 ? -1 : 0;
	free(s.request);
	free(s.node);
	for (size_t r = 0; !rc && r < o->node_count; r++)
		ogas_fit_node(o, &o->nodes[r]);
	return rc;
}
