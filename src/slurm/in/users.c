/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/users.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/common/conf_scan.h"
#include "src/common/grow.h"
#include "src/common/idmap.h"

/* No pool's state file has a name without a dot, so this name is free. The file
 * has lines of "UID NAME"; a user's last line counts. */
#define REMEMBERED "astraea-users"
#define NAME_MAX_BYTES 256 /* as LOGIN_NAME_MAX, with the 0 */
#define USERS_MAX 100000   /* names that are remembered */
#define ABSENT_SEC 60	   /* how long "no such user" is believed */
#define FAILED_SEC 10	   /* how long a failing service is left alone */

static struct user {
	uint32_t uid;
	char name[NAME_MAX_BYTES]; /* "": not known yet */
	bool used;	/* somebody wanted the name in this process */
	bool found;	/* the name was found in this process */
	double ask_sec; /* when to ask for the name, if not found */
} * *users;
static size_t user_count, user_room;
static struct astra_idmap by_uid; /* uid + 1 -> index */
static char path[PATH_MAX];

static struct user *users_find_or_add(uint32_t uid)
{
	uint32_t at = astra_idmap_get(&by_uid, uid + 1);

	if (at != ASTRA_IDMAP_NONE)
		return users[at];
	if (astra_grow(&users, &user_room, user_count + 1, sizeof(*users)) < 0)
		return NULL;
	users[user_count] = calloc(1, sizeof(**users));
	if (!users[user_count] ||
	    astra_idmap_put(&by_uid, uid + 1, (uint32_t)user_count) < 0) {
		free(users[user_count]);
		return NULL;
	}
	users[user_count]->uid = uid;
	return users[user_count++];
}

const char *astra_user_name(uint32_t uid)
{
	struct user *user;

	if (uid == UINT32_MAX)
		return "nobody";
	user = users_find_or_add(uid);
	if (!user)
		return NULL;
	user->used = true;
	return *user->name ? user->name : NULL;
}

/* Remembered names. */

void astra_users_open(const char *folder)
{
	char line[NAME_MAX_BYTES + 16], name[NAME_MAX_BYTES];
	struct user *user;
	uint32_t uid;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/" REMEMBERED, folder) >=
	    (int)sizeof(path))
		*path = '\0';
	f = *path ? astra_conf_open(path, NULL) : NULL;
	while (f && user_count < USERS_MAX && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%u %255s", &uid, name) != 2 ||
		    uid == UINT32_MAX || !(user = users_find_or_add(uid)))
			continue;
		strcpy(user->name, name);
	}
	if (f)
		fclose(f);
}

static void users_remember(const struct user *user)
{
	FILE *f = *path ? fopen(path, "ae") : NULL;

	if (!f)
		return;
	if (fchmod(fileno(f), 0600) == 0)
		fprintf(f, "%u %s\n", user->uid, user->name);
	fclose(f);
}

/* Look-ups. */

/* Look a name up. name has NAME_MAX_BYTES bytes. Returns 1 if it is found, 0 if
 * there is no such user, -1 if the service does not answer. */
static int users_look_up(uint32_t uid, char *name)
{
	char buffer[16384];
	struct passwd entry, *found = NULL;
	int rc;

	do
		rc = getpwuid_r(uid, &entry, buffer, sizeof(buffer), &found);
	while (rc == EINTR);
	if (!rc && found && *entry.pw_name) {
		snprintf(name, NAME_MAX_BYTES, "%s", entry.pw_name);
		return 1;
	}
	return rc && rc != ENOENT ? -1 : 0;
}

static void set_name(struct user *user, const char *name,
		     astra_user_renamed *renamed, void *arg)
{
	char before[NAME_MAX_BYTES];

	strcpy(before, user->name);
	if (!strcmp(before, name))
		return;
	strcpy(user->name, name);
	users_remember(user);
	if (*before && renamed)
		renamed(arg, user->uid, before, name);
}

uint32_t astra_users_resolve(double now_sec, astra_user_renamed *renamed,
			     void *arg)
{
	uint32_t asked = 0;
	bool fails = false;

	for (size_t i = 0; i < user_count; i++) {
		struct user *user = users[i];
		char name[NAME_MAX_BYTES];
		int rc = -1;

		if (user->found || !user->used || user->ask_sec > now_sec)
			continue;
		if (!fails) {
			rc = users_look_up(user->uid, name);
			asked++;
		}
		fails = rc < 0;
		user->found = rc > 0;
		user->ask_sec = now_sec + (fails ? FAILED_SEC : ABSENT_SEC);
		if (user->found)
			set_name(user, name, renamed, arg);
		else if (!*user->name)
			snprintf(user->name, sizeof(user->name), "%u",
				 user->uid);
	}
	return asked;
}

void astra_users_free(void)
{
	for (size_t i = 0; i < user_count; i++)
		free(users[i]);
	free(users);
	users = NULL;
	user_count = user_room = 0;
	*path = '\0';
	astra_idmap_clear(&by_uid);
}
