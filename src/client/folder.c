/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/snapshot.h"
#include "src/common/grow.h"

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define STEP_DIGITS 16
#define FENCE_DIGITS 10
#define RANDOM_DIGITS 8
#define TRIES 100 /* to find an unused name */

int sfair_name_valid(const char *name)
{
	size_t length = strlen(name);

	return length && length < SFAIR_NAME_SIZE &&
	       strchr(DIGITS LETTERS, *name) &&
	       strspn(name, DIGITS LETTERS "._+-") == length;
}

void sfair_file_name(struct sfair_file *file, const char *store)
{
	uint32_t random = 0;

	switch (file->kind) {
	case SFAIR_SNAPSHOT:
		snprintf(file->name, sizeof(file->name),
			 "%s.%0*" PRIu64 ".%0*" PRIu32 ".ckpt", store,
			 STEP_DIGITS, file->step, FENCE_DIGITS, file->fence);
		break;
	case SFAIR_FENCE:
		snprintf(file->name, sizeof(file->name),
			 "%s.%0*" PRIu32 ".fence", store, FENCE_DIGITS,
			 file->fence);
		break;
	case SFAIR_TEMP:
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
			random = (uint32_t)getpid(); /* if the name exists,
						      * open() fails */
		snprintf(file->name, sizeof(file->name),
			 "%s.%0*" PRIu64 ".%0*" PRIu32 ".%0*" PRIx32 ".tmp",
			 store, STEP_DIGITS, file->step, FENCE_DIGITS,
			 file->fence, RANDOM_DIGITS, random);
		break;
	case SFAIR_FOREIGN:
		break;
	}
}

/* Read "." and `digits` digits. Returns false if the text has something
 * else. */
static bool read_field(const char **at, int digits, uint64_t *out)
{
	const char *p = *at;
	uint64_t value = 0;

	if (*p++ != '.')
		return false;
	for (; digits; digits--, p++) {
		if (*p < '0' || *p > '9')
			return false;
		value = 10 * value + (uint64_t)(*p - '0');
	}
	*out = value;
	*at = p;
	return true;
}

static bool read_random(const char **at)
{
	const char *p = *at;

	if (*p++ != '.' || strspn(p, DIGITS "abcdef") != RANDOM_DIGITS)
		return false;
	*at = p + RANDOM_DIGITS;
	return true;
}

static bool folder_read_name(const char *name, const char *store,
			     struct sfair_file *file)
{
	size_t length = strlen(store);
	uint64_t fence = 0;
	const char *at;

	if (strncmp(name, store, length) != 0)
		return false;
	at = name + length;
	*file = (struct sfair_file){.kind = SFAIR_FENCE};
	if (read_field(&at, STEP_DIGITS, &file->step)) {
		if (!read_field(&at, FENCE_DIGITS, &fence))
			return false;
		file->kind = read_random(&at) ? SFAIR_TEMP : SFAIR_SNAPSHOT;
	} else if (!read_field(&at, FENCE_DIGITS, &fence)) {
		return false;
	}
	file->fence = (uint32_t)fence;
	if (!fence || fence >= UINT32_MAX ||
	    strcmp(at, file->kind == SFAIR_FENCE  ? ".fence"
		       : file->kind == SFAIR_TEMP ? ".tmp"
						  : ".ckpt") != 0)
		return false;
	return snprintf(file->name, sizeof(file->name), "%s", name) <
	       (int)sizeof(file->name);
}

static bool folder_counts(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       !(st->st_mode & S_IWOTH);
}

bool sfair_file_counts(int folder, const char *name)
{
	struct stat st;

	return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       folder_counts(&st);
}

/* Mark a file that does not count as foreign. A fence that was removed
 * meanwhile is marked too: there is a later fence, which the next look finds.
 * Other failures show when the file is opened. */
static void folder_judge(int folder, struct sfair_file *file)
{
	struct stat st;

	if (!fstatat(folder, file->name, &st, AT_SYMLINK_NOFOLLOW)
		    ? !folder_counts(&st)
		    : errno == ENOENT && file->kind == SFAIR_FENCE)
		file->kind = SFAIR_FOREIGN;
}

