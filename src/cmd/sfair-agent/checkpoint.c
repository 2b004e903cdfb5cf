/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/apart.h"
#include "src/cmd/sfair-agent/program.h"
#include "src/cmd/sfair-agent/tree.h"
#include "src/common/fault.h"

#define MANIFEST "manifest"
#define SAID "said"	     /* file: last messages of the checkpoint program */
#define FAILED "failed"	     /* file: its messages about a failed dump */
#define RESTORED ".restored" /* marks a dump that was restored before */
#define SAID_MAX 4096
#define CHECK_SEC 60	/* for "check" */
#define RESTORE_SEC 600 /* for "restore" */
#define RESUME_SEC 600	/* for "resume" */
#define ANSWER_MAX 65536
#define DIRECTORY_MODE 0700 /* only the user may read a program's memory */

bool agent_checkpoint_apart(const struct agent_options *options)
{
	return options->with && !strcmp(options->with, "criu");
}

static int checkpoint_path(const struct agent_checkpoint *c, const char *name,
			   char path[PATH_MAX], struct astra_error *err)
{
	if (snprintf(path, PATH_MAX, "%s/%s", c->folder, name) < PATH_MAX)
		return 0;
	return astra_error_set(err, "%.200s...: the path is too long",
			       c->folder);
}

static int checkpoint_remove_one(const char *path, const struct stat *st,
				 int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	(void)remove(path);
	return 0;
}

static void checkpoint_remove_tree(const char *path)
{
	(void)nftw(path, checkpoint_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whether a file in the folder is left from another dump or another run. keep:
 * the name of the present dump; NULL: there is none. */
static bool checkpoint_is_left(const struct agent_checkpoint *c,
			       const char *name, const char *keep)
{
	if (!strncmp(name, "dump.", 5))
		return !keep || strcmp(name, keep) != 0;
	return !strncmp(name, "lock.", 5) && strcmp(name, c->lock) != 0;
}

/* Remove what other dumps and runs have left. keep: the name of a dump that
 * stays; NULL: none stays. */
static void checkpoint_sweep(const struct agent_checkpoint *c, const char *keep)
{
	DIR *dir = opendir(c->folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];
		struct astra_error err;

		if (!checkpoint_is_left(c, entry->d_name, keep))
			continue;
		if (!checkpoint_path(c, entry->d_name, path, &err))
			checkpoint_remove_tree(path);
	}
	if (dir)
		closedir(dir);
}

void agent_checkpoint_remove(const struct agent_checkpoint *c)
{
	checkpoint_remove_tree(c->folder);
}

static int checkpoint_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	return rc;
}

/* Make the folder of the dumps. Its parent may be writable for all users. So
 * the folder must belong to this user, as otherwise another user's processes
 * might be restored. */
static int checkpoint_make_folder(const struct agent_checkpoint *c,
				  struct astra_error *err)
{
	struct stat st;

