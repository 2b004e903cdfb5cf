/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/common/sha256.h"

#define HASHED_MAX (1 << 20) /* bytes; a larger file gets no hash */
#define CMDLINE_MAX 65536

/* Compute the hash of a file, or "" if the file is too large. Returns 0, or -1
 * with errno set. */
static int manifest_hash(int fd, off_t size, char hex[ASTRA_SHA256_HEX + 1])
{
	char *bytes;
	ssize_t got;

	*hex = '\0';
	if (size > HASHED_MAX)
		return 0;
	bytes = malloc((size_t)size + 1);
	got = bytes ? pread(fd, bytes, (size_t)size, 0) : -1;
	if (got == size)
		astra_sha256(bytes, (size_t)size, hex);
	else if (got >= 0)
		errno = EIO;
	free(bytes);
	return got == size ? 0 : -1;
}

/* Describe a file as {"size":N,"hash":HEX}. sync: first write the file to disk.
 * Returns a new object, or NULL with errno set. */
static json_t *manifest_file(int folder, const char *name, bool sync)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char hex[ASTRA_SHA256_HEX + 1];
	json_t *file = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || (sync && fsync(fd) < 0))
		goto out;
	errno = EINVAL;
	if (S_ISREG(st.st_mode) && !manifest_hash(fd, st.st_size, hex))
		file = json_pack("{s:I,s:s}", "size", (json_int_t)st.st_size,
				 "hash", hex);
out:
	close(fd);
	return file;
}

/* Describe each file in a dump's folder, which has no subfolders. Returns a new
 * object with the files by name, or NULL with err set. */
static json_t *manifest_images(const char *images, bool sync,
			       struct astra_error *err)
{
	DIR *dir = opendir(images);
	json_t *all = dir ? json_object() : NULL;
	struct dirent *entry;

	while (all && (entry = readdir(dir))) {
		json_t *file;

		if (*entry->d_name == '.')
			continue;
		file = manifest_file(dirfd(dir), entry->d_name, sync);
		if (file && !json_object_set_new(all, entry->d_name, file))
			continue;
		astra_error_set(err, "%s/%s: %s", images, entry->d_name,
				strerror(errno));
		json_decref(all);
		closedir(dir);
		return NULL;
	}
	if (!all || (sync && fsync(dirfd(dir)) < 0)) {
		astra_error_set(err, "%s: %s", images, strerror(errno));
		json_decref(all);
		all = NULL;
	}
	if (dir)
		closedir(dir);
	return all;
}

/* Write a file to disk, as it must survive a crash just like the dump. */
static void manifest_sync(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* Whether a process has opened a descriptor's file for appending. */
static bool manifest_appends(pid_t pid, const char *number)
{
	unsigned int flags = 0;
	char name[64];
	FILE *info;

	snprintf(name, sizeof(name), "/proc/%ld/fdinfo/%.20s", (long)pid,
		 number);
	info = fopen(name, "re");
	if (info && fscanf(info, "pos: %*d flags: %o", &flags) != 1)
		flags = 0;
	if (info)
		fclose(info);
	return flags & O_APPEND;
}

/* Add the files that a process has open for writing: each path with
 * {"size":N,"append":BOOL}. Returns 0, or -1 if the path of a file is
 * unknown. */
static int manifest_outputs(json_t *outputs, pid_t pid)
{
	char folder[64], path[PATH_MAX];
	struct dirent *entry;
	int rc = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%ld/fd", (long)pid);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		struct stat link, st;
		ssize_t size = readlinkat(dirfd(dir), entry->d_name, path,
					  sizeof(path) - 1);

		if (size <= 0 || *path != '/' ||
		    fstatat(dirfd(dir), entry->d_name, &link,
			    AT_SYMLINK_NOFOLLOW) < 0 ||
		    !(link.st_mode & S_IWUSR) ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) < 0 ||
		    !S_ISREG(st.st_mode) || !st.st_nlink)
			continue;
		path[size] = '\0';
		manifest_sync(dirfd(dir), entry->d_name);
		rc |= json_object_set_new(
			outputs, path,
			json_pack("{s:I,s:b}", "size", (json_int_t)st.st_size,
				  "append",
				  manifest_appends(pid, entry->d_name)));
	}
	if (dir)
		closedir(dir);
	return rc;
}

/* Describe a file that is mapped for execution as {"size":N,"mtime":S}. Returns
 * NULL if the file does not exist. */
static json_t *manifest_mapped(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	return json_pack("{s:I,s:I}", "size", (json_int_t)st.st_size, "mtime",
			 (json_int_t)st.st_mtim.tv_sec);
}

