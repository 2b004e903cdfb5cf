/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of tables: each member of a reply's records that has a heading is
 * a column. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/grow.h"
#include "src/proto/encode.h"

#define WIDTH_MAX 1000

static const struct sfair_column *
format_find_column(const struct sfair_table *table, const char *name,
		   size_t size)
{
	for (const struct sfair_column *c = table->columns; c->name; c++)
		if (strlen(c->name) == size &&
		    !strncasecmp(c->name, name, size))
			return c;
	return NULL;
}

/* Reads a width: "%N" aligns to the right, "%-N" to the left, as in Slurm's
 * commands. */
static int parse_width(const char *text, size_t size,
		       struct sfair_choice *choice)
{
	unsigned long width;
	char *end;

	if (!size)
		return 0;
	text++; /* the % */
	choice->left = *text == '-';
	if (choice->left)
		text++;
	if (!isdigit((unsigned char)*text))
		return -1;
	width = strtoul(text, &end, 10);
	if ((*end && *end != ',') || width < 1 || width > WIDTH_MAX)
		return -1;
	choice->width = width;
	return 0;
}

static int format_parse_one(const struct sfair_table *table, const char *item,
			    size_t size, struct sfair_choice *out,
			    struct astra_error *err)
{
	const char *percent = memchr(item, '%', size);
	size_t name = percent ? (size_t)(percent - item) : size;
	struct sfair_choice choice = {0};

	choice.column = format_find_column(table, item, name);
	if (!choice.column)
		return astra_error_set(
			err,
			"--format: unknown field \"%.*s\": sfair --helpformat lists them",
			(int)(name > 64 ? 64 : name), item);
	choice.left = choice.column->kind == SFAIR_TEXT ||
		      choice.column->kind == SFAIR_FLAG;
	if (percent && parse_width(percent, size - name, &choice) < 0)
		return astra_error_set(
			err,
			"--format: \"%.*s\": a width is %%N or %%-N, 1 to %d",
			(int)(size > 64 ? 64 : size), item, WIDTH_MAX);
	*out = choice;
	return 0;
}

int sfair_format_parse(const struct sfair_table *table, const char *format,
		       struct sfair_choices *choices, struct astra_error *err)
{
	for (const char *item = format;;) {
		size_t size = strcspn(item, ",");
		struct sfair_choice choice;

		if (format_parse_one(table, item, size, &choice, err) < 0)
			return -1;
		if (astra_grow(&choices->items, &choices->room,
			       choices->count + 1, sizeof(*choices->items)) < 0)
			return astra_error_nomem(err);
		choices->items[choices->count++] = choice;
		if (!item[size])
			return 0;
		item += size + 1;
	}
}

static bool has_key(const struct astra_names *names, const char *key,
		    size_t size)
{
	for (size_t i = 0; i < names->count; i++)
		if (strlen(names->names[i]) == size &&
		    !memcmp(names->names[i], key, size))
			return true;
	return false;
}

int sfair_choices_keys(const struct sfair_choices *choices,
		       struct astra_names *out)
{
	for (size_t i = 0; i < choices->count; i++) {
		const char *key = choices->items[i].column->key;
		size_t size = strcspn(key, ".");

		if (!has_key(out, key, size) &&
		    astra_names_add(out, key, size) < 0)
			return -1;
	}
	return 0;
}

#define COLUMNS_MAX 64
#define KEY_BYTES 32

struct column_list {
	struct sfair_column columns[COLUMNS_MAX + 2]; /* with Left, and the
						       * end */
	char keys[COLUMNS_MAX][KEY_BYTES];
	size_t count;
	struct sfair_table table;
};

static const struct sfair_column columns_left = {
	"Left", "lease_end_sec", SFAIR_LEFT, "time to its lease's end"};

/* The default columns. */
static const char *const columns_shown[] = {
	[ASTRA_QUERY_TENANT] =
		"Pool,Tenant,Weight,Quota,Demand,GPUs,Alloc,Fair,Rho,Waiting,Running",
	[ASTRA_QUERY_JOB] =
		"JobID,User,Tenant,GPUs,Phase,Leases,Revoked,Left,Alloc,Fair,Rho,Rank,Reason",
	[ASTRA_QUERY_LEASE] =
		"JobID,User,Tenant,GPUs,NodeList,Phase,LeaseStart,LeaseEnd,Left,Leases,Revocable",
	[ASTRA_QUERY_AUCTION] =
		"App,Job,Tenant,User,Rho,Rank,Held,Demand,Offered,Bid,Won,Payment,Kept,Given",
	[ASTRA_QUERY_PRICE] = "Pool,Start,End,Price,Used,GPUs",
	[ASTRA_QUERY_CLASS] =
		"Pool,Tenant,GPUs,Type,CPUs,Memory,Jobs,NodeType,Share,ShareCPUs,Granted,Saved,Nodes",
};

#define COLUMNS_TABLES (sizeof(columns_shown) / sizeof(*columns_shown))

/* Adds the columns of an object's members. part: the key of the object, if it
 * is inside a record; or "". */
static void columns_add(struct column_list *list, const char *part,
			const struct astra_member *m)
{
	for (; m->seen && list->count < COLUMNS_MAX; m++) {
		char *key = list->keys[list->count];

		if (m->of)
			columns_add(list, m->key, m->of);
		if (!m->heading)
			continue;
		snprintf(key, KEY_BYTES, "%s%s%s", part, *part ? "." : "",
			 m->key);
		list->columns[list->count++] = (struct sfair_column){
			m->heading, key, (enum sfair_kind)m->shown, m->help};
	}
}

const struct sfair_table *sfair_table_of(enum astra_query_kind kind)
{
	static struct column_list lists[COLUMNS_TABLES];
	struct column_list *list;

	if (kind >= COLUMNS_TABLES || !columns_shown[kind])
		return NULL;
	list = &lists[kind];
	if (list->table.columns)
		return &list->table;
	columns_add(list, "", astra_members_of(kind));
	if (kind == ASTRA_QUERY_JOB || kind == ASTRA_QUERY_LEASE)
		list->columns[list->count++] = columns_left;
	list->table = (struct sfair_table){list->columns, columns_shown[kind]};
	return &list->table;
}
