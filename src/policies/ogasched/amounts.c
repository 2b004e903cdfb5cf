/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a port asks for, and what it has. */
#include "src/policies/ogasched/learner.h"

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

double astra_ogas_amount_at(const struct astra_ogas *o, uint32_t port,
			    uint32_t jobs, uint32_t node, size_t type)
{
	const struct ogas_port *p = &o->ports[port];
	const struct ogas_node *n = &o->nodes[node];
	uint32_t copies = p->copies < jobs ? p->copies : jobs;
	double sum = 0;
	size_t at;

	if (!astra_ogas_connected(o, port, node))
		return 0;
	at = ogas_row_at(n, p->first_row);
	for (uint32_t copy = 0; copy < copies; copy++)
		sum += ogas_y(n, type)[at + copy];
	return sum;
}

double astra_ogas_amount(const struct astra_ogas *o, uint32_t port,
			 uint32_t jobs, size_t type)
{
	double sum = 0;

	for (uint32_t r = 0; r < o->node_count; r++)
		sum += astra_ogas_amount_at(o, port, jobs, r, type);
	return sum;
}
