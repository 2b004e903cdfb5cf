/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/ogasched/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/ogasched/classes.h"
#include "src/policies/ogasched/deal.h"
#include "src/policies/options.h"

/* T: after this many slots, what was learned is out of date. The learning rate
 * that belongs to T does not decay. */
#define HORIZON 100
/* Version of the saved state. The first layout had no version: it began with 0
 * or 1, which said whether a slot had begun. */
#define STATE 2
/* Tolerance for rounding errors of the clock. */
#define EPSILON_SEC 1e-6

struct ogasched {
	double slot_sec;
	double slot_end_sec; /* end of the slot that was last learned from */
	double reward;	     /* sum over all slots */
	uint64_t slots;	     /* learned from so far */
	bool begun;
	struct ogas_classes classes;
	uint32_t *units; /* GPUs: [class][learner's node] */
	size_t cells;	 /* number of elements of units */
};

static void ogasched_destroy(void *self)
{
	struct ogasched *o = self;

	if (!o)
		return;
	ogas_classes_clear(&o->classes);
	free(o->units);
	free(o);
}

static void *ogasched_create(const struct astra_options *options,
			     struct astra_error *err)
{
	/* What is learned in a slot counts in the slot's own grants, since its
	 * jobs are known when it begins. */
	const struct astra_ogas_options learning = {
		.rate = (enum astra_ogas_rate)options->learning_rate,
		.reactive = true,
		.eta0 = 25,
		.decay = 0.9999,
		.horizon = HORIZON,
		.lent_steps = options->lent_steps,
	};
	struct ogasched *o = calloc(1, sizeof(*o));

	if (o &&
	    ogas_classes_init(
		    &o->classes, &learning,
		    (enum astra_ogas_utility)options->learned_utility) == 0) {
		o->slot_sec = options->slot_sec;
		return o;
	}
	ogasched_destroy(o);
	astra_error_nomem(err);
	return NULL;
}

/* Learn from the present jobs, at the begin of a slot. */
static int ogasched_learn(struct ogasched *o, double now_sec)
{
	struct ogas_classes *c = &o->classes;
	size_t classes = astra_ogas_port_count(c->learner);

	if (!o->begun &&
	    astra_ogas_allocate(c->learner, ASTRA_OGAS_FAIRNESS, c->x) < 0)
		return -1;
	o->begun = true;
	o->reward += astra_ogas_step(c->learner, c->x);
	o->slots++;
	for (size_t l = 0; l < classes; l++)
		c->slot_x[l] = c->x[l];
	o->slot_end_sec = (floor((now_sec + EPSILON_SEC) / o->slot_sec) + 1) *
			  o->slot_sec;
	return 0;
}

/* Compute what each class may use. It stays the same for the whole slot, unless
 * nodes change. */
static int round_units(struct ogasched *o)
{
	struct ogas_classes *c = &o->classes;
	size_t cells = astra_ogas_port_count(c->learner) *
		       astra_ogas_node_count(c->learner);
	uint32_t *units = calloc(cells + 1, sizeof(*units));

	if (!units)
		return -1;
	free(o->units);
	o->units = units;
	o->cells = cells;
	c->changed = false;
	return ogas_classes_units(c, units);
}

static bool ogasched_any_free(const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->free[n])
			return true;
	return false;
}

/* Update the nodes even if there is no job. After a restart they are needed to
 * show what was learned. */
static int see_nodes(struct ogasched *o, const struct astra_offer *offer,
		     struct astra_error *err)
{
	if (!o->begun || o->units || ogas_nodes_update(&o->classes, offer) == 0)
		return 0;
	return astra_error_nomem(err);
}

static int ogasched_allocate(void *self, const struct astra_offer *offer,
			     struct astra_allocation *out,
			     struct astra_error *err)
{
	struct ogasched *o = self;
	struct ogas_classes *c = &o->classes;
	double rest_sec = o->slot_end_sec - offer->now_sec;
	/* Before a restart slots may have been longer. */
	bool fresh = !o->begun || rest_sec <= EPSILON_SEC ||
		     rest_sec > o->slot_sec + EPSILON_SEC;

