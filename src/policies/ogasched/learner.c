/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/ogasched/project.h"

struct astra_ogas *astra_ogas_create(const struct astra_ogas_options *options,
				     const double *beta, size_t types)
{
	struct astra_ogas *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->options = *options;
	o->types = types;
	o->beta = calloc(types + 1, sizeof(*beta));
	if (!o->beta) {
		free(o);
		return NULL;
	}
	if (types)
		memcpy(o->beta, beta, types * sizeof(*beta));
	return o;
}

static void node_clear(struct ogas_node *n)
{
	free(n->name);
	free(n->capacity);
	free(n->alpha);
	free(n->utility);
	free(n->rows);
	free(n->y);
	free(n->learned);
}

void astra_ogas_destroy(struct astra_ogas *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->node_count; i++)
		node_clear(&o->nodes[i]);
	for (size_t i = 0; i < o->port_count; i++)
		free(o->ports[i].name);
	free(o->nodes);
	free(o->ports);
	free(o->rows.port);
	free(o->rows.copy);
	free(o->rows.active);
	free(o->rows.served);
	free(o->rows.value);
	free(o->rows.rate);
	free(o->rows.worst);
	free(o->lines);
	free(o->z);
	free(o->cap);
	free(o->rate);
	free(o->penalty);
	free(o->scratch);
	free(o->gang_size);
	free(o->beta);
	free(o);
}

/* Return a copy of an array that may be empty. */
static void *copy_array(const void *from, size_t count, size_t size)
{
	void *to = calloc(count + 1, size);

	if (to && count)
		memcpy(to, from, count * size);
	return to;
}

uint32_t astra_ogas_add_node(struct astra_ogas *o,
			     const struct astra_ogas_node *node)
{
	struct ogas_node n = {
		.name = node->name ? strdup(node->name) : NULL,
		.capacity = copy_array(node->capacity, o->types,
				       sizeof(*n.capacity)),
		.alpha = copy_array(node->alpha, o->types, sizeof(*n.alpha)),
		.utility =
			copy_array(node->utility, o->types, sizeof(*n.utility)),
	};

	if ((node->name && !n.name) || !n.capacity || !n.alpha || !n.utility ||
	    astra_grow(&o->nodes, &o->node_room, o->node_count + 1,
		       sizeof(*o->nodes)) < 0) {
		node_clear(&n);
		return ASTRA_OGAS_NONE;
	}
	o->nodes[o->node_count] = n;
	return (uint32_t)o->node_count++;
}

void astra_ogas_set_node(struct astra_ogas *o, uint32_t node,
			 const struct astra_ogas_node *now)
{
	struct ogas_node *n = &o->nodes[node];

	for (size_t k = 0; k < o->types; k++) {
		n->capacity[k] = now->capacity[k];
		n->alpha[k] = now->alpha[k];
		n->utility[k] = now->utility[k];
	}
	ogas_fit_node(o, n);
}

/* Replace a matrix by one with longer rows. Returns 0, or -1 when memory is
 * out; then the matrix is unchanged. */
static int learner_widen(double **matrix, size_t lines, size_t old_room,
			 size_t room)
{
	double *wide = calloc(lines * room + 1, sizeof(*wide));

	if (!wide)
		return -1;
	for (size_t k = 0; *matrix && k < lines; k++)
		memcpy(wide + k * room, *matrix + k * old_room,
		       old_room * sizeof(*wide));
	free(*matrix);
	*matrix = wide;
	return 0;
}

static int grow_array(void *array, size_t room, size_t need, size_t size)
{
	return astra_grow(array, &room, need, size);
}

static int grow_rows(struct astra_ogas *o, size_t need)
{
	size_t old = o->row_room, room = old ? old : 8;
	struct ogas_rows *r = &o->rows;

	if (need <= old)
		return 0;
	while (room < need)
		room *= 2;
	/* If this fails half-way, some arrays are longer than row_room, which
	 * does no harm. */
	if (grow_array(&r->port, old, room, sizeof(*r->port)) < 0 ||
	    grow_array(&r->copy, old, room, sizeof(*r->copy)) < 0 ||
	    grow_array(&r->active, old, room, sizeof(*r->active)) < 0 ||
	    grow_array(&r->served, old, room, sizeof(*r->served)) < 0 ||
	    grow_array(&r->value, old, room, sizeof(*r->value)) < 0 ||
	    grow_array(&r->rate, old, room, sizeof(*r->rate)) < 0 ||
	    grow_array(&r->worst, old, room, sizeof(*r->worst)) < 0)
		return -1;
	if (learner_widen(&o->lines, 2 * o->types, old, room) < 0)
		return -1;
	o->row_room = room;
	return 0;
}

