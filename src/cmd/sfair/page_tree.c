/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of accounts, each with the usage of the accounts below it. The tree
 * is sacctmgr's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"
#include "src/common/intern.h"
#include "src/model/model.h"

#define NAME_CHARS 32

/* Most accounts in the name of a row: the account itself and those above it. */
#define LEVELS_MAX 32

struct tree_account {
	uint32_t parent; /* index, or ASTRA_NONE */
	uint32_t walk;	 /* id of the upward walk that first met this account */
	double own_sec;	 /* GPU seconds of the jobs of its own users */
	double used_sec; /* own_sec plus that of all accounts below it */
};

struct tree {
	struct astra_intern names; /* indices as in list */
	struct tree_account *list;
	uint32_t *order; /* the accounts with a row */
	size_t rows;
};

/* An account and the accounts above it, except root; the highest comes
 * first. */
struct tree_path {
	uint32_t at[LEVELS_MAX];
	size_t count;
	bool cut; /* there are more above these */
};

static bool is_root(const struct tree *t, uint32_t at)
{
	return t->list[at].parent == ASTRA_NONE &&
	       !strcmp(t->names.names[at], "root");
}

/* Returns the account above this one; ASTRA_NONE if that is root or unknown. */
static uint32_t above(const struct tree *t, uint32_t at)
{
	uint32_t parent = t->list[at].parent;

	return parent == ASTRA_NONE || is_root(t, parent) ? ASTRA_NONE : parent;
}

static struct tree_path path_of(const struct tree *t, uint32_t at)
{
	struct tree_path path = {.at = {at}, .count = 1};

	while (path.count < LEVELS_MAX && above(t, at) != ASTRA_NONE)
		path.at[path.count++] = at = above(t, at);
	path.cut = above(t, at) != ASTRA_NONE;
	for (size_t i = 0; i < path.count / 2; i++) {
		uint32_t other = path.at[i];

		path.at[i] = path.at[path.count - 1 - i];
		path.at[path.count - 1 - i] = other;
	}
	return path;
}

/* Orders accounts by name. Each account comes before the accounts below it. */
static int tree_compare(const void *a, const void *b, void *tree)
{
	const struct tree *t = tree;
	struct tree_path x = path_of(t, *(const uint32_t *)a);
	struct tree_path y = path_of(t, *(const uint32_t *)b);

	for (size_t i = 0; i < x.count && i < y.count; i++) {
		int order = strcmp(t->names.names[x.at[i]],
				   t->names.names[y.at[i]]);

		if (order)
			return order;
	}
	return (x.count > y.count) - (x.count < y.count);
}

/* Reads the parents of accounts. Returns 0, or -1 when out of memory. */
static int read_parents(struct tree *t, const json_t *accounts)
{
	const json_t *row;
	size_t i;

	json_array_foreach(accounts, i, row)
	{
		const char *name =
			json_string_value(json_object_get(row, "account"));
		const char *above =
			json_string_value(json_object_get(row, "parent"));
		uint32_t at, parent;

		if (!name || !above || !*above || !strcmp(name, above))
			continue;
		at = astra_intern_put(&t->names, name);
		parent = astra_intern_put(&t->names, above);
		if (at == ASTRA_INTERN_NONE || parent == ASTRA_INTERN_NONE)
			return -1;
		t->list[at].parent = parent;
	}
	return 0;
}

/* Breaks circles of parents: the last account found in one becomes a highest
 * account. A tree from a file may have circles. */
static void break_circles(struct tree *t)
{
	for (uint32_t i = 0; i < t->names.count; i++)
		for (uint32_t at = i; !t->list[at].walk;) {
			uint32_t parent = t->list[at].parent;

			t->list[at].walk = i + 1;
			if (parent == ASTRA_NONE)
				break;
			if (t->list[parent].walk == i + 1)
				t->list[at].parent = ASTRA_NONE;
			at = parent;
		}
}

/* Adds what each user used to the user's account, and to all accounts above
 * it. */
static int read_use(struct tree *t, const struct page_data *d)
{
	for (size_t i = 0; i < d->user_count; i++) {
		double used_sec = d->users[i].used_gpu_sec;
		uint32_t at = astra_intern_put(&t->names, d->users[i].account);

		if (at == ASTRA_INTERN_NONE)
			return -1;
		if (!(used_sec > 0))
			continue;
		t->list[at].own_sec += used_sec;
		for (; at != ASTRA_NONE; at = t->list[at].parent)
			t->list[at].used_sec += used_sec;
	}
	return 0;
}

static int tree_load(struct tree *t, const struct page_data *d)
{
	size_t room = 2 * json_array_size(d->accounts) + d->user_count + 1;

	t->list = malloc(room * sizeof(*t->list));
	t->order = malloc(room * sizeof(*t->order));
	if (!t->list || !t->order)
		return -1;
	for (size_t i = 0; i < room; i++)
		t->list[i] = (struct tree_account){.parent = ASTRA_NONE};
	if (read_parents(t, d->accounts) < 0)
		return -1;
	break_circles(t);
	if (read_use(t, d) < 0)
		return -1;
	for (uint32_t i = 0; i < t->names.count; i++)
		if (is_root(t, i) ? t->list[i].own_sec > 0
				  : t->list[i].used_sec > 0)
			t->order[t->rows++] = i;
	qsort_r(t->order, t->rows, sizeof(*t->order), tree_compare, t);
	return 0;
}

/* Whether any account with usage is below an account other than root. */
static bool has_levels(const struct tree *t)
{
	for (size_t i = 0; i < t->rows; i++)
		if (path_of(t, t->order[i]).count > 1)
			return true;
	return false;
}

static void put_account(const struct page_data *d, const struct tree *t,
			uint32_t at, FILE *f)
{
	const struct tree_account *a = &t->list[at];
	struct tree_path path = path_of(t, at);

	fputs("<tr><th scope=\"row\">", f);
	if (path.cut)
		fputs("…/", f);
	for (size_t i = 0; i < path.count; i++) {
		fputs(i ? "/" : "", f);
		page_name(f, t->names.names[path.at[i]], NAME_CHARS);
	}
	page_cell_hours(f, a->used_sec);
	page_cell_fixed(f, 100 * a->used_sec / d->total_sec, 1);
	page_cell_hours(f, a->own_sec);
	fputs("\n", f);
}

static void put_tree(const struct page_data *d, const struct tree *t, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Account", "behind the accounts above it", true},
		{"Used GPU h", "what jobs of it and of the accounts below held",
		 false},
		{"of all %", "used, of all the GPU time there was", false},
		{"Own GPU h", "used, without the accounts below", false},
		{0},
	};

	page_table_begin(f, "Accounts", heads);
	for (size_t i = 0; i < t->rows && i < PAGE_ROWS_MAX; i++)
		put_account(d, t, t->order[i], f);
	page_table_end(f);
	if (t->rows > PAGE_ROWS_MAX)
		fprintf(f, "<p class=\"soft\">The first %d of %zu.</p>\n",
			PAGE_ROWS_MAX, t->rows);
	if (d->heads[PAGE_USERS].more)
		fprintf(f,
			"<p class=\"soft\">Without the users that used less "
			"than the %zu first.</p>\n",
			d->user_count);
	fputs("</section>\n", f);
}

int page_tree(const struct page_data *d, FILE *f)
{
	struct tree tree = {0};
	int rc = tree_load(&tree, d);

	if (!rc && has_levels(&tree))
		put_tree(d, &tree, f);
	free(tree.list);
	free(tree.order);
	astra_intern_clear(&tree.names);
	return rc;
}
