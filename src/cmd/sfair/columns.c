/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of replies: a column is a member of their records that has a
 * heading. */
#include <stdio.h>

#include "src/cmd/sfair/sfair.h"
#include "src/proto/encode.h"

#define COLUMNS_MAX 64
#define KEY_BYTES 32

struct column_list {
	struct sfair_column columns[COLUMNS_MAX + 2]; /* Left, and the end */
	char keys[COLUMNS_MAX][KEY_BYTES];
	size_t count;
	struct sfair_table table;
};

static const struct sfair_column columns_left = {
	"Left", "lease_end_sec", SFAIR_LEFT, "time to its lease's end"};

/* Those shown where nobody asks for others. */
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

/* part: the key of which they are parts, or "". */
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