	if (mkdir(c->folder, DIRECTORY_MODE) < 0 && errno != EEXIST)
		return astra_error_set(err, "%.300s: %s", c->folder,
				       strerror(errno));
	if (lstat(c->folder, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return astra_error_set(err,
				       "%.300s is no folder that you alone may "
				       "write to: remove it, or name another "
				       "place by --checkpoint-dir",
				       c->folder);
	return 0;
}

/* Lock the folder: two programs of a job that share a folder would restore each
 * other. The lock ends with the process. Each run has a lock file of its own,
 * because nobody frees the lock of a node that went down. */
static int checkpoint_lock(struct agent_checkpoint *c, struct astra_error *err)
{
	char path[PATH_MAX];
	int fd;

	snprintf(c->lock, sizeof(c->lock), "lock.%u", c->dumper.run);
	if (checkpoint_path(c, c->lock, path, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return astra_error_set(err, "%.300s: %s", path,
				       strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(fd);
	return astra_error_set(err,
			       "another sfair-agent of this job has its dumps "
			       "in %.300s: give each a --checkpoint-dir of its "
			       "own",
			       c->folder);
}

/* Name the folder DIR/sfair-checkpoint.JOB.STEP.TASK. */
static int checkpoint_name_folder(struct agent_checkpoint *c, const char *dir,
				  struct astra_error *err)
{
	const char *step = getenv("SLURM_STEP_ID"), *rank;
	char where[PATH_MAX];

	rank = getenv("SLURM_PROCID");
	if (!step || !*step || getenv("SLURM_BATCH_SCRIPT"))
		step = "batch";
	if (!realpath(dir ? dir : ".", where))
		return astra_error_set(err, "%.300s: %s", dir ? dir : ".",
				       strerror(errno));
	if (snprintf(c->folder, sizeof(c->folder),
		     "%s/sfair-checkpoint.%u.%.20s.%.20s", where, c->dumper.job,
		     step, rank ? rank : "0") < PATH_MAX - NAME_MAX)
		return 0;
	return astra_error_set(err, "--checkpoint-dir: the path is too long");
}

/* Open a file in the folder for error messages. Returns -1 if the file cannot
 * be opened. */
static int checkpoint_open_errors(const struct agent_checkpoint *c,
				  const char *name, int flags)
{
	char path[PATH_MAX];
	struct astra_error err;

	if (checkpoint_path(c, name, path, &err) < 0)
		return -1;
	return open(path, O_RDWR | O_CLOEXEC | flags, 0600);
}

/* Print the beginning of a file with error messages. */
static void checkpoint_print_errors(int fd)
{
	char text[SAID_MAX + 1];
	ssize_t size = pread(fd, text, SAID_MAX, 0);

	text[size > 0 ? size : 0] = '\0';
	fputs(text, stderr);
}

/* Keep the messages of a failed dump. Otherwise they are lost: restoring the
 * dump before it cuts the job's output back. */
static void checkpoint_keep_errors(const struct agent_checkpoint *c,
				   const struct astra_error *why)
{
	char said[PATH_MAX], failed[PATH_MAX];
	struct astra_error err;
	int fd = checkpoint_open_errors(c, SAID, O_CREAT | O_APPEND);

	if (fd < 0)
		return;
	dprintf(fd, "%s\n", why->text);
	close(fd);
	if (!checkpoint_path(c, SAID, said, &err) &&
	    !checkpoint_path(c, FAILED, failed, &err))
		(void)rename(said, failed);
}

/* Print the messages of the failed dump, after the dump before it was
 * restored. */
static void checkpoint_repeat_errors(const struct agent_checkpoint *c)
{
	char path[PATH_MAX];
	struct astra_error err;
	int fd = checkpoint_open_errors(c, FAILED, 0);

	if (fd < 0)
		return;
	fputs("sfair-agent: what was done since the last dump is done again, "
	      "as the next one failed:\n",
	      stderr);
	checkpoint_print_errors(fd);
	close(fd);
	if (!checkpoint_path(c, FAILED, path, &err))
		unlink(path);
}

/* Run a command of the checkpoint program. If it fails, print its error
 * messages. Returns 0 with the first line of its output, or -1 with err set. */
static int checkpoint_ask(const struct agent_checkpoint *c, const char *verb,
			  const char *folder, const char *pid, double seconds,
			  char *line, size_t room, struct astra_error *err)
{
	int errors = checkpoint_open_errors(c, SAID, O_CREAT | O_TRUNC);
	const struct agent_limits limits = {seconds, ANSWER_MAX,
					    errors < 0 ? 0 : errors};
	char *words[] = {(char *)(uintptr_t)c->program, (char *)(uintptr_t)verb,
			 (char *)(uintptr_t)folder, (char *)(uintptr_t)pid,
			 NULL};
	struct astra_error why = {""};
	char *output;
	int rc = agent_program_run(words, "", &limits, &output, &why);

	if (rc < 0 && errors >= 0)
		checkpoint_print_errors(errors);
	if (errors >= 0)
		close(errors);
	if (rc < 0)
		return astra_error_set(err, "%s: %s", verb, why.text);
	output[strcspn(output, "\n")] = '\0';
	snprintf(line, room, "%s", output);
	free(output);
	return 0;
}

/* Make an empty folder for a dump; an old folder of the same name is removed.
 * Returns 0, or -1 with err set. */
static int checkpoint_make_dump(struct agent_checkpoint *c, char name[64],
				char path[PATH_MAX], struct astra_error *err)
{
	snprintf(name, 64, "dump.%u.%u", c->dumper.run, ++c->dumps);
	if (checkpoint_path(c, name, path, err) < 0)
		return -1;
	checkpoint_remove_tree(path);
	if (mkdir(path, DIRECTORY_MODE) == 0)
		return 0;
	return astra_error_set(err, "%.300s: %s", path, strerror(errno));
}

static int checkpoint_check(struct agent_checkpoint *c, struct astra_error *err)
{
	char name[64], path[PATH_MAX];
	int rc;

	if (checkpoint_make_dump(c, name, path, err) < 0)
		return -1;
	rc = checkpoint_ask(c, "check", path, NULL, CHECK_SEC,
			    c->dumper.version, sizeof(c->dumper.version), err);
	checkpoint_remove_tree(path);
	return rc;
}

/* Check the job's output. If it goes to a file that Slurm truncates at the next
 * start, the output from before the dump is lost, and the dump cannot be
 * restored. */
static int checkpoint_check_streams(const int *streams, struct astra_error *err)
{
	struct stat st;

	for (int i = 1; i < AGENT_STDIO; i++)
		if (!fstat(streams[i], &st) && S_ISREG(st.st_mode) &&
		    !(fcntl(streams[i], F_GETFL) & O_APPEND))
			return astra_error_set(
				err, "the job's output is cut when it starts "
				     "again: sbatch --open-mode=append");
	return 0;
}

int agent_checkpoint_open(struct agent_checkpoint *c,
			  const struct agent_options *options,
			  const struct sfair_place *place, const int *streams,
			  struct astra_error *err)
{
	const char *criu = getenv("SFAIR_CRIU");

	*c = (struct agent_checkpoint){
		.dumper = {.with = options->with,
			   .job = place->job,
			   .run = place->run,
			   .words = options->words},
		.program = options->with,
		.apart = agent_checkpoint_apart(options),
	};
	if (c->apart)
		c->program = criu && *criu ? criu : ASTRA_CRIU;
	if (!place->signal)
		return astra_error_set(err, "the job has no checkpoint signal: "
					    "sbatch --signal=B:USR1@60");
	for (int i = 0; i < AGENT_STDIO; i++) {
		char link[64];
		ssize_t size;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", streams[i]);
		size = readlink(link, c->names[i], sizeof(*c->names) - 1);
		c->names[i][size > 0 ? size : 0] = '\0';
	}
	if (checkpoint_check_streams(streams, err) < 0 ||
	    checkpoint_name_folder(c, options->checkpoint_dir, err) < 0 ||
	    checkpoint_make_folder(c, err) < 0 || checkpoint_lock(c, err) < 0)
		return -1;
	return checkpoint_check(c, err);
}

/* Read the manifest. Returns 1; 0 if there is no manifest; or -1 with err
 * set. */
static int checkpoint_read(const struct agent_checkpoint *c, json_t **manifest,
			   struct astra_error *err)
{
	char path[PATH_MAX];
	json_error_t why;

	if (checkpoint_path(c, MANIFEST, path, err) < 0)
		return -1;
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	*manifest = json_load_file(path, 0, &why);
	if (*manifest)
		return 1;
	return astra_error_set(err, "%.300s: %.100s", path, why.text);
}

/* Find the folder that a manifest names. Returns 0, or -1 with err set. */
static int checkpoint_images(const struct agent_checkpoint *c,
			     const json_t *manifest, char path[PATH_MAX],
			     struct astra_error *err)
{
	const char *name = json_string_value(json_object_get(manifest, "dump"));

	if (!name || strncmp(name, "dump.", 5) != 0 || strchr(name, '/'))
		return astra_error_set(err, "its manifest names no dump");
	return checkpoint_path(c, name, path, err);
}

/* Duplicate the job's streams for the checkpoint program, and put the numbers
 * of the descriptors into SFAIR_STREAMS. */
static void checkpoint_offer_streams(const int *streams, int *offered)
{
	char text[64];

	for (int i = 0; i < AGENT_STDIO; i++)
		offered[i] = fcntl(streams[i], F_DUPFD, 3);
	snprintf(text, sizeof(text), "%d %d %d", offered[0], offered[1],
		 offered[2]);
	setenv("SFAIR_STREAMS", text, 1);
}

/* Whether the process is a child of this process. Of any other process the
 * agent would never learn the end. */
static bool checkpoint_is_child(long pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
	       0;
}

static int checkpoint_run_restore(const struct agent_checkpoint *c,
				  const int *streams, const char *images,
				  long last_pid, pid_t *pid,
				  struct astra_error *err)
{
	int offered[AGENT_STDIO], rc;
	char line[64], *end;
	long number;

	if (c->apart)
		agent_apart_skip_pids(last_pid);
	checkpoint_offer_streams(streams, offered);
	rc = checkpoint_ask(c, "restore", images, NULL, RESTORE_SEC, line,
			    sizeof(line), err);
	for (int i = 0; i < AGENT_STDIO; i++)
		close(offered[i]);
	if (rc < 0)
		return -1;
	number = strtol(line, &end, 10);
	if (number <= 1 || *end || !checkpoint_is_child(number))
		return astra_error_set(err,
				       "restore: %s prints \"%s\", which is "
				       "no process that sfair-agent is the "
				       "parent of",
				       c->program, line);
	*pid = (pid_t)number;
	return 0;
}

/* Cut the output files back to their sizes at the dump. If the dump was
 * restored before, that run has written the rest of the files; otherwise
 * another program has. Mark the dump as restored. */
static int checkpoint_cut(const json_t *manifest, const char *images,
			  struct astra_error *err)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%.4000s/" RESTORED, images);
	if (agent_manifest_cut(manifest, !access(path, F_OK), err) < 0)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && !close(fd) && !checkpoint_sync(images))
		return 0;
	return astra_error_set(err, "%.300s: %s", path, strerror(errno));
}

int agent_checkpoint_restore(struct agent_checkpoint *c, const int *streams,
			     pid_t *pid, struct astra_error *err)
{
	struct astra_error why = {""};
	char images[PATH_MAX];
	json_t *manifest = NULL;
	int rc = checkpoint_read(c, &manifest, &why);

	if (!rc) {
		checkpoint_sweep(c, NULL);
		return 0;
	}
	if (rc > 0 &&
	    (checkpoint_images(c, manifest, images, &why) < 0 ||
	     agent_manifest_check(manifest, &c->dumper, images, &why) < 0 ||
	     checkpoint_cut(manifest, images, &why) < 0 ||
	     checkpoint_run_restore(
		     c, streams, images,
		     json_integer_value(json_object_get(manifest, "last_pid")),
		     pid, &why) < 0))
		rc = -1;
	if (rc < 0) {
		astra_error_set(err,
				"the dump in %.200s is not restored: %s. "
				"Remove it to have the program begin anew",
				c->folder, why.text);
		agent_checkpoint_kill();
	} else {
		checkpoint_repeat_errors(c);
	}
	json_decref(manifest);
	return rc;
}

/* Replace the manifest atomically by the new one. From then on the new dump
 * counts, even if the folder cannot be synced. */
static int checkpoint_commit(const struct agent_checkpoint *c,
			     const json_t *manifest, struct astra_error *err)
{
	char path[PATH_MAX], fresh[PATH_MAX];

	if (checkpoint_path(c, MANIFEST, path, err) < 0 ||
	    checkpoint_path(c, MANIFEST ".new", fresh, err) < 0)
		return -1;
	if (json_dump_file(manifest, fresh, JSON_INDENT(1)) < 0 ||
	    checkpoint_sync(fresh) < 0 || rename(fresh, path) < 0)
		return astra_error_set(err, "%.300s: %s", path,
				       strerror(errno));
	(void)checkpoint_sync(c->folder);
	return 0;
}

static void checkpoint_signal(const pid_t *pids, long count, int signal)
{
	for (long i = 0; i < count; i++)
		kill(pids[i], signal);
}

/* Write the manifest of a dump, and remove the dump before it. The processes
 * are stopped, so their files do not change after the dump. */
static int checkpoint_complete(struct agent_checkpoint *c, const char *name,
			       const char *images, const pid_t *pids,
			       long count, struct astra_error *err)
{
	json_t *manifest, *before = NULL;
	int rc;

	manifest = agent_manifest_make(&c->dumper, images, pids, count, err);
	if (!manifest)
		return -1;
	json_object_set_new(manifest, "dump", json_string(name));
	json_object_set_new(manifest, "last_pid",
			    json_integer(agent_apart_last_pid()));
	rc = checkpoint_read(c, &before, err) < 0 ? -1 : 0;
	if (before && json_integer_value(json_object_get(before, "run")) >
			      (json_int_t)c->dumper.run)
		rc = astra_error_set(err, "a later run of the job has dumped "
					  "already");
	if (!rc)
		rc = checkpoint_commit(c, manifest, err);
	json_decref(before);
	json_decref(manifest);
	if (!rc)
		checkpoint_sweep(c, name);
	return rc;
}

/* Write the names of the streams to a file, for the program that restores the
 * dump. */
static int checkpoint_write_names(const struct agent_checkpoint *c,
				  const char *images, struct astra_error *err)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%.4000s/streams", images);
	file = fopen(path, "we");
	for (int i = 0; file && i < AGENT_STDIO; i++)
		fprintf(file, "%s\n", c->names[i]);
	if (file && !fclose(file))
		return 0;
	return astra_error_set(err, "%.300s: %s", path, strerror(errno));
}

/* Let the checkpoint program undo its changes to the processes, which go on.
 * Their dump is complete, but it does not count. */
static void checkpoint_resume(const struct agent_checkpoint *c,
			      const char *images, const char *pid)
{
	struct astra_error why = {""};
	char line[8];

	(void)checkpoint_ask(c, "resume", images, pid, RESUME_SEC, line,
			     sizeof(line), &why);
}

int agent_checkpoint_dump(struct agent_checkpoint *c, pid_t pid, double seconds,
			  bool *lost, struct astra_error *err)
{
	char name[64], images[PATH_MAX], number[24], line[8];
	bool dumped = false;
	pid_t *pids = NULL;
	long count = 0;
	int rc;

	*lost = false;
	snprintf(number, sizeof(number), "%ld", (long)pid);
	if (checkpoint_make_dump(c, name, images, err) < 0)
		return -1;
	rc = checkpoint_write_names(c, images, err);
	if (!rc) {
		rc = checkpoint_ask(c, "dump", images, number, seconds, line,
				    sizeof(line), err);
		*lost = rc && strstr(err->text, "was killed");
		count = agent_tree(getpid(), &pids);
	}
	if (!rc) {
		dumped = true;
		checkpoint_signal(pids, count, SIGSTOP);
		rc = checkpoint_complete(c, name, images, pids, count, err);
	}
	if (rc) {
		checkpoint_keep_errors(c, err);
		checkpoint_signal(pids, count, SIGCONT);
		if (dumped)
			checkpoint_resume(c, images, number);
		checkpoint_remove_tree(images);
	}
	free(pids);
	return rc;
}

void agent_checkpoint_kill(void)
{
	pid_t *pids;
	long count = agent_tree(getpid(), &pids);

	checkpoint_signal(pids, count, SIGKILL);
	free(pids);
}
