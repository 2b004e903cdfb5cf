/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/store/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "src/common/fault.h"
#include "src/store/shared_name.h"

#define MAGIC UINT32_C(0x41535452) /* "ASTR" */
#define FORMAT UINT32_C(1)
#define SIZE_MAX_BYTES (UINT64_C(1) << 32)

struct header {
	uint32_t magic;
	uint32_t format;
	uint64_t size;
	uint32_t crc; /* of the fields above and the data */
	uint32_t zero;
};

static uint32_t state_file_checksum(const struct header *h, const void *data,
				    size_t size)
{
	uLong crc =
		crc32(0, (const Bytef *)h, (uInt)offsetof(struct header, crc));

	return (uint32_t)crc32_z(crc, data, size);
}

static int state_file_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Syncs a file's folder, which makes a rename durable. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash)
		return;
	*slash = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

static int write_new(const char *path, const struct header *h, const void *data,
		     size_t size, bool sync)
{
	int fd, rc;

	(void)unlink(path); /* O_EXCL needs an unused name */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	rc = state_file_write_all(fd, h, sizeof(*h)) < 0 ||
			     state_file_write_all(fd, data, size) < 0 ||
			     (sync && fsync(fd) < 0)
		     ? -1
		     : 0;
	if (close(fd) < 0)
		rc = -1;
	return rc;
}

/* Makes NAME.old a link to the present file. If the present file is missing, as
 * after damage, the old backup stays: it is the only copy until the new file is
 * in place. If the file system has no links, there is no backup. */
static int back_up(const char *path, const char *old)
{
	if (access(path, F_OK) < 0)
		return 0;
	(void)unlink(old);
	ASTRA_FAULT("state.unlinked");
	if (link(path, old) < 0 && errno != EPERM && errno != EOPNOTSUPP)
		return -1;
	return 0;
}

int astra_state_write(const char *path, const void *data, size_t size,
		      unsigned flags, struct astra_error *err)
{
	struct header h = {.magic = MAGIC, .format = FORMAT, .size = size};
	char fresh[PATH_MAX], old[PATH_MAX];

	ASTRA_FAULT("state.write");
	h.crc = state_file_checksum(&h, data, size);
	if (snprintf(fresh, sizeof(fresh), "%s.new", path) >= PATH_MAX ||
	    snprintf(old, sizeof(old), "%s.old", path) >= PATH_MAX)
		return astra_error_set(err, "%s: the path is too long", path);
	if (write_new(fresh, &h, data, size, flags & ASTRA_STATE_SYNC) < 0) {
		astra_error_set(err, "%s: %s", fresh, strerror(errno));
		(void)unlink(fresh);
		return -1;
	}
	ASTRA_FAULT("state.written");
	if ((flags & ASTRA_STATE_KEEP) && back_up(path, old) < 0)
		return astra_error_set(err, "%s: %s", old, strerror(errno));
	ASTRA_FAULT("state.linked");
	if (rename(fresh, path) < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	ASTRA_FAULT("state.renamed");
	if (flags & ASTRA_STATE_SYNC)
		sync_folder(path);
	return 0;
}

static int state_file_read_all(int fd, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int read_checked(int fd, const char *path, void **data, size_t *size,
			struct astra_error *err)
{
	struct header h;
	struct stat st;
	void *body;

	if (fstat(fd, &st) < 0 || state_file_read_all(fd, &h, sizeof(h)) < 0 ||
	    h.magic != MAGIC)
		return astra_error_set(err, "%s: not a state file of Astraea",
				       path);
	if (h.format != FORMAT)
		return astra_error_set(err,
				       "%s: format %u, this release "
				       "reads %u",
				       path, h.format, FORMAT);
	if (h.size > SIZE_MAX_BYTES ||
	    (uint64_t)st.st_size != sizeof(h) + h.size)
		return astra_error_set(err, "%s: truncated", path);
	body = malloc(h.size ? (size_t)h.size : 1);
	if (!body)
		return astra_error_nomem(err);
	if (state_file_read_all(fd, body, (size_t)h.size) < 0 ||
	    state_file_checksum(&h, body, (size_t)h.size) != h.crc) {
		free(body);
		return astra_error_set(err,
				       "%s: damaged, its checksum does "
				       "not match",
				       path);
	}
	*data = body;
	*size = (size_t)h.size;
	return 0;
}

static int read_one(const char *path, void **data, size_t *size,
		    struct astra_error *err)
{
	/* O_NONBLOCK: a pipe of that name must not block slurmctld. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc;

	*data = NULL;
	*size = 0;
	if (fd < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	rc = read_checked(fd, path, data, size, err);
	close(fd);
	return rc;
}

int astra_state_keep(const char *path)
{
	char kept[PATH_MAX];

	if (snprintf(kept, sizeof(kept), "%s.kept", path) >= PATH_MAX)
		return -1;
	/* rename() cannot replace a file by a folder, nor a folder by a
	 * file. */
	if (rename(path, kept) < 0 &&
	    ((errno != ENOTDIR && errno != EISDIR) || remove(kept) < 0 ||
	     rename(path, kept) < 0))
		return -1;
	sync_folder(path);
	return 0;
}

int astra_state_read(const char *path, void **data, size_t *size,
		     bool *fallback, struct astra_error *err)
{
	char old[PATH_MAX];

	*fallback = false;
	*data = NULL;
	*size = 0;
	if (snprintf(old, sizeof(old), "%s.old", path) >= PATH_MAX)
		return astra_error_set(err, "%s: the path is too long", path);
	if (access(path, F_OK) < 0 && access(old, F_OK) < 0)
		return 0;
	if (!read_one(path, data, size, err))
		return 0;
	if (read_one(old, data, size, NULL) < 0)
		return -1;
	*fallback = true;
	return 0;
}

int astra_state_read_old(const char *path, void **data, size_t *size,
			 struct astra_error *err)
{
	char old[PATH_MAX];

	*data = NULL;
	*size = 0;
	if (snprintf(old, sizeof(old), "%s.old", path) >= PATH_MAX)
		return astra_error_set(err, "%s: the path is too long", path);
	return read_one(old, data, size, err);
}

/* Identifies the state file that could not be replaced; all zeros: no file. */
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

/* Whether the file belongs to this user. Anybody can make a file there, but
 * nobody else can replace ours. */
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
