/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/aside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

void astra_aside_clear(struct astra_aside *a)
{
	astra_bytes_clear(&a->state);
	astra_node_names_clear(&a->nodes);
}

static struct astra_aside *aside_find(struct astra_asides *s,
				      const struct astra_policy *policy)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].policy == policy)
			return &s->list[i];
	return NULL;
}

int astra_aside_put(struct astra_asides *s, struct astra_aside *aside)
{
	struct astra_aside *old = aside_find(s, aside->policy);

	if (old) {
		astra_aside_clear(old);
		*old = *aside;
		return 0;
	}
	if (astra_grow(&s->list, &s->room, s->count + 1, sizeof(*s->list)) <
	    0) {
		astra_aside_clear(aside);
		return -1;
	}
	s->list[s->count++] = *aside;
	return 0;
}

static void aside_drop(struct astra_asides *s, struct astra_aside *a)
{
	astra_aside_clear(a);
	*a = s->list[--s->count];
}

const struct astra_node_names *astra_aside_nodes(const struct astra_engine *e)
{
	static const struct astra_node_names none;

	if (e->back)
		return &e->back_nodes;
	return e->policy->renumber ? &e->nodes : &none;
}

/* Put the present state of the engine's policy aside. Returns 0, or -1. */
static int aside_take(struct astra_engine *e)
{
	struct astra_aside a = {.policy = e->policy};

	if (!e->policy->save)
		return 0;
	if (e->policy->save(e->policy_self, &a.state) < 0 || a.state.failed ||
	    astra_node_names_copy(&a.nodes, astra_aside_nodes(e)) < 0) {
		astra_aside_clear(&a);
		return -1;
	}
	return astra_aside_put(&e->asides, &a);
}

/* Give a policy the state that was put aside. Returns 0, or -1 if the state is
 * damaged. */
static int aside_give(const struct astra_aside *a, void *self)
{
	struct astra_reader in = {.data = a->state.data, .size = a->state.size};

	if (!a->policy->restore || a->policy->restore(self, &in) < 0)
		return -1;
	if (a->policy->shift && (a->shift_sec > 0 || a->shift_sec < 0))
		a->policy->shift(self, a->shift_sec);
	return 0;
}

/* Note that a new instance has the state now. Its node indices stand for the
 * nodes that were put aside with it. */
static void aside_came_back(struct astra_engine *e, struct astra_aside *a)
{
	astra_node_names_clear(&e->back_nodes);
	e->back = a->policy->renumber != NULL;
	if (e->back) {
		e->back_nodes = a->nodes;
		a->nodes = (struct astra_node_names){0};
	}
	aside_drop(&e->asides, a);
}

int astra_aside_resume(struct astra_engine *e)
{
	struct astra_aside *a = aside_find(&e->asides, e->policy);

	if (!a)
		return 0;
	if (aside_give(a, e->policy_self) == 0) {
		aside_came_back(e, a);
		return 0;
	}
	aside_drop(&e->asides, a);
	e->policy_lost = true;
	e->policy->destroy(e->policy_self);
	e->policy_self = e->policy->create(&e->options, NULL);
	return e->policy_self ? 0 : -1;
}

static void *aside_other(struct astra_engine *e,
			 const struct astra_policy *policy,
			 const struct astra_options *options,
			 struct astra_error *err)
{
	void *self = policy->create(options, err);
	struct astra_aside *a;

	if (self && aside_take(e) < 0) {
		policy->destroy(self);
		astra_error_nomem(err);
		return NULL;
	}
	if (!self)
		return NULL;
	a = aside_find(&e->asides, policy);
	if (a && aside_give(a, self) == 0) {
		aside_came_back(e, a);
		return self;
	}
	if (a) {
		aside_drop(&e->asides, a);
		policy->destroy(self);
		self = policy->create(options, err);
	}
	e->back = e->back && !self;
	return self;
}

void *astra_aside_change(struct astra_engine *e,
			 const struct astra_policy *policy,
			 const struct astra_options *options,
			 struct astra_error *err)
{
	if (policy == e->policy)
		return astra_policy_again(policy, e->policy_self, options, err);
	return aside_other(e, policy, options, err);
}

void astra_aside_renumber(struct astra_engine *e,
			  const struct astra_snapshot *snap)
{
	struct astra_renumbering by;

	if (astra_node_names_follow(&e->back_nodes, snap->nodes,
				    snap->node_count, &by))
		e->policy->renumber(e->policy_self, &by);
	free(by.now);
	astra_node_names_clear(&e->back_nodes);
	e->back = false;
}

void astra_asides_shift(struct astra_asides *s, double by_sec)
{
	for (size_t i = 0; i < s->count; i++)
		s->list[i].shift_sec += by_sec;
}

void astra_asides_save(const struct astra_asides *s, struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)s->count);
	for (size_t i = 0; i < s->count; i++) {
		const struct astra_aside *a = &s->list[i];

		astra_put_text(out, a->policy->name);
		astra_put_f64(out, a->shift_sec);
		astra_node_names_put(&a->nodes, out);
		astra_put_u32(out, (uint32_t)a->state.size);
		astra_put_bytes(out, a->state.data, a->state.size);
	}
}

static int aside_restore(struct astra_asides *s, struct astra_reader *in)
{
	char *name = astra_get_text(in);
	struct astra_aside a = {.policy =
					name ? astra_policy_find(name) : NULL};
	const uint8_t *data;
	uint32_t size;

	free(name);
	a.shift_sec = astra_get_f64(in);
	if (astra_node_names_get(&a.nodes, in) < 0 || !isfinite(a.shift_sec)) {
		astra_aside_clear(&a);
		return -1;
	}
	size = astra_get_u32(in);
	data = astra_get_bytes(in, size);
	if (!in->failed && a.policy)
		astra_put_bytes(&a.state, data, size);
	if (in->failed || a.state.failed || !a.policy) {
		int rc = in->failed || a.state.failed ? -1 : 0;

		astra_aside_clear(&a);
		return rc;
	}
	return astra_aside_put(s, &a);
}

int astra_asides_restore(struct astra_asides *s, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t i = 0; i < count; i++)
		if (in->failed || aside_restore(s, in) < 0)
			return -1;
	return in->failed ? -1 : 0;
}

void astra_asides_clear(struct astra_asides *s)
{
	for (size_t i = 0; i < s->count; i++)
		astra_aside_clear(&s->list[i]);
	free(s->list);
	*s = (struct astra_asides){0};
}
