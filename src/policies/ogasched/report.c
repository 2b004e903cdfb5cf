/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was learned, class by class and there by the type of nodes' GPUs. */
#include <stdio.h>
#include <string.h>

#include "src/policies/ogasched/classes.h"

#define TYPES_MAX 16 /* further ones count as the last */
#define NODES_BYTES 512
#define MIB_PER_GIB 1024.0

struct part {
	const char *type;
	bool known; /* has nodes */
	double share[OGAS_TYPES];
	uint32_t granted;
	char nodes[NODES_BYTES];
	size_t used;
};

static struct part *report_part_of(struct part parts[TYPES_MAX],
				   const char *type)
{
	size_t i = 0;

	while (i + 1 < TYPES_MAX && parts[i].known &&
	       strcmp(parts[i].type, type) != 0)
		i++;
	if (!parts[i].known)
		parts[i].type = type;
	parts[i].known = true;
	return &parts[i];
}

/* "n1:4,n2:1", or "n1:4,..." */
static void report_add_node(struct part *part, const char *name, uint32_t gpus)
{
	const char *comma = part->used ? "," : "";
	char text[320];
	size_t size = (size_t)snprintf(text, sizeof(text), "%s%.256s:%u", comma,
				       name, gpus);

	part->granted += gpus;
	if (part->used + size + sizeof(",...") > sizeof(part->nodes)) {
		snprintf(part->nodes + part->used,
			 sizeof(part->nodes) - part->used, ",...");
		part->used = sizeof(part->nodes);
	}
	if (part->used >= sizeof(part->nodes))
		return;
	memcpy(part->nodes + part->used, text, size + 1);
	part->used += size;
}

static void report_add_parts(const struct ogas_classes *c, uint32_t class,
			     const uint32_t *units,
			     struct part parts[TYPES_MAX])
{
	size_t nodes = astra_ogas_node_count(c->learner);
	uint32_t jobs = c->slot_x[class] ? c->slot_x[class] : UINT32_MAX;

	for (uint32_t n = 0; n < nodes && n < c->told_count; n++) {
		const struct ogas_told *told = &c->told[n];
		struct part *part;

		if (!told->gpus || !astra_ogas_connected(c->learner, class, n))
			continue;
		part = report_part_of(parts, told->type ? told->type : "");
		for (size_t k = 0; k < c->types; k++)
			part->share[k] += astra_ogas_amount_at(
				c->learner, class, jobs, n, k);
		if (units && units[n])
			report_add_node(part,
					astra_ogas_node_name(c->learner, n),
					units[n]);
	}
}

static uint32_t shape(uint32_t exponent)
{
	return exponent && exponent < 32 ? UINT32_C(1) << exponent : 0;
}

void ogas_classes_report(const struct ogas_classes *c, const uint32_t *units,
			 void (*each)(const struct astra_class *class,
				      void *arg),
			 void *arg)
{
	size_t nodes = astra_ogas_node_count(c->learner);

	for (uint32_t l = 0; l < c->count; l++) {
		const struct ogas_class *own = &c->list[l];
		struct part parts[TYPES_MAX] = {0};
		struct astra_class out = {
			.tenant = own->tenant,
			.type = own->type,
			.gpus = ogas_class_gpus(own),
			.cpus = shape(own->cpus),
			.mem_gib = shape(own->mem),
			.jobs = l < c->x_room ? c->x[l] : 0,
			.saved = c->saved[l],
		};

		report_add_parts(c, l, units ? units + l * nodes : NULL, parts);
		for (size_t i = 0; i < TYPES_MAX && parts[i].known; i++) {
			const double *share = parts[i].share;

			out.node_type = parts[i].type;
			out.share_gpus = share[OGAS_GPUS];
			out.share_cpus = share[OGAS_CPUS] * c->unit[OGAS_CPUS];
			out.share_mem_gib = share[OGAS_MEMORY] *
					    c->unit[OGAS_MEMORY] / MIB_PER_GIB;
			out.granted = parts[i].granted;
			out.nodes = parts[i].nodes;
			each(&out, arg);
		}
	}
}
