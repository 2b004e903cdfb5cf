/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The learner of a pool, with its nodes and its classes of jobs by name.
 *
 * Types of resources are GPUs, CPUs and memory. CPUs and memory are counted in
 * units of what went with a GPU, on average, when the pool was first seen. So
 * all types have numbers of similar size. A resource that the host does not
 * report is not a type. The GPUs of a node are usually of one type. A class
 * whose jobs name a type is connected to the nodes that have it. This is the
 * same as a resource for each type, of which other nodes have none.
 *
 * The jobs of a class have the same tenant and the same number of GPUs, rounded
 * up to a power of two. If there are several GPU types, they name the same
 * type. If they take more CPUs or memory than go with a GPU, these are also
 * alike, rounded up to powers of two. Such a class is granted no more GPUs than
 * its share of CPUs and memory suffices for. If a node has two GPU types, these
 * are not distinguished. The simulator's nodes have GPUs only. */
#ifndef ASTRA_OGAS_CLASSES_H
#define ASTRA_OGAS_CLASSES_H

#include "src/common/intern.h"
#include "src/policies/ogasched/ogasched.h"
#include "src/policies/policy.h"

enum { OGAS_GPUS, OGAS_CPUS, OGAS_MEMORY, OGAS_TYPES };

/* Jobs that are alike. Sizes are exponents of 2. */
struct ogas_class {
	const char *tenant;
	const char *type; /* GPU type; "": any */
	uint32_t size;	  /* GPUs: at most 2^size, and more than half of that */
	/* CPUs and GiB per GPU, at most 2 to this power. 0: no more than the
	 * unit. */
	uint32_t cpus, mem;
};

/* What the learner knows of a node. */
struct ogas_told {
	double gpus, cpus, mem_mib;
	double alpha;
	char *type; /* type of its GPUs; NULL: unknown */
};

struct ogas_classes {
	struct astra_ogas_options options;
	struct astra_ogas *learner;
	size_t types; /* number of the learner's types of resources */
	/* Units: CPUs and MiB per GPU, and 1 for GPUs; 0: unknown. */
	double unit[OGAS_TYPES];
	bool several; /* the pool has more than one type of GPUs */
	enum astra_ogas_utility utility;
	struct astra_intern names; /* names of the classes, indexed like the
				    * ports */
	struct astra_intern texts; /* tenants and types of GPUs */
	struct ogas_class *list;   /* by index of the class */
	size_t count, list_room;
	uint32_t *node_of;	/* index of a node in the offer -> in the
				 * learner */
	struct ogas_told *told; /* by the learner's node */
	double largest_node;	/* GPUs of the largest node so far */
	size_t node_count, node_room;
	size_t told_count, told_room;
	double *saved; /* by class: GPUs that were not used so far, because they
			* were too few for its next job */
	size_t saved_room;
	uint32_t *x; /* number of jobs of each class */
	size_t x_room;
	uint32_t *slot_x; /* the same when the slot began */
	size_t slot_x_room;
	bool changed;	    /* nodes or classes have changed; reset by the
			     * caller */
	uint32_t *class_of; /* by demand */
	size_t class_of_room;
};

/* Make an empty learner. Returns 0, or -1 when memory is out; clear it in both
 * cases. */
int ogas_classes_init(struct ogas_classes *c,
		      const struct astra_ogas_options *options,
		      enum astra_ogas_utility utility);
void ogas_classes_clear(struct ogas_classes *c);

/* Update the learner's nodes and classes from an offer, and count each class's
 * jobs. Returns 0, or -1 when memory is out. */
int ogas_classes_update(struct ogas_classes *c,
			const struct astra_offer *offer);

/* Return the class of a demand, or ASTRA_OGAS_NONE if it was not seen yet. */
uint32_t ogas_classes_find(const struct ogas_classes *c,
			   const struct astra_demand *d);

/* Return the most GPUs that a job of a class asks for. */
static inline uint32_t ogas_class_gpus(const struct ogas_class *class)
{
	return class->size < 32 ? UINT32_C(1) << class->size : UINT32_MAX;
}

/* Compute the GPUs that each class may use, from what was learned when the slot
 * began. They are never more than its CPUs and memory suffice for. units:
 * [class][learner's node]. Returns 0, or -1 when memory is out. */
int ogas_classes_units(struct ogas_classes *c, uint32_t *units);

/* Report the classes, as struct astra_policy describes. units: the slot's, from
 * ogas_classes_units(); NULL if they are not known. */
void ogas_classes_report(const struct ogas_classes *c, const uint32_t *units,
			 void (*each)(const struct astra_class *class,
				      void *arg),
			 void *arg);

/* Whether a class's jobs may run on GPUs of a node's type. node_type may be
 * NULL if it is unknown. */
bool ogas_class_uses(const struct ogas_class *class, const char *node_type);

/* Returns 0, or -1 when out of memory. */
int ogas_classes_save(const struct ogas_classes *c, struct astra_bytes *out);
/* Read saved classes into an empty struct. old: in the layout before CPUs,
 * memory and types, in which a class is a tenant and a size. Returns 0, or -1
 * when the data is damaged or memory is out. */
int ogas_classes_restore(struct ogas_classes *c, struct astra_reader *in,
			 bool old);

/* For the files of ogasched only: */

/* Update the nodes; call before the classes are updated. */
int ogas_nodes_update(struct ogas_classes *c, const struct astra_offer *offer);
/* Tell the learner about all nodes again. */
int ogas_nodes_forget(struct ogas_classes *c);
/* Make a learner with `types` types of resources. Returns NULL when memory is
 * out. */
struct astra_ogas *ogas_classes_learner(const struct ogas_classes *c,
					size_t types);

#endif
