/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/users.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"

#define NAME_MAX_BYTES 64

static struct user {
	uint32_t uid;
	char name[NAME_MAX_BYTES]; /* "": wanted */
} * *users;
static size_t user_count, user_room, known_count;
static struct astra_idmap by_uid; /* uid + 1 -> index */

const char *astra_user_name(uint32_t uid)
{
	uint32_t at = astra_idmap_get(&by_uid, uid + 1);

	if (uid == UINT32_MAX)
		return "nobody";
	if (at != ASTRA_IDMAP_NONE)
		return *users[at]->name ? users[at]->name : NULL;
	if (astra_grow(&users, &user_room, user_count + 1, sizeof(*users)) < 0)
		return NULL;
	users[user_count] = calloc(1, sizeof(**users));
	if (!users[user_count] ||
	    astra_idmap_put(&by_uid, uid + 1, (uint32_t)user_count) < 0) {
		free(users[user_count]);
		return NULL;
	}
	users[user_count++]->uid = uid;
	return NULL;
}

static void resolve(struct user *user)
{
	char buffer[16384];
	struct passwd entry, *found = NULL;

	while (getpwuid_r(user->uid, &entry, buffer, sizeof(buffer), &found) ==
	       EINTR)
		continue;
	if (found && *entry.pw_name)
		snprintf(user->name, sizeof(user->name), "%s", entry.pw_name);
	else
		snprintf(user->name, sizeof(user->name), "%u", user->uid);
}

uint32_t astra_users_resolve(void)
{
	uint32_t asked = 0;

	for (; known_count < user_count; known_count++, asked++)
		resolve(users[known_count]);
	return asked;
}

void astra_users_free(void)
{
	for (size_t i = 0; i < user_count; i++)
		free(users[i]);
	free(users);
	users = NULL;
	user_count = user_room = known_count = 0;
	astra_idmap_clear(&by_uid);
}
