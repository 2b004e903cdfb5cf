/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/lineage.h"
#include "src/client/snapshot.h"

#define TRIES 100 /* while other processes open and save */

static int read_fence(const struct sfair_lineage *l, uint32_t number,
		      struct sfair_fence *fence)
{
	struct sfair_file file = {.kind = SFAIR_FENCE, .fence = number};
	char text[SFAIR_FENCE_SIZE];
	ssize_t n;
	int fd, rc;

	sfair_file_name(&file, l->name);
	rc = sfair_file_open(l->folder, file.name, &fd);
	if (rc)
		return rc;
	n = pread(fd, text, sizeof(text), 0);
	rc = n < 0 ? sfair_failure() : 0;
	close(fd);
	if (!rc && sfair_fence_read(text, (size_t)n, fence) < 0)
		rc = EBADMSG;
	return rc;
}

static void note_newest(struct sfair_lineage *l,
			const struct sfair_files *files)
{
	for (size_t i = 0; i < files->count && !l->any; i++) {
		const struct sfair_file *file = &files->list[i];

		l->any = file->kind == SFAIR_SNAPSHOT &&
			 file->fence == l->number;
		l->newest = file->step;
	}
}

/* Link the snapshots that count under fence `from` as snapshots of this fence,
 * and set the base. Returns 0 or an errno: ENOENT if another process has
 * removed a snapshot meanwhile, EAGAIN if another process has replaced one. */
static int claim_adopt(struct sfair_lineage *l, const struct sfair_files *files,
		       uint32_t from, const struct sfair_fence *before)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];
		struct sfair_file own = *file;
		int rc;

		if (file->kind != SFAIR_SNAPSHOT || file->fence != from)
			continue;
		rc = sfair_lineage_check(l, file, before);
		if (rc == EBADMSG || rc == ESTALE || rc == EIO)
			continue;
		if (rc)
			return rc;
		own.fence = l->number;
		sfair_file_name(&own, l->name);
		if (linkat(l->folder, file->name, l->folder, own.name, 0) < 0 &&
		    errno != EEXIST)
			return sfair_failure();
		if (!sfair_file_counts(l->folder, own.name))
			return EAGAIN; /* another process exchanged the file */
		if (!l->fence.has_base || file->step > l->fence.base)
			l->fence.base = file->step;
		l->fence.has_base = true;
	}
	return sfair_sync(l->folder);
}

static bool claim_is_same(int folder, const char *name, int fd)
{
	struct stat a, b;

	return !fstatat(folder, name, &a, AT_SYMLINK_NOFOLLOW) &&
	       !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Put up the fence. Returns 0 or an errno; EEXIST if another process has put up
 * one with this number. */
static int put_up(const struct sfair_lineage *l)
{
	struct sfair_file temp = {.fence = l->number}, own = temp;
	char text[SFAIR_FENCE_SIZE];
	int fd, rc = sfair_file_create(l->folder, l->name, &temp, &fd);

	if (rc)
		return rc;
	own.kind = SFAIR_FENCE;
	sfair_file_name(&own, l->name);
	rc = sfair_write_all(fd, text, sfair_fence_write(&l->fence, text));
	if (!rc)
		rc = sfair_sync(fd);
	if (!rc && linkat(l->folder, temp.name, l->folder, own.name, 0) < 0)
		rc = sfair_failure();
	/* On NFS, link() may return EEXIST although it has made the link. */
	if (!rc || rc == EEXIST)
		rc = claim_is_same(l->folder, own.name, fd) ? 0 : EEXIST;
	close(fd);
	sfair_file_remove(l->folder, &temp);
	return rc ? rc : sfair_sync(l->folder);
}

/* Try once to claim the store. Returns EAGAIN if another process was faster. */
static int claim(struct sfair_lineage *l, const struct sfair_files *files)
{
	uint32_t last = sfair_files_fence(files, UINT32_MAX);
	struct sfair_fence before = {0};
	int rc;

	l->number = last;
	rc = last ? read_fence(l, last, &before) : 0;
	if (rc)
		return rc == ENOENT ? EAGAIN : rc;
	l->fence = before;
	l->any = false;
	note_newest(l, files);
	if (!l->owner.job && !l->writes)
		return 0;
	switch (last ? sfair_fence_claim(&before, l->owner) : SFAIR_CLAIM_NEW) {
	case SFAIR_CLAIM_STALE:
		return ESTALE;
	case SFAIR_CLAIM_JOIN:
		return 0;
	case SFAIR_CLAIM_NEW:
		break;
	}
	rc = sfair_files_free(files, last, &l->number);
	if (rc)
		return rc;
	l->fence.has_base = false;
	sfair_fence_pass(&l->fence, l->owner);
	rc = claim_adopt(l, files, last, &before);
	l->any = l->fence.has_base;
	l->newest = l->fence.base;
	if (!rc)
		rc = put_up(l);
	return rc == ENOENT || rc == EEXIST ? EAGAIN : rc;
}

/* Try once, and check that the new fence is still the newest: another process
 * may have changed the folder while it was listed. */
static int try_claim(struct sfair_lineage *l, bool *full)
{
	struct sfair_files files;
	int rc = sfair_files_read(l->folder, l->name, &files);

	if (rc)
		return rc;
	rc = claim(l, &files);
	if (!rc && sfair_lineage_look(l) == ESTALE)
		rc = EAGAIN;
	if (!rc && l->writes) {
		sfair_lineage_clean(l, &files);
		sfair_files_remove(l->folder, &files, SFAIR_TEMP,
				   l->number + 1);
	} else if ((rc == ENOSPC || rc == EDQUOT) && l->writes && !*full) {
		/* A run that was killed may have left a large temporary
		 * file. */
		sfair_files_remove(l->folder, &files, SFAIR_TEMP, l->number);
		*full = true;
		rc = EAGAIN;
	}
	sfair_files_clear(&files);
	return rc;
}

int sfair_lineage_claim(struct sfair_lineage *l)
{
	bool full = false;
	int rc = EAGAIN;

	for (int i = 0; rc == EAGAIN && i < TRIES; i++)
		rc = try_claim(l, &full);
	return rc;
}

static int explain_open(const struct sfair_lineage *l, const char *folder,
			int rc, struct astra_error *err)
{
	switch (rc) {
	case 0:
		return 0;
	case ESTALE:
		return sfair_lineage_stale(err, l->name);
	case EBADMSG:
		astra_error_set(err,
				"%s/%s.%010u.fence is damaged; if no run of "
				"it is left, remove it",
				folder, l->name, l->number);
		return rc;
	default:
		return sfair_lineage_explain(err, folder, NULL, rc);
	}
}

int sfair_lineage_open(struct sfair_lineage *l, const char *folder,
		       const char *name, struct sfair_owner owner, bool writes,
		       struct astra_error *err)
{
	int rc;

	*l = (struct sfair_lineage){.owner = owner, .writes = writes};
	if (!sfair_name_valid(name)) {
		astra_error_set(err,
				"a store's name has up to %d letters, digits "
				"and . _ + -, the first one a letter or digit",
				SFAIR_NAME_SIZE - 1);
		return EINVAL;
	}
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->folder < 0)
		return sfair_lineage_explain(err, folder, NULL,
					     sfair_failure());
	l->path = strdup(folder);
	rc = l->path ? sfair_lineage_claim(l) : ENOMEM;
	if (rc)
		sfair_lineage_close(l);
	return explain_open(l, folder, rc, err);
}

void sfair_lineage_close(struct sfair_lineage *l)
{
	close(l->folder);
	free(l->path);
}
