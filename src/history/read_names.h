/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a report may be about: for read_names.c and read_known.c. */
#ifndef ASTRA_HISTORY_READ_NAMES_H
#define ASTRA_HISTORY_READ_NAMES_H

#include "src/history/read_priv.h"

struct name_pool {
	int64_t id;
	char *name;
	bool wanted;
};

struct name_tenant {
	int64_t id;
	int64_t pool;
	char *name;
	uint32_t uid;
	bool in_window;	     /* it has rows there */
	bool wanted, ours;   /* asked for; the viewer may see it */
	bool asked_by_owner; /* one of its owners is asked for */
};

struct name_owner {
	int64_t id;
	int64_t tenant;
	char *account, *user;
	uint32_t uid;
	bool in_window;
	bool wanted, own;
};

struct astra_reading_names {
	struct name_pool *pools;
	struct name_tenant *tenants;
	struct name_owner *owners;
	size_t pool_count, pool_room;
	size_t tenant_count, tenant_room;
	size_t owner_count, owner_room;
};

/* By id, or NULL. */
struct name_tenant *
astra_reading_find_tenant(const struct astra_reading_names *names, int64_t id);
struct name_owner *
astra_reading_find_owner(const struct astra_reading_names *names, int64_t id);

/* Call add for each row of a statement; it returns 0, or -1 when memory is out.
 * Returns ASTRA_FAULT_NONE, or what is wrong. */
enum astra_fault astra_reading_each(struct astra_reading *r, const char *sql,
				    int (*add)(struct astra_reading *,
					       sqlite3_stmt *));

#endif