static int grow_gangs(struct astra_ogas *o, const struct astra_ogas_port *port)
{
	uint32_t gangs = port->gang > o->gangs ? port->gang : o->gangs;
	uint32_t copies =
		port->copies > o->gang_copies ? port->copies : o->gang_copies;

	if (!port->gang)
		return 0;
	if (astra_grow(&o->gang_size, &o->gang_room,
		       ((size_t)gangs + 1) * copies, sizeof(*o->gang_size)) < 0)
		return -1;
	o->gangs = gangs;
	o->gang_copies = copies;
	return 0;
}

static void set_rows(struct astra_ogas *o, const struct astra_ogas_port *port)
{
	for (uint32_t copy = 0; copy < port->copies; copy++) {
		size_t row = o->row_count++;

		o->rows.port[row] = (uint32_t)o->port_count;
		o->rows.copy[row] = copy;
		for (size_t k = 0; k < o->types; k++)
			o->lines[k * o->row_room + row] = port->request[k];
	}
}

uint32_t astra_ogas_add_port(struct astra_ogas *o,
			     const struct astra_ogas_port *port)
{
	char *name = port->name ? strdup(port->name) : NULL;

	if ((port->name && !name) ||
	    astra_grow(&o->ports, &o->port_room, o->port_count + 1,
		       sizeof(*o->ports)) < 0 ||
	    grow_gangs(o, port) < 0 ||
	    grow_rows(o, o->row_count + port->copies) < 0) {
		free(name);
		return ASTRA_OGAS_NONE;
	}
	o->ports[o->port_count] = (struct ogas_port){
		.name = name,
		.first_row = (uint32_t)o->row_count,
		.copies = port->copies,
		.gang = port->gang,
		.need = port->need,
	};
	set_rows(o, port);
	return (uint32_t)o->port_count++;
}

static int grow_node(struct astra_ogas *o, struct ogas_node *n, size_t need)
{
	size_t old = n->room, room = old ? old : 8;

	if (need <= old)
		return 0;
	while (room < need)
		room *= 2;
	if (grow_array(&n->rows, old, room, sizeof(*n->rows)) < 0 ||
	    learner_widen(&n->y, o->types, old, room) < 0)
		return -1;
	if (o->options.lent_steps &&
	    learner_widen(&n->learned, o->types, old, room) < 0)
		return -1;
	n->room = room;
	return 0;
}

/* Make room in the scratch memory for one node's rows. scratch_room is the size
 * of all its arrays. */
static int grow_scratch(struct astra_ogas *o, size_t need)
{
	size_t old = o->scratch_room, room = old ? old : 8;

	if (need <= old)
		return 0;
	while (room < need)
		room *= 2;
	o->gathered = NULL;
	if (grow_array(&o->z, old, room, sizeof(*o->z)) < 0 ||
	    grow_array(&o->rate, old, room, sizeof(*o->rate)) < 0 ||
	    grow_array(&o->scratch, astra_ogas_scratch(old),
		       astra_ogas_scratch(room), sizeof(*o->scratch)) < 0 ||
	    learner_widen(&o->cap, o->types, old, room) < 0 ||
	    learner_widen(&o->penalty, o->types, old, room) < 0)
		return -1;
	o->scratch_room = room;
	return 0;
}

size_t ogas_row_at(const struct ogas_node *n, uint32_t row)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Insert `count` zeros into a line at index `at`. */
static void open_line(double *line, size_t at, size_t count, size_t behind)
{
	memmove(line + at + count, line + at, behind * sizeof(*line));
	memset(line + at, 0, count * sizeof(*line));
}

