/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of the pool's former policies. A policy that comes back continues
 * with its sums, its plans and what it learned, as if the host had been down in
 * between. Jobs, leases and accounts belong to the engine and stay under any
 * policy. */
#ifndef ASTRA_ASIDE_H
#define ASTRA_ASIDE_H

#include "src/common/bytes.h"
#include "src/model/node_names.h"
#include "src/policies/policy.h"

struct astra_engine;

struct astra_aside {
	const struct astra_policy *policy;
	struct astra_bytes state;
	double shift_sec;	       /* by how much the clock was set forward
					* since the state was put aside */
	struct astra_node_names nodes; /* the nodes that the state's node
					* indices stand for */
};

/* States that were put aside. If zeroed, there are none. */
struct astra_asides {
	struct astra_aside *list;
	size_t count, room;
};

/* Make a policy instance for new options. An instance of the same policy
 * continues where the old one is. The state of another policy is put aside. The
 * caller destroys the old instance. Returns NULL with err set on failure; then
 * nothing has changed. */
void *astra_aside_change(struct astra_engine *engine,
			 const struct astra_policy *policy,
			 const struct astra_options *options,
			 struct astra_error *err);

/* Put a state aside, in place of an older one of the same policy. Takes state
 * and nodes. Returns 0, or -1 when memory is out: then both are freed. */
int astra_aside_put(struct astra_asides *asides, struct astra_aside *aside);

/* Give the engine's policy the state that was put aside for it, if any. If that
 * state is damaged, the policy begins anew. Returns 0, or -1 when memory is
 * out. */
int astra_aside_resume(struct astra_engine *engine);

/* Return the nodes that node indices in the present policy's state stand
 * for. */
const struct astra_node_names *
astra_aside_nodes(const struct astra_engine *engine);

/* Call before a policy that has come back is asked. Replace its node indices by
 * the indices of the snapshot. */
void astra_aside_renumber(struct astra_engine *engine,
			  const struct astra_snapshot *snap);

void astra_aside_clear(struct astra_aside *aside);
void astra_asides_shift(struct astra_asides *asides, double by_sec);
void astra_asides_save(const struct astra_asides *asides,
		       struct astra_bytes *out);
/* Read states into zeroed asides, leaving out unknown policies. Returns 0, or
 * -1 when memory is out or the data is damaged; clear the asides in that case
 * too. */
int astra_asides_restore(struct astra_asides *asides, struct astra_reader *in);
void astra_asides_clear(struct astra_asides *asides);

#endif
