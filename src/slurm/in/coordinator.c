/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/coordinator.h"

#include <string.h>

#include "src/proto/query.h"
#include "src/slurm/compat/compat.h"

#define ACCOUNTS_MAX 10000 /* of one coordinator */

struct coordinator {
	uid_t uid;
	struct astra_names *accounts;
	bool failed;
};

static int add_account(void *x, void *arg)
{
	const slurmdb_coord_rec_t *account = x;
	struct coordinator *c = arg;

	if (!account->name || c->accounts->count >= ACCOUNTS_MAX)
		return 0;
	c->failed |= astra_names_add(c->accounts, account->name,
				     strlen(account->name)) < 0;
	return c->failed ? -1 : 0;
}

static int look_at_user(void *x, void *arg)
{
	slurmdb_user_rec_t *user = x;
	struct coordinator *c = arg;

	if (user->uid != c->uid)
		return 0;
	if (user->coord_accts)
		(void)list_for_each_ro(user->coord_accts, add_account, c);
	return -1;
}

int astra_accounts_of(uid_t uid, struct astra_names *out)
{
	assoc_mgr_lock_t locks = {.user = READ_LOCK};
	struct coordinator c = {.uid = uid, .accounts = out};

	assoc_mgr_lock(&locks);
	if (assoc_mgr_user_list)
		(void)list_for_each_ro(assoc_mgr_user_list, look_at_user, &c);
	assoc_mgr_unlock(&locks);
	return c.failed ? -1 : 0;
}
