/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a replayed job is: a script that sleeps as long as it has work left,
 * goes on after a checkpoint, and writes down what it did and when. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cmd/sfairsim/replay.h"

/* job LOG MILLISECONDS. Lines of the log: "begin TIME" and "end TIME WORK",
 * times in microseconds, work in milliseconds. */
static const char script[] =
	"#!/bin/bash\n"
	"export LC_ALL=C\n"
	"log=$1 left=$2 begin=${EPOCHREALTIME/./}\n"
	"while read -r what _ work; do\n"
	"\t[[ $what != end ]] || left=$((left - work))\n"
	"done 2>/dev/null <\"$log\"\n"
	"finish() {\n"
	"\tlocal now=${EPOCHREALTIME/./}\n"
	"\techo \"end $now ${1:-$(((now - begin) / 1000))}\" >>\"$log\"\n"
	"}\n"
	"trap 'kill $!; finish; exit 85' USR1\n"
	"echo \"begin $begin\" >>\"$log\"\n"
	"((left > 0)) || left=0\n"
	"printf -v sec '%d.%03d' $((left / 1000)) $((left % 1000))\n"
	"sleep \"$sec\" &\n"
	"wait $!\n"
	"trap '' USR1\n"
	"finish \"$left\"\n";

int replay_folder_path(const struct replay *r, const char *name, char *path,
		       size_t size, struct astra_error *err)
{
	if ((size_t)snprintf(path, size, "%s/%s", r->folder, name) < size)
		return 0;
	return astra_error_set(err, "%s: the name is too long", r->folder);
}

static int write_script(const struct replay *r, struct astra_error *err)
{
	char path[PATH_MAX];
	FILE *file;
	int rc = 0;

	if (replay_folder_path(r, "job", path, sizeof(path), err) < 0)
		return -1;
	file = fopen(path, "we");
	if (!file)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	if (fputs(script, file) < 0 || fchmod(fileno(file), 0755) < 0)
		rc = -1;
	if (fclose(file) != 0 || rc < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	return 0;
}

int replay_folder_make(struct replay *r, struct astra_error *err)
{
	const char *parent = r->args->folder ? r->args->folder : ".";
	char path[PATH_MAX - 32];
	char *real = realpath(parent, NULL);
	int used;

	if (!real)
		return astra_error_set(err, "%s: %s", parent, strerror(errno));
	used = snprintf(path, sizeof(path), "%s/sfairsim-replay.XXXXXX", real);
	free(real);
	if (used >= (int)sizeof(path))
		return astra_error_set(err, "%s: the name is too long", parent);
	if (!mkdtemp(path))
		return astra_error_set(err, "%s: %s", parent, strerror(errno));
	memcpy(r->folder, path, (size_t)used + 1);
	return write_script(r, err);
}

void replay_folder_remove(struct replay *r)
{
	char path[PATH_MAX];
	DIR *dir = *r->folder ? opendir(r->folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' &&
		    replay_folder_path(r, entry->d_name, path, sizeof(path),
				       NULL) == 0)
			unlink(path);
	if (dir)
		closedir(dir);
	if (*r->folder)
		rmdir(r->folder);
	*r->folder = '\0';
}

/* One job's log. A run that was killed has no end, and did no work that is
 * kept. */
static void read_log(struct replay *r, FILE *file, struct replay_job *job,
		     double duration_sec)
{
	char line[256];

	job->work_sec = job->last_sec = 0;
	job->runs = 0;
	job->end_sec = -1;
	while (fgets(line, sizeof(line), file)) {
		double usec, work_msec;

		if (sscanf(line, "begin %lf", &usec) == 1) {
			job->runs++;
			job->last_sec = 0;
		}
		if (sscanf(line, "end %lf %lf", &usec, &work_msec) != 2)
			continue;
		job->last_sec = work_msec / 1e3;
		job->work_sec += job->last_sec;
		if (job->work_sec >= duration_sec - 1e-3)
			job->end_sec = usec / 1e6 - r->begin_unix;
	}
}

int replay_read_logs(struct replay *r, struct astra_error *err)
{
	for (uint32_t i = 0; i < r->setup->trace.job_count; i++) {
		char name[32], path[PATH_MAX];
		FILE *file;

		snprintf(name, sizeof(name), "%u.log", i);
		if (replay_folder_path(r, name, path, sizeof(path), err) < 0)
			return -1;
		file = fopen(path, "re");
		if (file) {
			read_log(r, file, &r->jobs[i],
				 r->setup->trace.jobs[i].duration_sec);
			fclose(file);
		}
		if (r->jobs[i].end_sec < 0)
			return astra_error_set(
				err,
				"job %s (line %u of %s), Slurm's job %u, ended without having done its work",
				r->setup->trace.jobs[i].name,
				r->setup->trace.jobs[i].line,
				r->setup->trace.source, r->jobs[i].id);
	}
	return 0;
}
