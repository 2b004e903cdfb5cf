/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The learner of a pool: its nodes by name, its classes of jobs by name. */
#ifndef ASTRA_OGAS_CLASSES_H
#define ASTRA_OGAS_CLASSES_H

#include "src/common/intern.h"
#include "src/policy/ogasched/ogasched.h"
#include "src/policy/policy.h"

struct ogas_classes {
	struct astra_ogas *learner;
	enum astra_ogas_utility utility;
	struct astra_intern names; /* of the classes, numbered as the ports */
	uint32_t *node_of;	   /* learner's node, by the offer's */
	double *gpus_of;	   /* what the learner was told, by its node */
	double *alpha_of;
	double largest_node; /* GPUs of the largest node so far */
	size_t node_count, node_room;
	size_t told_room;
	double *saved; /* GPUs that a class has not used up to now, because
			* they were too few for its next job */
	size_t saved_room;
	uint32_t *x; /* jobs of each class */
	size_t x_room;
	uint32_t *slot_x; /* the same, when the slot began */
	size_t slot_x_room;
	bool changed;	    /* nodes or classes; the user clears it */
	uint32_t *class_of; /* by demand */
	size_t class_of_room;
};

/* Returns 0, or -1 when
 * memory is out; clear it in both cases. */
int ogas_classes_init(struct ogas_classes *c,
		      const struct astra_ogas_options *options,
		      enum astra_ogas_utility utility);
void ogas_classes_clear(struct ogas_classes *c);

/* Bring the learner's nodes and classes up to date with an offer, and count
 * each class's jobs. Returns 0, or -1 when memory is out. */
int ogas_classes_update(struct ogas_classes *c,
			const struct astra_offer *offer);

/* Returns 0, or -1 when memory is out. */
int ogas_classes_save(const struct ogas_classes *c, struct astra_bytes *out);
/* Into new ones. Returns 0, or -1 when it is damaged or memory is out. */
int ogas_classes_restore(struct ogas_classes *c, struct astra_reader *in);

#endif
