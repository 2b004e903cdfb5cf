/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/store/shared_name.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/store/state_file.h"

/* The file's content: one part for each enum astra_shared_name. */
struct parts {
	uint64_t part[2];
};

static void path_of(const char *folder, char out[static PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/" ASTRA_SHARED_NAME_FILE, folder);
}

static bool read_parts(const char *folder, struct parts *out)
{
	char path[PATH_MAX];
	void *data = NULL;
	size_t size = 0;
	bool fallback, good;

	path_of(folder, path);
	if (astra_state_read(path, &data, &size, &fallback, NULL) < 0 || !data)
		return false;
	good = size == sizeof(*out);
	if (good)
		memcpy(out, data, size);
	free(data);
	return good;
}

static void shared_name_of_folder(const char *folder,
				  char out[ASTRA_SHARED_NAME_SIZE])
{
	struct stat st = {0};

	(void)stat(folder, &st);
	snprintf(out, ASTRA_SHARED_NAME_SIZE, "%llx.%llx",
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
}

void astra_shared_name(const char *folder, enum astra_shared_name which,
		       char out[ASTRA_SHARED_NAME_SIZE])
{
	struct parts parts;

	if (read_parts(folder, &parts)) {
		snprintf(out, ASTRA_SHARED_NAME_SIZE, "%016llx",
			 (unsigned long long)parts.part[which]);
		return;
	}
	shared_name_of_folder(folder, out);
}

/* Renames only a file that belongs to this user: anybody could have made
 * one. */
void astra_shared_name_adopt(const char *folder, enum astra_shared_name which,
			     const char *prefix, const char *suffix)
{
	char was[ASTRA_SHARED_NAME_SIZE], is[ASTRA_SHARED_NAME_SIZE];
	char from[PATH_MAX], to[PATH_MAX];
	struct stat st;

	shared_name_of_folder(folder, was);
	astra_shared_name(folder, which, is);
	snprintf(from, sizeof(from), "/dev/shm/%s%s%s", prefix, was, suffix);
	snprintf(to, sizeof(to), "/dev/shm/%s%s%s", prefix, is, suffix);
	if (strcmp(from, to) && lstat(from, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid())
		(void)rename(from, to);
}

int astra_shared_name_make(const char *folder, bool anew)
{
	struct parts parts;
	char path[PATH_MAX];

	if (!anew && read_parts(folder, &parts))
		return 0;
	if (getrandom(&parts, sizeof(parts), GRND_NONBLOCK) != sizeof(parts))
		return -1;
	path_of(folder, path);
	return astra_state_write(path, &parts, sizeof(parts), ASTRA_STATE_SYNC,
				 NULL);
}