	if (!offer->demand_count)
		return see_nodes(o, offer, err);
	out->wake_sec = out->spare_until_sec = o->slot_end_sec;
	out->changed = fresh;
	if (!fresh && o->units && !ogasched_any_free(offer))
		return 0;
	if (ogas_classes_update(c, offer) < 0 ||
	    (fresh && ogasched_learn(o, offer->now_sec) < 0) ||
	    ((fresh || c->changed || !o->units) && round_units(o) < 0) ||
	    ogas_deal(c, offer, o->units, o->slot_end_sec, o->slot_sec, fresh,
		      out) < 0)
		return astra_error_nomem(err);
	out->wake_sec = o->slot_end_sec;
	return 0;
}

static void ogasched_explain(const void *self,
			     const struct astra_demand *demand,
			     struct astra_reason *reason)
{
	const struct ogasched *o = self;
	const struct ogas_classes *c = &o->classes;
	size_t nodes = astra_ogas_node_count(c->learner);
	uint32_t class = ogas_classes_find(c, demand);

	reason->wait = ASTRA_WAIT_LEARNED;
	reason->retry_sec = o->slot_end_sec;
	if (class == ASTRA_OGAS_NONE || !o->units ||
	    o->cells != astra_ogas_port_count(c->learner) * nodes)
		return;
	reason->class_gpus = ogas_class_gpus(&c->list[class]);
	reason->class_saved = c->saved[class];
	for (size_t n = 0; n < nodes; n++)
		reason->class_granted += o->units[class * nodes + n];
}

static int ogasched_save(const void *self, struct astra_bytes *out)
{
	const struct ogasched *o = self;

	astra_put_u32(out, STATE);
	astra_put_u32(out, o->begun);
	astra_put_f64(out, o->slot_end_sec);
	astra_put_f64(out, o->reward);
	astra_put_u64(out, o->slots);
	return ogas_classes_save(&o->classes, out);
}

/* Restore a state. If SlotLength has changed, slots begin anew; what was
 * learned stays. */
static int ogasched_restore(void *self, struct astra_reader *in)
{
	struct ogasched *o = self;

	uint32_t first = astra_get_u32(in);
	bool old = first < STATE;

	if (first > STATE)
		return -1;
	o->begun = old ? first : astra_get_u32(in);
	o->slot_end_sec = astra_get_f64(in);
	o->reward = astra_get_f64(in);
	o->slots = old ? 0 : astra_get_u64(in);
	if (in->failed || !isfinite(o->slot_end_sec) || !isfinite(o->reward))
		return -1;
	return ogas_classes_restore(&o->classes, in, old);
}

static void ogasched_report(const void *self, uint32_t tenant,
			    struct astra_policy_report *out)
{
	const struct ogasched *o = self;

	if (tenant != ASTRA_NONE)
		return;
	out->reward = o->reward;
	out->slots = (double)o->slots;
}

/* If classes or nodes were added since the units were rounded, report no
 * units. */
static void ogasched_classes(const void *self,
			     void (*each)(const struct astra_class *class,
					  void *arg),
			     void *arg)
{
	const struct ogasched *o = self;
	size_t cells = astra_ogas_port_count(o->classes.learner) *
		       astra_ogas_node_count(o->classes.learner);

	ogas_classes_report(&o->classes, o->cells == cells ? o->units : NULL,
			    each, arg);
}

static void ogasched_shift(void *self, double by_sec)
{
	struct ogasched *o = self;

	o->slot_end_sec += by_sec;
}

const struct astra_policy astra_ogasched = {
	.name = "ogasched",
	.summary = "shares of classes of jobs, learned slot by slot",
	.slots = true,
	.arrivals = true,
	.create = ogasched_create,
	.destroy = ogasched_destroy,
	.allocate = ogasched_allocate,
	.explain = ogasched_explain,
	.save = ogasched_save,
	.restore = ogasched_restore,
	.report = ogasched_report,
	.classes = ogasched_classes,
	.shift = ogasched_shift,
};

/* Reporting what was learned, by class and type of the nodes' GPUs. */

#define TYPES_MAX 16 /* more types count as the last one */
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

/* Add a node to a part's text: "n1:4,n2:1", or "n1:4,..." if it is too long. */
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
			part->share[k] += astra_ogas_learned_at(
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