int astra_ogas_connect(struct astra_ogas *o, uint32_t port, uint32_t node)
{
	const struct ogas_port *p = &o->ports[port];
	struct ogas_node *n = &o->nodes[node];
	size_t at = ogas_row_at(n, p->first_row), behind = n->count - at;

	if (grow_node(o, n, n->count + p->copies) < 0 ||
	    grow_scratch(o, n->count + p->copies) < 0)
		return -1;
	memmove(n->rows + at + p->copies, n->rows + at,
		behind * sizeof(*n->rows));
	for (uint32_t copy = 0; copy < p->copies; copy++)
		n->rows[at + copy] = p->first_row + copy;
	for (size_t k = 0; k < o->types; k++) {
		open_line(ogas_y(n, k), at, p->copies, behind);
		if (n->learned)
			open_line(n->learned + k * n->room, at, p->copies,
				  behind);
	}
	n->count += p->copies;
	return 0;
}

size_t astra_ogas_node_count(const struct astra_ogas *o)
{
	return o->node_count;
}

size_t astra_ogas_port_count(const struct astra_ogas *o)
{
	return o->port_count;
}

size_t astra_ogas_type_count(const struct astra_ogas *o)
{
	return o->types;
}

const char *astra_ogas_node_name(const struct astra_ogas *o, uint32_t node)
{
	return o->nodes[node].name;
}

const char *astra_ogas_port_name(const struct astra_ogas *o, uint32_t port)
{
	return o->ports[port].name;
}

uint32_t astra_ogas_find_node(const struct astra_ogas *o, const char *name)
{
	for (uint32_t i = 0; i < o->node_count; i++)
		if (o->nodes[i].name && !strcmp(o->nodes[i].name, name))
			return i;
	return ASTRA_OGAS_NONE;
}

uint32_t astra_ogas_find_port(const struct astra_ogas *o, const char *name)
{
	for (uint32_t i = 0; i < o->port_count; i++)
		if (o->ports[i].name && !strcmp(o->ports[i].name, name))
			return i;
	return ASTRA_OGAS_NONE;
}

void astra_ogas_copy(const struct astra_ogas *o, double *out)
{
	size_t of_port = o->node_count * o->types;

	memset(out, 0, o->port_count * of_port * sizeof(*out));
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; k < o->types; k++)
			for (size_t i = 0; i < n->count; i++)
				out[o->rows.port[n->rows[i]] * of_port +
				    r * o->types + k] += ogas_y(n, k)[i];
	}
}

double astra_ogas_request(const struct astra_ogas *o, uint32_t port,
			  size_t type)
{
	return ogas_request(o, type)[o->ports[port].first_row];
}

bool astra_ogas_connected(const struct astra_ogas *o, uint32_t port,
			  uint32_t node)
{
	const struct ogas_node *n = &o->nodes[node];
	size_t at = ogas_row_at(n, o->ports[port].first_row);

	return at < n->count && n->rows[at] == o->ports[port].first_row;
}

/* Sum a line over the port's first `jobs` copies. line: the node's row, for the
 * type, of y or of what is learned. */
static double sum_at(const struct astra_ogas *o, uint32_t port, uint32_t jobs,
		     uint32_t node, const double *line)
{
	const struct ogas_port *p = &o->ports[port];
	uint32_t copies = p->copies < jobs ? p->copies : jobs;
	double sum = 0;
	size_t at;

	if (!astra_ogas_connected(o, port, node))
		return 0;
	at = ogas_row_at(&o->nodes[node], p->first_row);
	for (uint32_t copy = 0; copy < copies; copy++)
		sum += line[at + copy];
	return sum;
}

double astra_ogas_amount_at(const struct astra_ogas *o, uint32_t port,
			    uint32_t jobs, uint32_t node, size_t type)
{
	return sum_at(o, port, jobs, node, ogas_y(&o->nodes[node], type));
}

double astra_ogas_learned_at(const struct astra_ogas *o, uint32_t port,
			     uint32_t jobs, uint32_t node, size_t type)
{
	const struct ogas_node *n = &o->nodes[node];

	return sum_at(o, port, jobs, node,
		      o->lending ? n->learned + type * n->room
				 : ogas_y(n, type));
}

double astra_ogas_amount(const struct astra_ogas *o, uint32_t port,
			 uint32_t jobs, size_t type)
{
	double sum = 0;

	for (uint32_t r = 0; r < o->node_count; r++)
		sum += astra_ogas_amount_at(o, port, jobs, r, type);
	return sum;
}
