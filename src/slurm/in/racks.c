/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/racks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/compat/compat_topology.h"

/* Return the part of an address such as "s0.s4.n7" before the node's name. If
 * that part is dots only, no switch is above the node, and the whole address is
 * returned. */
static const char *rack_name(char *address, const char *node)
{
	size_t size = strlen(address), name = strlen(node);

	if (size < name || strcmp(address + size - name, node) != 0)
		return "";
	if (size > name && strspn(address, ".") >= size - name)
		return address;
	address[size - name] = '\0';
	return address;
}

/* Return a node's rack in the cluster's topology. Free it with xfree(). */
static char *racks_first(const node_record_t *node)
{
	char *address = NULL, *rack;

	if (astra_node_address(node->name, &address) != SLURM_SUCCESS ||
	    !address)
		return xstrdup("");
	rack = xstrdup(rack_name(address, node->name));
	xfree(address);
	return rack;
}

/* Return the entry "NAME:..." of a list such as "tree:s0:s4,blocks:b1", or
 * NULL. Overwrites the list's commas. */
static const char *racks_place_in(char *places, const char *name)
{
	size_t size = strlen(name);
	char *rest = NULL, *at;

	for (at = strtok_r(places, ",", &rest); at;
	     at = strtok_r(NULL, ",", &rest))
		if (!strncmp(at, name, size) && at[size] == ':')
			return at;
	return NULL;
}

/* Return a node's rack in a named topology. Free it with xfree(). known: the
 * topology has switches or blocks; a node without one is then its own rack. */
static char *racks_named(node_record_t *node, const char *name, bool known)
{
	char *places = astra_node_places(node), *rack;
	const char *place = places ? racks_place_in(places, name) : NULL;

	if (!place)
		place = known ? node->name : "";
	rack = xstrdup(place);
	xfree(places);
	return rack;
}

/* Whether the topology has switches or blocks. */
static bool is_divided(const char *name)
{
	bool found = false;

	for (int i = 0; i < node_record_count && !found; i++) {
		node_record_t *node = node_record_table_ptr[i];
		char *places = node ? astra_node_places(node) : NULL;

		found = places && racks_place_in(places, name);
		xfree(places);
	}
	return found;
}

/* Cut the place off "ring1:3." or "NAME:ring1:3", leaving the ring. Returns the
 * place + 1, here 4; 0: the node is in no ring. */
static uint32_t racks_take_place(char *name)
{
	char *colon = strrchr(name, ':'), *end;
	unsigned long place;

	if (!colon)
		return 0;
	place = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || (*end && strcmp(end, ".") != 0))
		return 0;
	*colon = '\0';
	return (uint32_t)place + 1;
}

/* Fill in a topology's racks. number: the topology's index. name may be NULL
 * for the cluster's topology. */
static int racks_fill(struct astra_racks *racks, size_t number,
		      const char *name)
{
	bool divided = name && is_divided(name);
	bool rings = astra_topology_rings(name);

	if (rings)
		racks->rings |= UINT64_C(1) << number;
	for (size_t i = 0; i < racks->nodes; i++) {
		node_record_t *node = node_record_table_ptr[i];
		size_t at = number * racks->nodes + i;
		char *rack;

		racks->of_node[at] = racks->places[at] = 0;
		if (!node)
			continue;
		rack = name ? racks_named(node, name, divided)
			    : racks_first(node);
		if (rings)
			racks->places[at] = racks_take_place(rack);
		racks->of_node[at] = astra_intern_put(
			&racks->names,
			rings && !racks->places[at] ? node->name : rack);
		xfree(rack);
		if (racks->of_node[at] == ASTRA_INTERN_NONE)
			return -1;
	}
	return 0;
}

/* The names of topologies by index, from the partitions that have them. */
struct known {
	const char *name[ASTRA_TOPOLOGIES_MAX];
	size_t count;
};

static int note_topology(void *x, void *arg)
{
	const part_record_t *part = x;
	struct known *known = arg;
	uint32_t number = astra_topology_number(part);

	if (!number || number >= ASTRA_TOPOLOGIES_MAX)
		return 0;
	known->name[number] = astra_topology_name(part);
	if (number >= known->count)
		known->count = number + 1;
	return 0;
}

int astra_racks_take(struct astra_racks *racks, time_t now)
{
	size_t count = (size_t)node_record_count;
	struct known known = {.count = 1};

	if (part_list)
		list_for_each_ro(part_list, note_topology, &known);
	if (racks->nodes == count && racks->topologies == known.count &&
	    slurm_conf.last_update < racks->taken)
		return 0;
	astra_intern_clear(&racks->names);
	racks->nodes = racks->topologies = 0;
	racks->rings = 0;
	if (astra_grow(&racks->of_node, &racks->room, known.count * count + 1,
		       sizeof(*racks->of_node)) < 0 ||
	    astra_grow(&racks->places, &racks->place_room,
		       known.count * count + 1, sizeof(*racks->places)) < 0)
		return -1;
	racks->nodes = count;
	for (size_t i = 0; i < known.count; i++)
		if (racks_fill(racks, i, known.name[i]) < 0)
			return -1;
	racks->topologies = known.count;
	racks->taken = now;
	return 0;
}

size_t astra_rack_topology(const struct astra_racks *racks,
			   const part_record_t *part)
{
	size_t number = astra_topology_number(part);

	return number < racks->topologies ? number : 0;
}

uint32_t astra_rack_of(const struct astra_racks *racks,
		       const part_record_t *part, uint32_t node)
{
	if (!racks->topologies || node >= racks->nodes)
		return 0;
	return racks->of_node[astra_rack_topology(racks, part) * racks->nodes +
			      node];
}

bool astra_racks_are_rings(const struct astra_racks *racks,
			   const part_record_t *part)
{
	return racks->rings >> astra_rack_topology(racks, part) & 1;
}

uint32_t astra_rack_place(const struct astra_racks *racks,
			  const part_record_t *part, uint32_t node)
{
	if (!racks->topologies || node >= racks->nodes)
		return 0;
	return racks->places[astra_rack_topology(racks, part) * racks->nodes +
			     node];
}

void astra_racks_free(struct astra_racks *racks)
{
	astra_intern_clear(&racks->names);
	free(racks->of_node);
	free(racks->places);
	*racks = (struct astra_racks){0};
}
