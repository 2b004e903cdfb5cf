/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/sim/simulate.h"

#define NODE_GPUS_MAX 1024
#define NODES_MAX 1000000

static struct astra_node empty_node(uint32_t gpus, uint32_t rack)
{
	return (struct astra_node){
		.usable = true,
		.gpus = gpus,
		.gpus_free = gpus,
		.charge = gpus,
		.rack = rack,
		.cpus = UINT32_MAX,
		.cpus_free = UINT32_MAX,
		.mem_free_mib = ASTRA_UNCOUNTED_MIB,
	};
}

static int cluster_grow(struct astra_cluster *c, size_t *room)
{
	size_t nodes_room = *room;

	return astra_grow(&c->nodes, &nodes_room, c->node_count + 1,
			  sizeof(*c->nodes)) < 0 ||
			       astra_grow(&c->names, room, c->node_count + 1,
					  sizeof(*c->names)) < 0
		       ? -1
		       : 0;
}

static void cluster_add(struct astra_cluster *c, const char *name,
			uint32_t gpus, uint32_t rack)
{
	c->nodes[c->node_count] = empty_node(gpus, rack);
	snprintf(c->names[c->node_count++], sizeof(*c->names), "%s", name);
	c->gpus += gpus;
}

/* Sets the nodes' names, once the array of names no longer moves. */
static void name_nodes(struct astra_cluster *c)
{
	for (size_t i = 0; i < c->node_count; i++)
		c->nodes[i].name = c->names[i];
}

int astra_cluster_make(struct astra_cluster *c, uint32_t nodes, uint32_t gpus,
		       uint32_t rack_nodes)
{
	size_t room = 0;
	char name[32];

	*c = (struct astra_cluster){0};
	for (uint32_t i = 0; i < nodes; i++) {
		if (cluster_grow(c, &room) < 0) {
			astra_cluster_clear(c);
			return -1;
		}
		snprintf(name, sizeof(name), "n%u", i + 1);
		cluster_add(c, name, gpus, rack_nodes ? i / rack_nodes : 0);
	}
	name_nodes(c);
	return 0;
}

/* Reads a line of the file: node,gpus[,rack]. Returns 0, or -1 with err set. */
static int cluster_read_line(struct astra_cluster *c, char *line,
			     const char *path, unsigned number, size_t *room,
			     struct astra_error *err)
{
	char *rest = line, *name = strsep(&rest, ","),
	     *gpus = strsep(&rest, ","), *rack = strsep(&rest, ","), *end;
	unsigned long count, where = 0;

	if (!*name || strlen(name) >= sizeof(*c->names))
		return astra_error_set(err,
				       "%s: line %u: \"%.40s\" is no node name",
				       path, number, name);
	count = gpus ? strtoul(gpus, &end, 10) : 0;
	if (!gpus || *gpus < '0' || *gpus > '9' || *end ||
	    count > NODE_GPUS_MAX)
		return astra_error_set(err,
				       "%s: line %u: \"%.40s\" is no number of "
				       "GPUs from 0 to %d",
				       path, number, gpus ? gpus : "",
				       NODE_GPUS_MAX);
	if (rack && *rack) {
		where = strtoul(rack, &end, 10);
		if (*rack < '0' || *rack > '9' || *end || where > NODES_MAX)
			return astra_error_set(err,
					       "%s: line %u: rack \"%.40s\" is "
					       "no number",
					       path, number, rack);
	}
	if (c->node_count == NODES_MAX)
		return astra_error_set(err, "%s: more than %d nodes", path,
				       NODES_MAX);
	if (cluster_grow(c, room) < 0)
		return astra_error_nomem(err);
	cluster_add(c, name, (uint32_t)count, (uint32_t)where);
	return 0;
}

static int cluster_read_all(struct astra_cluster *c, FILE *file,
			    const char *path, struct astra_error *err)
{
	size_t room = 0;
	char line[256];
	unsigned number = 0;

	while (fgets(line, sizeof(line), file)) {
		number++;
		if (!strchr(line, '\n') && !feof(file))
			return astra_error_set(err, "%s: line %u is too long",
					       path, number);
		line[strcspn(line, "\r\n")] = '\0';
		if (!*line || *line == '#' ||
		    (number == 1 && !strncmp(line, "node,", 5)))
			continue;
		if (cluster_read_line(c, line, path, number, &room, err) < 0)
			return -1;
	}
	if (ferror(file))
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	if (!c->gpus)
		return astra_error_set(err, "%s: there is no GPU in it", path);
	return 0;
}

int astra_cluster_read(struct astra_cluster *c, const char *path,
		       struct astra_error *err)
{
	FILE *file = fopen(path, "re");
	int rc;

	*c = (struct astra_cluster){0};
	if (!file)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	rc = cluster_read_all(c, file, path, err);
	fclose(file);
	if (rc < 0) {
		astra_cluster_clear(c);
		return -1;
	}
	name_nodes(c);
	return 0;
}

void astra_cluster_set_slots(struct astra_cluster *c, uint32_t gpus)
{
	for (size_t i = 0; i < c->node_count; i++)
		c->nodes[i].slot_gpus = gpus;
}

void astra_cluster_clear(struct astra_cluster *c)
{
	free(c->nodes);
	free(c->names);
	*c = (struct astra_cluster){0};
}