static void manifest_maps(json_t *program, pid_t pid)
{
	char name[64], mode[8], *line = NULL;
	size_t room = 0;
	int begin;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%ld/maps", (long)pid);
	maps = fopen(name, "re");
	while (maps && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		begin = 0;
		if (sscanf(line, "%*s %7s %*s %*s %*s %n", mode, &begin) == 1 &&
		    strchr(mode, 'x') && begin && line[begin] == '/' &&
		    !json_object_get(program, line + begin)) {
			json_t *file = manifest_mapped(line + begin);

			if (file)
				json_object_set_new(program, line + begin,
						    file);
		}
	}
	free(line);
	if (maps)
		fclose(maps);
}

/* Whether the file is a job's batch script. Slurm writes the script at each
 * start, perhaps to another path, but with the same text. */
static bool manifest_is_batch(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && !strcmp(name, "/slurm_script");
}

/* Add the script that an interpreter runs: the first word after its options, if
 * it names a file. A file that is open for writing is not a script. */
static void manifest_script(json_t *program, const json_t *outputs, pid_t pid)
{
	char name[64], words[CMDLINE_MAX + 1], path[PATH_MAX], cwd[PATH_MAX];
	int fd, size;
	char *word;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%ld/cmdline", (long)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : (int)read(fd, words, CMDLINE_MAX);
	if (fd >= 0)
		close(fd);
	words[size > 0 ? size : 0] = '\0';
	word = words + strlen(words) + 1;
	while (word < words + size && *word == '-')
		word += strlen(word) + 1;
	snprintf(name, sizeof(name), "/proc/%ld/cwd", (long)pid);
	n = readlink(name, cwd, sizeof(cwd) - 1);
	if (word >= words + size || n <= 0)
		return;
	cwd[n] = '\0';
	n = snprintf(path, sizeof(path), "%s%s%s", *word == '/' ? "" : cwd,
		     *word == '/' ? "" : "/", word);
	if (n < (ssize_t)sizeof(path) && !json_object_get(outputs, path) &&
	    !manifest_is_batch(path)) {
		json_t *file = manifest_file(AT_FDCWD, path, false);

		if (file)
			json_object_set_new(program, path, file);
	}
}

/* Compute the hash of a command line, or "" if memory is out. */
static void manifest_command(char *const *words, char hex[ASTRA_SHA256_HEX + 1])
{
	char *line = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&line, &size);

	*hex = '\0';
	if (!stream)
		return;
	for (; *words; words++) {
		const char *word = *words;

		if (manifest_is_batch(word))
			word = strrchr(word, '/');
		fwrite(word, 1, strlen(word) + 1, stream);
	}
	if (!fclose(stream))
		astra_sha256(line, size, hex);
	free(line);
}

json_t *agent_manifest_make(const struct agent_dumper *dumper,
			    const char *images, const pid_t *pids, long count,
			    struct astra_error *err)
{
	json_t *files = manifest_images(images, true, err), *made;
	json_t *outputs = json_object(), *program = json_object();
	char command[ASTRA_SHA256_HEX + 1];
	struct utsname host;
	int rc;

	manifest_command(dumper->words, command);
	rc = *command ? 0 : -1;
	for (long i = 0; i < count; i++)
		rc |= manifest_outputs(outputs, pids[i]);
	for (long i = 0; i < count; i++) {
		manifest_maps(program, pids[i]);
		manifest_script(program, outputs, pids[i]);
	}
	if (rc) {
		json_decref(outputs);
		outputs = NULL;
	}
	uname(&host);
	made = files ? json_pack("{s:i,s:I,s:I,s:s,s:s,s:s,s:s,s:s,s:o,s:o,"
				 "s:o}",
				 "astraea", 1, "job", (json_int_t)dumper->job,
				 "run", (json_int_t)dumper->run, "command",
				 command, "with", dumper->with, "version",
				 dumper->version, "kernel", host.release,
				 "machine", host.machine, "images", files,
				 "outputs", outputs, "program", program)
		     : NULL;
	if (files && !made)
		astra_error_set(err, "its manifest cannot be made: a name in "
				     "it is no UTF-8, or memory is out");
	return made;
}

static const char *manifest_text(const json_t *manifest, const char *key)
{
	const char *text = json_string_value(json_object_get(manifest, key));

	return text ? text : "";
}

static int manifest_same(const json_t *manifest, const char *key,
			 const char *now, struct astra_error *err)
{
	const char *then = manifest_text(manifest, key);

	if (!strcmp(then, now))
		return 0;
	return astra_error_set(err, "it is of another %s: %.100s, here %.100s",
			       key, then, now);
}

/* Check that the dump is of this command. A batch script starts again with its
 * first program, even if a later program was dumped. */
static int manifest_same_command(const json_t *manifest, char *const *words,
				 struct astra_error *err)
{
	char command[ASTRA_SHA256_HEX + 1];

