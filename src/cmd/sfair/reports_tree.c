/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tenant > account > user, each with the sum of what is below it. */
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/reports.h"

static const char *reports_tree_text_of(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	return a && !strcmp(reports_tree_text_of(a, key),
			    reports_tree_text_of(b, key));
}

static void reports_tree_add(json_t *sum, const json_t *row, const char *key)
{
	json_object_set_new(
		sum, key,
		json_real(json_number_value(json_object_get(sum, key)) +
			  json_number_value(json_object_get(row, key))));
}

static void reports_tree_add_row(json_t *sum, const json_t *row)
{
	static const char *const keys[] = {"used_gpu_sec", "wait_gpu_sec",
					   "jobs"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		reports_tree_add(sum, row, keys[i]);
}

/* A sum's row, to which those below it are added. Borrowed. */
static json_t *reports_tree_begin(json_t *tree, const json_t *row,
				  bool of_account)
{
	json_t *sum = json_object();

	json_object_set(sum, "pool", json_object_get(row, "pool"));
	json_object_set(sum, "tenant", json_object_get(row, "tenant"));
	json_object_set(sum, "total_gpu_sec",
			json_object_get(row, "total_gpu_sec"));
	json_object_set_new(sum, "user", json_string(""));
	json_object_set_new(
		sum, "account",
		of_account ? json_sprintf(" %s",
					  reports_tree_text_of(row, "account"))
			   : json_string(""));
	json_array_append_new(tree, sum);
	return sum;
}

static void add_leaf(json_t *tree, const json_t *row)
{
	json_t *leaf = json_copy((json_t *)(uintptr_t)row);

	json_object_set_new(
		leaf, "account",
		json_sprintf(" %s", reports_tree_text_of(row, "account")));
	json_object_set_new(
		leaf, "user",
		json_sprintf("  %s", reports_tree_text_of(row, "user")));
	json_array_append_new(tree, leaf);
}

json_t *sfair_report_tree(const json_t *rows)
{
	json_t *tree = json_array(), *tenant = NULL, *account = NULL;
	const json_t *last = NULL, *row;
	size_t i;

	for (i = 0; tree && i < json_array_size(rows); i++) {
		bool goes_on;

		row = json_array_get(rows, i);
		goes_on = same(last, row, "pool") && same(last, row, "tenant");
		if (!goes_on)
			tenant = reports_tree_begin(tree, row, false);
		if (!goes_on || !same(last, row, "account"))
			account = reports_tree_begin(tree, row, true);
		reports_tree_add_row(tenant, row);
		reports_tree_add_row(account, row);
		add_leaf(tree, row);
		last = row;
	}
	return tree;
}
