/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/snapshot.h"

#define TRIES 100 /* while others open and save */

static int explain(struct astra_error *err, const char *what, int rc)
{
	astra_error_set(err, "%s: %s", what, strerror(rc));
	return rc;
}

static int stale(struct astra_error *err, const char *name)
{
	astra_error_set(err, "store %s: another run has taken this one's place",
			name);
	return ESTALE;
}

static int create_temp(const struct sfair_lineage *l, struct sfair_file *temp,
		       int *fd)
{
	temp->kind = SFAIR_TEMP;
	for (int i = 0; i < TRIES; i++) {
		sfair_file_name(temp, l->name);
		*fd = openat(l->folder, temp->name,
			     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*fd >= 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* A pipe in its place does not hang us. */
static int open_file(const struct sfair_lineage *l, const char *name, int *fd)
{
	*fd = openat(l->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return *fd < 0 ? errno : 0;
}

static void remove_file(const struct sfair_lineage *l,
			const struct sfair_file *file)
{
	(void)unlinkat(l->folder, file->name, 0);
}

/* Whether a snapshot counts, as far as its head tells: it is written under the
 * fence that its name tells, or one before, up to the base. */
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

static int check_file(const struct sfair_lineage *l,
		      const struct sfair_file *file,
		      const struct sfair_fence *fence)
{
	struct sfair_snapshot head;
	int fd, rc = open_file(l, file->name, &fd);

	if (rc)
		return rc;
	rc = check_head(fd, file, fence, &head);
	close(fd);
	return rc;
}

static int read_fence(const struct sfair_lineage *l, uint32_t number,
		      struct sfair_fence *fence)
{
	struct sfair_file file = {.kind = SFAIR_FENCE, .fence = number};
	char text[SFAIR_FENCE_SIZE];
	ssize_t n;
	int fd, rc;

	sfair_file_name(&file, l->name);
	rc = open_file(l, file.name, &fd);
	if (rc)
		return rc;
	n = pread(fd, text, sizeof(text), 0);
	rc = n < 0 ? errno : 0;
	close(fd);
	if (!rc && sfair_fence_read(text, (size_t)n, fence) < 0)
		rc = EBADMSG;
	return rc;
}

/* Link what counts under fence `from` as this fence's own, and set the base.
 * ENOENT: somebody has removed it meanwhile. */
static int adopt(struct sfair_lineage *l, const struct sfair_files *files,
		 uint32_t from, const struct sfair_fence *before)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];
		struct sfair_file own = *file;
		int rc;

		if (file->kind != SFAIR_SNAPSHOT || file->fence != from)
			continue;
		rc = check_file(l, file, before);
		if (rc == EBADMSG || rc == ESTALE || rc == EIO)
			continue;
		if (rc)
			return rc;
		own.fence = l->number;
		sfair_file_name(&own, l->name);
		if (linkat(l->folder, file->name, l->folder, own.name, 0) < 0 &&
		    errno != EEXIST)
			return errno;
		if (!l->fence.has_base || file->step > l->fence.base)
			l->fence.base = file->step;
		l->fence.has_base = true;
	}
	return sfair_sync(l->folder);
}

/* EEXIST: another process has put it up. */
static int put_up(const struct sfair_lineage *l)
{
	struct sfair_file temp = {.fence = l->number}, own = temp;
	char text[SFAIR_FENCE_SIZE];
	struct stat st;
	int fd, rc = create_temp(l, &temp, &fd);

	if (rc)
		return rc;
	own.kind = SFAIR_FENCE;
	sfair_file_name(&own, l->name);
	rc = sfair_write_all(fd, text, sfair_fence_write(&l->fence, text));
	if (!rc)
		rc = sfair_sync(fd);
	if (!rc && linkat(l->folder, temp.name, l->folder, own.name, 0) < 0) {
		rc = errno;
		/* NFS may have done it, and say that when asked again. */
		if (rc == EEXIST && !fstat(fd, &st) && st.st_nlink == 2)
			rc = 0;
	}
	close(fd);
	remove_file(l, &temp);
	return rc ? rc : sfair_sync(l->folder);
}

static void remove_below(const struct sfair_lineage *l,
			 const struct sfair_files *files, enum sfair_kind kind,
			 uint32_t below)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct sfair_file *file = &files->list[i];

		if (file->kind == kind && file->fence < below)
			remove_file(l, file);
	}
}

/* What runs before left behind. The last fence before stays, so that who lists
 * the folder just now sees one of the two. */
