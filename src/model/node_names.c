/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/node_names.h"

#include <stdlib.h>
#include <string.h>

static const char *names_text(const char *name)
{
	return name ? name : "";
}

static bool names_same(const struct astra_node_names *known,
		       const struct astra_node *nodes, size_t count)
{
	if (known->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(known->names[i], names_text(nodes[i].name)) != 0)
			return false;
	return true;
}

static int names_take(struct astra_node_names *to,
		      const struct astra_node *nodes, size_t count)
{
	to->names = calloc(count + 1, sizeof(*to->names));
	for (size_t i = 0; to->names && i < count; i++) {
		to->names[i] = strdup(names_text(nodes[i].name));
		if (!to->names[i])
			break;
		to->count++;
	}
	return to->names && to->count == count ? 0 : -1;
}

/* A node to be found by its name. */
struct names_entry {
	const char *name;
	uint32_t node;
};

static int names_compare(const void *a, const void *b)
{
	const struct names_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int names_compare_only(const void *a, const void *b)
{
	const struct names_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Match the nodes that kept their index, as most do. rest: gets the nodes of
 * `to` that have a name but no match yet. Returns the number of these. */
static size_t names_match_in_place(const struct astra_node_names *from,
				   const struct astra_node_names *to,
				   uint32_t *now, struct names_entry *rest)
{
	size_t left = 0;

	for (size_t i = 0; i < from->count; i++)
		now[i] = ASTRA_NONE;
	for (uint32_t i = 0; i < to->count; i++) {
		if (i < from->count && !strcmp(from->names[i], to->names[i]))
			now[i] = i;
		else if (*to->names[i])
			rest[left++] = (struct names_entry){to->names[i], i};
	}
	return left;
}

static void names_match(const struct astra_node_names *from, uint32_t *now,
			struct names_entry *rest, size_t left)
{
	if (left)
		qsort(rest, left, sizeof(*rest), names_compare);
	for (size_t i = 0; left && i < from->count; i++) {
		struct names_entry *found, wanted = {.name = from->names[i]};

		if (now[i] != ASTRA_NONE)
			continue;
		found = bsearch(&wanted, rest, left, sizeof(*rest),
				names_compare_only);
		if (!found)
			continue;
		now[i] = found->node;
		found->node = ASTRA_NONE; /* no other node matches it */
	}
}

/* Fill in a renumbering. Returns 0, or -1 when memory is out. */
static int names_renumber(const struct astra_node_names *from,
			  const struct astra_node_names *to,
			  struct astra_renumbering *by)
{
	struct names_entry *rest = calloc(to->count + 1, sizeof(*rest));

	by->now = calloc(from->count + 1, sizeof(*by->now));
	if (rest && by->now) {
		by->count = from->count;
		names_match(from, by->now, rest,
			    names_match_in_place(from, to, by->now, rest));
	}
	free(rest);
	return by->count == from->count ? 0 : -1;
}

bool astra_node_names_follow(struct astra_node_names *known,
			     const struct astra_node *nodes, size_t count,
			     struct astra_renumbering *by)
{
	struct astra_node_names next = {0};

	*by = (struct astra_renumbering){0};
	if (names_same(known, nodes, count))
		return false;
	if (names_take(&next, nodes, count) < 0 ||
	    names_renumber(known, &next, by) < 0)
		astra_node_names_clear(&next);
	astra_node_names_clear(known);
	*known = next;
	return true;
}

uint32_t astra_renumbered(const struct astra_renumbering *by, uint32_t node)
{
	return node < by->count ? by->now[node] : ASTRA_NONE;
}

static int names_compare_shares(const void *a, const void *b)
{
	const struct astra_share *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

bool astra_shares_renumber(struct astra_share *shares, size_t count,
			   const struct astra_renumbering *by)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		shares[i].node = astra_renumbered(by, shares[i].node);
		all = all && shares[i].node != ASTRA_NONE;
	}
	for (size_t i = 0; !all && i < count; i++)
		shares[i].node = ASTRA_NONE;
	if (count)
		qsort(shares, count, sizeof(*shares), names_compare_shares);
	return all;
}

int astra_node_names_copy(struct astra_node_names *to,
			  const struct astra_node_names *from)
{
	to->names = calloc(from->count + 1, sizeof(*to->names));
	for (size_t i = 0; to->names && i < from->count; i++) {
		to->names[i] = strdup(from->names[i]);
		if (!to->names[i])
			return -1;
		to->count++;
	}
	return to->names ? 0 : -1;
}

void astra_node_names_put(const struct astra_node_names *known,
			  struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)known->count);
	for (size_t i = 0; i < known->count; i++)
		astra_put_text(out, known->names[i]);
}

int astra_node_names_get(struct astra_node_names *known,
			 struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	if (in->failed || count > (in->size - in->at) / sizeof(uint32_t))
		return -1;
	known->names = calloc((size_t)count + 1, sizeof(*known->names));
	for (uint32_t i = 0; known->names && i < count; i++) {
		known->names[i] = astra_get_text(in);
		if (!known->names[i])
			return -1;
		known->count++;
	}
	return known->names ? 0 : -1;
}

void astra_node_names_clear(struct astra_node_names *known)
{
	for (size_t i = 0; i < known->count; i++)
		free(known->names[i]);
	free(known->names);
	*known = (struct astra_node_names){0};
}
