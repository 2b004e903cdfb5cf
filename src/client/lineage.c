/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/lineage.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/snapshot.h"

#define TITLE "sfair fence 1\n"

enum sfair_claim sfair_fence_claim(const struct sfair_fence *fence,
				   struct sfair_owner owner)
{
	if (!owner.job)
		return SFAIR_CLAIM_NEW;
	for (unsigned i = 0; i < fence->count; i++) {
		const struct sfair_owner *o = &fence->owners[i];

		if (o->job != owner.job || o->run < owner.run)
			continue;
		return o->run == owner.run && i + 1 == fence->count
			       ? SFAIR_CLAIM_JOIN
			       : SFAIR_CLAIM_STALE;
	}
	return SFAIR_CLAIM_NEW;
}

void sfair_fence_pass(struct sfair_fence *fence, struct sfair_owner owner)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < fence->count; i++)
		if (fence->owners[i].job && fence->owners[i].job != owner.job)
			fence->owners[kept++] = fence->owners[i];
	if (kept == SFAIR_OWNERS) {
		memmove(fence->owners, fence->owners + 1,
			--kept * sizeof(owner));
	}
	fence->owners[kept++] = owner;
	fence->count = kept;
}

size_t sfair_fence_write(const struct sfair_fence *fence,
			 char text[SFAIR_FENCE_SIZE])
{
	int at = snprintf(text, SFAIR_FENCE_SIZE, TITLE "base ");
	size_t room = SFAIR_FENCE_SIZE;

	if (fence->has_base)
		at += snprintf(text + at, room - (size_t)at, "%" PRIu64 "\n",
			       fence->base);
	else
		at += snprintf(text + at, room - (size_t)at, "none\n");
	for (unsigned i = 0; i < fence->count; i++)
		at += snprintf(text + at, room - (size_t)at,
			       "owner %" PRIu32 " %" PRIu32 "\n",
			       fence->owners[i].job, fence->owners[i].run);
	at += snprintf(text + at, room - (size_t)at, "crc %08" PRIx32 "\n",
		       sfair_crc(0, text, (size_t)at));
	return (size_t)at;
}

/* Read a number that is written without sign and blanks. */
static int fence_read_number(const char **at, char end, uint64_t most,
			     uint64_t *out)
{
	unsigned long long value;
	char *stop;

	if (!isdigit((unsigned char)**at))
		return -1;
	value = strtoull(*at, &stop, 10);
	if (*stop != end || value > most)
		return -1;
	*out = value;
	*at = stop + 1;
	return 0;
}