static int by_step(const void *a, const void *b)
{
	const struct sfair_file *x = a, *y = b;

	return (x->step < y->step) - (x->step > y->step);
}

static int folder_add(struct sfair_files *files, const struct sfair_file *file)
{
	if (astra_grow(&files->list, &files->room, files->count + 1,
		       sizeof(*file)) < 0)
		return ENOMEM;
	files->list[files->count++] = *file;
	return 0;
}

/* Open the folder a second time. A descriptor from dup() would share its
 * reading position with other threads. */
static int open_dir(int folder, DIR **dir)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return sfair_failure();
	*dir = fdopendir(fd);
	if (*dir)
		return 0;
	close(fd);
	return ENOMEM;
}

int sfair_files_read(int folder, const char *store, struct sfair_files *files)
{
	struct sfair_file file;
	struct dirent *entry;
	DIR *dir = NULL;
	int rc;

	*files = (struct sfair_files){0};
	rc = open_dir(folder, &dir);
	while (!rc) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			rc = sfair_failure();
			break;
		}
		if (!folder_read_name(entry->d_name, store, &file))
			continue;
		folder_judge(folder, &file);
		rc = folder_add(files, &file);
	}
	if (dir)
		closedir(dir);
	if (rc)
		sfair_files_clear(files);
	else if (files->count)
		qsort(files->list, files->count, sizeof(file), by_step);
	return rc;
}

void sfair_files_clear(struct sfair_files *files)
{
	free(files->list);
	*files = (struct sfair_files){0};
}

uint32_t sfair_files_fence(const struct sfair_files *files, uint32_t below)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];

		if (file->kind == SFAIR_FENCE && file->fence > highest &&
		    file->fence < below)
			highest = file->fence;
	}
	return highest;
}

int sfair_files_free(const struct sfair_files *files, uint32_t last,
		     uint32_t *number)
{
	/* One of the next count + 1 numbers is free. */
	bool *taken = calloc(files->count + 1, sizeof(*taken));
	size_t at = 0;

	if (!taken)
		return ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];

		if (file->kind == SFAIR_FOREIGN && file->fence > last &&
		    file->fence - last <= files->count)
			taken[file->fence - last - 1] = true;
	}
	while (taken[at])
		at++;
	free(taken);
	if (at >= UINT32_MAX - 1 - last)
		return EOVERFLOW;
	*number = last + 1 + (uint32_t)at;
	return 0;
}

int sfair_file_open(int folder, const char *name, int *fd)
{
	struct stat st;
	int rc = 0;

	*fd = openat(folder, name,
		     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (*fd < 0)
		return errno == ELOOP ? ENOENT : sfair_failure();
	if (fstat(*fd, &st) < 0)
		rc = sfair_failure();
	else if (!folder_counts(&st))
		rc = ENOENT;
	if (rc)
		close(*fd);
	return rc;
}

static int check_new(int folder, const struct sfair_file *file, int fd)
{
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st) < 0)
		rc = sfair_failure();
	else if (!folder_counts(&st))
		rc = EPERM;
	if (rc) {
		close(fd);
		sfair_file_remove(folder, file);
	}
	return rc;
}

int sfair_file_create(int folder, const char *store, struct sfair_file *file,
		      int *fd)
{
	file->kind = SFAIR_TEMP;
	for (int i = 0; i < TRIES; i++) {
		sfair_file_name(file, store);
		*fd = openat(folder, file->name,
			     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (*fd >= 0)
			return check_new(folder, file, *fd);
		if (errno != EEXIST)
			return sfair_failure();
	}
	return EEXIST;
}

void sfair_file_remove(int folder, const struct sfair_file *file)
{
	(void)unlinkat(folder, file->name, 0);
}

void sfair_files_remove(int folder, const struct sfair_files *files,
			enum sfair_kind kind, uint32_t below)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];

		if (file->kind == kind && file->fence < below)
			sfair_file_remove(folder, file);
	}
}