static void clean(const struct sfair_lineage *l,
		  const struct sfair_files *files)
{
	remove_below(l, files, SFAIR_SNAPSHOT, l->number);
	remove_below(l, files, SFAIR_TEMP, l->number);
	remove_below(l, files, SFAIR_FENCE, l->number - 1);
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

/* One try. EAGAIN: somebody else was faster. */
static int claim(struct sfair_lineage *l, const struct sfair_files *files)
{
	uint32_t last = sfair_files_fence(files);
	struct sfair_fence before = {0};
	int rc = last ? read_fence(l, last, &before) : 0;

	if (rc)
		return rc == ENOENT ? EAGAIN : rc;
	l->number = last;
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
	if (last >= UINT32_MAX - 1)
		return EOVERFLOW;
	l->number = last + 1;
	l->fence.has_base = false;
	sfair_fence_pass(&l->fence, l->owner);
	rc = adopt(l, files, last, &before);
	l->any = l->fence.has_base;
	l->newest = l->fence.base;
	if (!rc)
		rc = put_up(l);
	return rc == ENOENT || rc == EEXIST ? EAGAIN : rc;
}

/* Whether another run has put up its fence. */
static int look(const struct sfair_lineage *l)
{
	struct sfair_files files;
	int rc = sfair_files_read(l->folder, l->name, &files);

	if (!rc && sfair_files_fence(&files) > l->number)
		rc = ESTALE;
	sfair_files_clear(&files);
	return rc;
}

/* One that was just put up counts if it is still the newest: the folder may
 * have changed while it was listed. */
static int try_claim(struct sfair_lineage *l, bool *full)
{
	struct sfair_files files;
	int rc = sfair_files_read(l->folder, l->name, &files);

	if (rc)
		return rc;
	rc = claim(l, &files);
	if (!rc && look(l) == ESTALE)
		rc = EAGAIN;
	if (!rc && l->writes) {
		clean(l, &files);
		remove_below(l, &files, SFAIR_TEMP, l->number + 1);
	} else if ((rc == ENOSPC || rc == EDQUOT) && l->writes && !*full) {
		/* A run that was killed may have left a large one. */
		remove_below(l, &files, SFAIR_TEMP, l->number);
		*full = true;
		rc = EAGAIN;
	}
	sfair_files_clear(&files);
	return rc;
}

static int claim_one(struct sfair_lineage *l)
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
		return stale(err, l->name);
	case EBADMSG:
		astra_error_set(err,
				"%s/%s.%010u.fence is damaged; if no run of "
				"it is left, remove it",
				folder, l->name, l->number);
		return rc;
	case EPERM:
	case EOPNOTSUPP:
	case EMLINK:
		astra_error_set(err, "%s: a store needs hard links: %s", folder,
				strerror(rc));
		return rc;
	default:
		return explain(err, folder, rc);
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
		return explain(err, folder, errno);
	rc = claim_one(l);
	if (rc)
		close(l->folder);
	return explain_open(l, folder, rc, err);
}

void sfair_lineage_close(struct sfair_lineage *l)
{
	close(l->folder);
}

static int load_file(const struct sfair_lineage *l,
		     const struct sfair_file *file, void **data, size_t *size)
{
	struct sfair_snapshot head;
	int fd, rc = open_file(l, file->name, &fd);

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

int sfair_lineage_load(struct sfair_lineage *l, void **data, size_t *size,
		       uint64_t *step, struct astra_error *err)
{
	struct sfair_files files;
	int rc = l->owner.job || l->writes ? 0 : claim_one(l);

	if (!rc)
		rc = sfair_files_read(l->folder, l->name, &files);
	if (rc)
		return explain(err, l->name, rc);
	rc = ENOENT;
	for (size_t i = 0; rc && i < files.count; i++) {
		const struct sfair_file *file = &files.list[i];

		if (file->kind != SFAIR_SNAPSHOT || file->fence != l->number)
			continue;
		rc = load_file(l, file, data, size);
		*step = file->step;
		if (rc && rc != ESTALE && rc != ENOENT)
			astra_error_add(err, "%s: %s", file->name,
					rc == EBADMSG ? "damaged"
						      : strerror(rc));
		if (rc && rc != ESTALE && rc != ENOENT && rc != EBADMSG &&
		    rc != EIO)
			break;
		if (rc)
			rc = ENOENT;
	}
	sfair_files_clear(&files);
	return rc;
}

/* Remove all of this fence but the newest up to this step, and what is left
 * of those before. */
static void prune(const struct sfair_lineage *l, uint64_t step, unsigned keep)
{
	struct sfair_files files;
	unsigned kept = 0;

	if (sfair_files_read(l->folder, l->name, &files))
		return; /* the next time */
	if (sfair_files_fence(&files) == l->number)
		clean(l, &files);
	for (size_t i = 0; i < files.count; i++) {
		const struct sfair_file *file = &files.list[i];

		if (file->kind != SFAIR_SNAPSHOT || file->fence != l->number)
			continue;
		if (file->step <= step && kept < keep &&
		    !check_file(l, file, &l->fence))
			kept++;
		else
			remove_file(l, file);
	}
	sfair_files_clear(&files);
}

/* Write the temporary file; it is removed where that fails. */
static int write_temp(const struct sfair_lineage *l, struct sfair_file *temp,
		      const void *data, size_t size)
{
	struct sfair_snapshot head = {
		.fence = l->number,
		.step = temp->step,
		.size = size,
	};
	int fd, rc = create_temp(l, temp, &fd);

	if (rc)
		return rc;
	rc = sfair_snapshot_write(fd, &head, data);
	if (close(fd) < 0 && !rc)
		rc = errno;
	if (rc)
		remove_file(l, temp);
	return rc;
}

int sfair_lineage_save(struct sfair_lineage *l, uint64_t step, const void *data,
		       size_t size, unsigned keep, struct astra_error *err)
{
	struct sfair_file temp = {.step = step, .fence = l->number}, own = temp;
	int rc = look(l);

	if (!rc)
		rc = write_temp(l, &temp, data, size);
	if (!rc) {
		own.kind = SFAIR_SNAPSHOT;
		sfair_file_name(&own, l->name);
		rc = look(l);
		if (!rc &&
		    renameat(l->folder, temp.name, l->folder, own.name) < 0)
			rc = errno;
		if (rc)
			remove_file(l, &temp);
	}
	if (!rc)
		rc = sfair_sync(l->folder);
	if (!rc)
		rc = look(l);
	if (!rc)
		prune(l, step, keep);
	if (rc == ESTALE)
		return stale(err, l->name);
	return rc ? explain(err, own.name, rc) : 0;
}
