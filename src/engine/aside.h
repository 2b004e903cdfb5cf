/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the policies know that a pool had before: a policy that comes back goes
 * on with its sums, its plans and what it learned, as after a restart of the
 * host that took as long. Jobs, leases and accounts are the engine's own, and
 * go on whatever the policy.
 */
#ifndef ASTRA_ASIDE_H
#define ASTRA_ASIDE_H

#include "src/common/bytes.h"
#include "src/model/node_names.h"
#include "src/policies/policy.h"

struct astra_engine;

struct astra_aside {
	const struct astra_policy *policy;
	struct astra_bytes state;
	double shift_sec;	       /* the clock was set by so much since */
	struct astra_node_names nodes; /* those of the numbers in the state */
};

/* Zeroed: none. */
struct astra_asides {
	struct astra_aside *list;
	size_t count, room;
};

/* A new instance for new options: of the same policy it goes on where the old
 * one is, which of another policy is put aside; the caller destroys it.
 * Returns NULL with err set on failure: all is as before. */
void *astra_aside_change(struct astra_engine *engine,
			 const struct astra_policy *policy,
			 const struct astra_options *options,
			 struct astra_error *err);

/* Put a state aside instead of an older one of the policy. Takes state and
 * nodes. Returns 0, or -1 when memory is out: they are freed. */
int astra_aside_put(struct astra_asides *asides, struct astra_aside *aside);

/* The engine's policy goes on with what was put aside of it, if there is any,
 * or begins anew where that is damaged. Returns 0, or -1 when memory is out. */
int astra_aside_resume(struct astra_engine *engine);

/* The nodes that the numbers in the present policy's state stand for. */
const struct astra_node_names *
astra_aside_nodes(const struct astra_engine *engine);

/* Before a policy that has come back is asked: its numbers of nodes become the
 * snapshot's. */
void astra_aside_renumber(struct astra_engine *engine,
			  const struct astra_snapshot *snap);

void astra_aside_clear(struct astra_aside *aside);
void astra_asides_shift(struct astra_asides *asides, double by_sec);
void astra_asides_save(const struct astra_asides *asides,
		       struct astra_bytes *out);
/* Into zeroed ones; policies that are not known are left out. Returns 0, or -1
 * when memory is out or the data is damaged; clear them all the same. */
int astra_asides_restore(struct astra_asides *asides, struct astra_reader *in);
void astra_asides_clear(struct astra_asides *asides);

#endif