static bool fence_skip(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

static int fence_read_owner(const char **at, struct sfair_fence *fence)
{
	uint64_t job, run;

	if (fence->count == SFAIR_OWNERS ||
	    fence_read_number(at, ' ', UINT32_MAX, &job) < 0 ||
	    fence_read_number(at, '\n', UINT32_MAX, &run) < 0)
		return -1;
	fence->owners[fence->count++] =
		(struct sfair_owner){(uint32_t)job, (uint32_t)run};
	return 0;
}

/* Reads a fence's text, and writes it again to compare the checksum. */
int sfair_fence_read(const char *text, size_t size, struct sfair_fence *fence)
{
	char again[SFAIR_FENCE_SIZE], copy[SFAIR_FENCE_SIZE];
	struct sfair_fence read = {0};
	const char *at = copy;

	if (size >= sizeof(copy))
		return -1;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (!fence_skip(&at, TITLE "base "))
		return -1;
	if (!fence_skip(&at, "none\n")) {
		read.has_base = true;
		if (fence_read_number(&at, '\n', UINT64_MAX, &read.base) < 0)
			return -1;
	}
	while (fence_skip(&at, "owner "))
		if (fence_read_owner(&at, &read) < 0)
			return -1;
	if (!read.count || sfair_fence_write(&read, again) != size ||
	    memcmp(again, copy, size) != 0)
		return -1;
	*fence = read;
	return 0;
}

#define TRIES 100 /* while other processes open and save */

static const char *remedy(int rc)
{
	switch (rc) {
	case EACCES:
		return "; who runs it must be able to read and write there";
	case EROFS:
		return "; a run writes there: make it writable, or choose "
		       "another folder";
	case ENOSPC:
	case EDQUOT:
		return "; make room and try again, what was saved before stays";
	case EPERM:
	case EOPNOTSUPP:
	case EMLINK:
		return "; a store needs hard links, and files that belong to "
		       "who creates them and that not everybody may write to";
	default:
		return "";
	}
}

int sfair_lineage_explain(struct astra_error *err, const char *folder,
			  const char *file, int rc)
{
	astra_error_set(err, "%s%s%s: %s%s", folder, file ? "/" : "",
			file ? file : "", strerror(rc), remedy(rc));
	return rc;
}

int sfair_lineage_stale(struct astra_error *err, const char *name)
{
	astra_error_set(err, "store %s: another run has taken this one's place",
			name);
	return ESTALE;
}

/* Check whether a snapshot counts, as far as its head tells. It counts if it
 * was written under the fence in its name, or under an earlier one and at most
 * up to the base. Returns 0, ESTALE if it does not count, EBADMSG if it is
 * damaged, or another errno. */
static int check_head(int fd, const struct sfair_file *file,
		      const struct sfair_fence *fence,
		      struct sfair_snapshot *head)
{
	int rc = sfair_snapshot_head(fd, head);

	if (rc)
		return rc;
	if (head->step != file->step || head->fence > file->fence)
		return EBADMSG;
	if (head->fence < file->fence &&
	    (!fence->has_base || head->step > fence->base))
		return ESTALE;
	return 0;
}

int sfair_lineage_check(const struct sfair_lineage *l,
			const struct sfair_file *file,
			const struct sfair_fence *fence)
{
	struct sfair_snapshot head;
	int fd, rc = sfair_file_open(l->folder, file->name, &fd);

	if (rc)
		return rc;
	rc = check_head(fd, file, fence, &head);
	close(fd);
	return rc;
}

int sfair_lineage_look(const struct sfair_lineage *l)
{
	struct sfair_files files;
	int rc = sfair_files_read(l->folder, l->name, &files);

	if (!rc && sfair_files_fence(&files, UINT32_MAX) > l->number)
		rc = ESTALE;
	sfair_files_clear(&files);
	return rc;
}

void sfair_lineage_clean(const struct sfair_lineage *l,
			 const struct sfair_files *files)
{
	sfair_files_remove(l->folder, files, SFAIR_SNAPSHOT, l->number);
	sfair_files_remove(l->folder, files, SFAIR_TEMP, l->number);
	sfair_files_remove(l->folder, files, SFAIR_FENCE,
			   sfair_files_fence(files, l->number));
}

static int load_file(const struct sfair_lineage *l,
		     const struct sfair_file *file, void **data, size_t *size)
{
	struct sfair_snapshot head;
	int fd, rc = sfair_file_open(l->folder, file->name, &fd);

	if (rc)
		return rc;
	rc = check_head(fd, file, &l->fence, &head);
	if (!rc)
		rc = sfair_snapshot_data(fd, &head, data);
	if (!rc)
		*size = (size_t)head.size;
	close(fd);
	return rc;
}

static void tell_ignored(const struct sfair_files *files,
			 struct astra_error *err)
{
	const char *first = NULL;
	unsigned count = 0;

	for (size_t i = files->count; i--;) {
		if (files->list[i].kind != SFAIR_FOREIGN)
			continue;
		first = files->list[i].name;
		count++;
	}
	if (count)
		astra_error_add(err,
				"%u files are ignored, since they are not of "
				"this user or everybody may write to them, "
				"such as %s",
				count, first);
}

/* Try once to load the newest snapshot. *missed: set to whether another process
 * removed a snapshot meanwhile. */
static int load_newest(const struct sfair_lineage *l, void **data, size_t *size,
		       uint64_t *step, bool *missed, struct astra_error *err)
{
	struct sfair_files files;
	int rc = sfair_files_read(l->folder, l->name, &files);

	if (rc)
		return sfair_lineage_explain(err, l->path, NULL, rc);
	*missed = false;
	rc = ENOENT;
	for (size_t i = 0; i < files.count && rc == ENOENT; i++) {
		const struct sfair_file *file = &files.list[i];

		if (file->kind != SFAIR_SNAPSHOT || file->fence != l->number)
			continue;
		rc = load_file(l, file, data, size);
		if (!rc)
			*step = file->step;
		*missed |= rc == ENOENT;
		if (rc && rc != ESTALE && rc != ENOENT)
			astra_error_add(err, "%s: %s", file->name,
					rc == EBADMSG ? "damaged"
						      : strerror(rc));
		if (rc == ESTALE || rc == EBADMSG || rc == EIO)
			rc = ENOENT;
	}
	if (rc == ENOENT)
		tell_ignored(&files, err);
	sfair_files_clear(&files);
	return rc;
}

int sfair_lineage_load(struct sfair_lineage *l, void **data, size_t *size,
		       uint64_t *step, struct astra_error *err)
{
	bool follows = !l->owner.job && !l->writes, missed = true;
	int rc = ENOENT;

	for (int i = 0; rc == ENOENT && missed && i < TRIES; i++) {
		*err = (struct astra_error){""};
		rc = follows ? sfair_lineage_claim(l) : 0;
		if (rc)
			return sfair_lineage_explain(err, l->path, NULL, rc);
		rc = load_newest(l, data, size, step, &missed, err);
		if (rc != ENOENT || sfair_lineage_look(l) != ESTALE)
			continue;
		if (!follows)
			return sfair_lineage_stale(err, l->name);
		missed = true; /* the next run has removed all snapshots */
	}
	return rc;
}

/* Remove this fence's snapshots except the newest `keep` up to this step, and
 * what earlier runs left behind. */
static void lineage_prune(const struct sfair_lineage *l, uint64_t step,
			  unsigned keep)
{
	struct sfair_files files;
	unsigned kept = 0;

	if (sfair_files_read(l->folder, l->name, &files))
		return; /* the next save removes them */
	if (sfair_files_fence(&files, UINT32_MAX) == l->number)
		sfair_lineage_clean(l, &files);
	for (size_t i = 0; i < files.count; i++) {
		const struct sfair_file *file = &files.list[i];

		if (file->kind != SFAIR_SNAPSHOT || file->fence != l->number)
			continue;
		if (file->step <= step && kept < keep &&
		    !sfair_lineage_check(l, file, &l->fence))
			kept++;
		else
			sfair_file_remove(l->folder, file);
	}
	sfair_files_clear(&files);
}

static int write_temp(const struct sfair_lineage *l, int fd, uint64_t step,
		      const void *data, size_t size)
{
	struct sfair_snapshot head = {
		.fence = l->number,
		.step = step,
		.size = size,
	};
	int rc = sfair_snapshot_write(fd, &head, data);

	if (close(fd) < 0 && !rc)
		rc = sfair_failure();
	return rc ? rc : sfair_lineage_look(l);
}

/* Write a snapshot, without removing older ones. */
static int lineage_write_file(const struct sfair_lineage *l,
			      const struct sfair_file *file, const void *data,
			      size_t size)
{
	struct sfair_file temp = *file;
	int fd, rc = sfair_lineage_look(l);

	if (!rc)
		rc = sfair_file_create(l->folder, l->name, &temp, &fd);
	if (rc)
		return rc;
	rc = write_temp(l, fd, file->step, data, size);
	if (!rc && renameat(l->folder, temp.name, l->folder, file->name) < 0)
		rc = sfair_failure();
	if (rc) {
		sfair_file_remove(l->folder, &temp);
		return rc;
	}
	rc = sfair_sync(l->folder);
	return rc ? rc : sfair_lineage_look(l);
}

int sfair_lineage_save(struct sfair_lineage *l, uint64_t step, const void *data,
		       size_t size, unsigned keep, struct astra_error *err)
{
	struct sfair_file file = {
		.kind = SFAIR_SNAPSHOT,
		.step = step,
		.fence = l->number,
	};
	int rc;

	sfair_file_name(&file, l->name);
	rc = lineage_write_file(l, &file, data, size);
	/* If another run has taken this one's place, that run also removes this
	 * run's temporary files. */
	if (rc == ESTALE || (rc && sfair_lineage_look(l) == ESTALE))
		return sfair_lineage_stale(err, l->name);
	if (rc)
		return sfair_lineage_explain(err, l->path, file.name, rc);
	lineage_prune(l, step, keep);
	return 0;
}