	manifest_command(words, command);
	if (*command && !strcmp(manifest_text(manifest, "command"), command))
		return 0;
	return astra_error_set(err,
			       "it is of another command line than \"%.100s "
			       "...\": that must be the same in each run, and "
			       "each program of a script needs a "
			       "--checkpoint-dir of its own",
			       *words);
}

/* Check that the dump is from an earlier run of this job. A dump from this run
 * or a later one belongs to a former job with the same id. */
static int manifest_is_ours(const json_t *manifest,
			    const struct agent_dumper *dumper,
			    struct astra_error *err)
{
	json_int_t job = json_integer_value(json_object_get(manifest, "job"));
	json_int_t run = json_integer_value(json_object_get(manifest, "run"));
	struct utsname host;

	uname(&host);
	if (json_integer_value(json_object_get(manifest, "astraea")) != 1)
		return astra_error_set(err, "its manifest is none, or of "
					    "another version of sfair-agent");
	if (job != (json_int_t)dumper->job || run >= (json_int_t)dumper->run)
		return astra_error_set(
			err,
			"it is of job %lld, run %lld, and this is job %u, "
			"run %u",
			(long long)job, (long long)run, dumper->job,
			dumper->run);
	if (manifest_same_command(manifest, dumper->words, err) < 0)
		return -1;
	if (manifest_same(manifest, "with", dumper->with, err) < 0 ||
	    manifest_same(manifest, "version", dumper->version, err) < 0 ||
	    manifest_same(manifest, "machine", host.machine, err) < 0)
		return -1;
	return manifest_same(manifest, "kernel", host.release, err);
}

static int manifest_check_images(const json_t *manifest, const char *images,
				 struct astra_error *err)
{
	json_t *then = json_object_get(manifest, "images"), *now, *file;
	const char *name;
	int rc = 0;

	if (!json_object_size(then))
		return astra_error_set(err, "its manifest names no images");
	now = manifest_images(images, false, err);
	if (!now)
		return -1;
	json_object_foreach(then, name, file)
	{
		json_t *is = json_object_get(now, name);

		if (!rc && !json_equal(file, is))
			rc = astra_error_set(
				err, "it is torn: %.200s/%.100s %s", images,
				name, is ? "has changed" : "is gone");
	}
	json_decref(now);
	return rc;
}

static int manifest_check_program(const char *path, json_t *then,
				  struct astra_error *err)
{
	json_t *now;
	int rc;

	if (json_object_get(then, "hash"))
		now = manifest_file(AT_FDCWD, path, false);
	else
		now = manifest_mapped(path);
	rc = json_equal(then, now);
	json_decref(now);
	if (rc)
		return 0;
	return astra_error_set(err,
			       "it is of another version of the program: "
			       "%.300s %s",
			       path, now ? "has changed" : "is gone");
}

static int manifest_check_output(const char *path, const json_t *then,
				 struct astra_error *err)
{
	json_int_t size = json_integer_value(json_object_get(then, "size"));
	struct stat st;

	if (stat(path, &st) < 0)
		return astra_error_set(err,
				       "%.300s, which the program writes: %s",
				       path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size < size)
		return astra_error_set(err,
				       "%.300s, which the program writes, is "
				       "shorter than it was: %lld bytes, not "
				       "%lld (a job's output is kept by sbatch "
				       "--open-mode=append)",
				       path, (long long)st.st_size,
				       (long long)size);
	return 0;
}

int agent_manifest_check(const json_t *manifest,
			 const struct agent_dumper *dumper, const char *images,
			 struct astra_error *err)
{
	const char *path;
	json_t *file;

	if (manifest_is_ours(manifest, dumper, err) < 0 ||
	    manifest_check_images(manifest, images, err) < 0)
		return -1;
	json_object_foreach(json_object_get(manifest, "program"), path, file)
	{
		if (manifest_check_program(path, file, err) < 0)
			return -1;
	}
	json_object_foreach(json_object_get(manifest, "outputs"), path, file)
	{
		if (manifest_check_output(path, file, err) < 0)
			return -1;
	}
	return 0;
}

int agent_manifest_cut(const json_t *manifest, bool again,
		       struct astra_error *err)
{
	const char *path;
	json_t *file;

	json_object_foreach(json_object_get(manifest, "outputs"), path, file)
	{
		json_int_t size =
			json_integer_value(json_object_get(file, "size"));
		struct stat st;

		if (stat(path, &st) == 0 && st.st_size == size)
			continue;
		if (!again && !json_is_false(json_object_get(file, "append")))
			continue;
		if (!again)
			return astra_error_set(
				err,
				"somebody else has written %.300s since: it "
				"has %lld bytes, not %lld",
				path, (long long)st.st_size, (long long)size);
		if (truncate(path, (off_t)size) < 0)
			return astra_error_set(err, "%.300s: %s", path,
					       strerror(errno));
	}
	return 0;
}
