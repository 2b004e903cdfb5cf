/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/store/refuge.h"

#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/store/shared_name.h"
#include "src/store/state_file.h"

/* The state file that could not be replaced; zeros: there is none. */
struct identity {
	uint64_t inode;
	int64_t mtime_sec, mtime_nsec;
};

static struct identity identify(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct identity){0};
	return (struct identity){
		.inode = st.st_ino,
		.mtime_sec = st.st_mtim.tv_sec,
		.mtime_nsec = st.st_mtim.tv_nsec,
	};
}

#define REFUGE_PREFIX "astraea.state."

static void refuge_adopt(const char *path)
{
	char folder[PATH_MAX], name[PATH_MAX], suffix[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	snprintf(name, sizeof(name), "%s", path);
	if (snprintf(suffix, sizeof(suffix), ".%s", basename(name)) < PATH_MAX)
		astra_shared_name_adopt(dirname(folder), ASTRA_SHARED_REFUGE,
					REFUGE_PREFIX, suffix);
}

static int refuge_name_of(const char *path, char out[static PATH_MAX])
{
	char folder[PATH_MAX], name[PATH_MAX], id[ASTRA_SHARED_NAME_SIZE];

	snprintf(folder, sizeof(folder), "%s", path);
	snprintf(name, sizeof(name), "%s", path);
	astra_shared_name(dirname(folder), ASTRA_SHARED_REFUGE, id);
	return snprintf(out, PATH_MAX, "/dev/shm/" REFUGE_PREFIX "%s.%s", id,
			basename(name)) < PATH_MAX
		       ? 0
		       : -1;
}

int astra_refuge_save(const char *path, const void *data, size_t size)
{
	struct identity id = identify(path);
	char name[PATH_MAX];
	char *all;
	int rc;

	if (refuge_name_of(path, name) < 0)
		return -1;
	all = malloc(sizeof(id) + size);
	if (!all)
		return -1;
	memcpy(all, &id, sizeof(id));
	memcpy(all + sizeof(id), data, size);
	rc = astra_state_write(name, all, sizeof(id) + size, 0, NULL);
	free(all);
	return rc;
}

/* Anybody can put a file there; nobody can replace ours. */
static bool refuge_is_ours(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid();
}

void astra_refuge_load(const char *path, void **data, size_t *size)
{
	struct identity id = identify(path);
	char name[PATH_MAX];
	bool fallback;

	*data = NULL;
	refuge_adopt(path);
	if (refuge_name_of(path, name) < 0 || !refuge_is_ours(name) ||
	    astra_state_read(name, data, size, &fallback, NULL) < 0 || !*data)
		return;
	if (*size < sizeof(id) || memcmp(*data, &id, sizeof(id)) != 0) {
		free(*data);
		*data = NULL;
		return;
	}
	*size -= sizeof(id);
	memmove(*data, (char *)*data + sizeof(id), *size);
}

void astra_refuge_drop(const char *path)
{
	char name[PATH_MAX];

	if (refuge_name_of(path, name) == 0)
		(void)unlink(name);
}
