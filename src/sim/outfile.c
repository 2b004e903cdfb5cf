/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/common/grow.h"

#define DOOMED_MAX 8 /* more files than one command writes */

/* The temporary files that a fatal signal removes. */
static char *volatile doomed[DOOMED_MAX];

static void die(int number)
{
	for (size_t i = 0; i < DOOMED_MAX; i++)
		if (doomed[i])
			unlink(doomed[i]);
	raise(number); /* SA_RESETHAND: this ends the process when the handler
			* returns */
}

static void mind_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
	const struct sigaction action = {
		.sa_handler = die,
		.sa_flags = (int)SA_RESETHAND,
	};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

/* Adds temp to the files that a fatal signal removes (yes), or takes it out.
 * temp must live until it is taken out. */
static void doom(char *temp, bool yes)
{
	for (size_t i = 0; i < DOOMED_MAX; i++)
		if (doomed[i] == (yes ? NULL : temp)) {
			doomed[i] = yes ? temp : NULL;
			return;
		}
}

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Resolves symbolic links. Returns the path, to be freed, or NULL. */
static char *real_place(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

/* Whether to write in place: an existing path that is not a regular file, such
 * as /dev/stdout, cannot be replaced. */
static bool in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int astra_outfile_check(const char *path, struct astra_error *err)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	char *folder;
	int rc;

	if (is_stdout(path))
		return 0;
	if (!*path)
		return astra_error_set(err, "an output file has no name");
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return astra_error_set(err, "%s: %s", path, strerror(EISDIR));
	if (in_place(path))
		return 0;
	folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!folder)
		return astra_error_nomem(err);
	rc = access(folder, W_OK | X_OK);
	free(folder);
	if (rc < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	return 0;
}

static void outfile_drop(struct astra_outfile *f)
{
	if (f->file && f->file != stdout)
		fclose(f->file);
	if (f->temp) {
		unlink(f->temp);
		doom(f->temp, false);
	}
	free(f->path);
	free(f->temp);
	*f = (struct astra_outfile){0};
}

/* Opens a new file. O_EXCL keeps it from following a link that someone made. */
static FILE *open_temp(struct astra_outfile *f)
{
	char *temp;
	FILE *file;
	int fd;

	if (asprintf(&temp, "%s.%ld.tmp", f->path, (long)getpid()) < 0)
		return NULL;
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		free(temp);
		return NULL;
	}
	mind_signals();
	doom(temp, true);
	f->temp = temp;
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}

FILE *astra_outfiles_open(struct astra_outfiles *files, const char *path,
			  struct astra_error *err)
{
	struct astra_outfile f = {0};

	if (astra_outfile_check(path, err) < 0)
		return NULL;
	f.path = real_place(path);
	if (!f.path || astra_grow(&files->files, &files->room, files->count + 1,
				  sizeof(f)) < 0) {
		free(f.path);
		astra_error_nomem(err);
		return NULL;
	}
	errno = 0;
	if (is_stdout(path))
		f.file = stdout;
	else
		f.file = in_place(f.path) ? fopen(f.path, "we") : open_temp(&f);
	if (!f.file) {
		astra_error_set(err, "%s: %s", path, strerror(errno));
		outfile_drop(&f);
		return NULL;
	}
	files->files[files->count++] = f;
	return f.file;
}

static int outfile_complete(struct astra_outfile *f, struct astra_error *err)
{
	FILE *file = f->file;
	bool bad = fflush(file) != 0 || ferror(file);

	if (file != stdout) {
		f->file = NULL;
		bad = fclose(file) != 0 || bad;
	}
	if (bad)
		return astra_error_set(err, "%s: %s", f->path,
				       strerror(errno ? errno : EIO));
	return 0;
}

static int put_in_place(struct astra_outfile *f, struct astra_error *err)
{
	if (!f->temp)
		return 0;
	if (rename(f->temp, f->path) < 0)
		return astra_error_set(err, "%s: %s", f->path, strerror(errno));
	doom(f->temp, false);
	free(f->temp);
	f->temp = NULL;
	return 0;
}

int astra_outfiles_commit(struct astra_outfiles *files, struct astra_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < files->count; i++)
		rc = outfile_complete(&files->files[i], err);
	for (size_t i = 0; !rc && i < files->count; i++)
		rc = put_in_place(&files->files[i], err);
	astra_outfiles_clear(files);
	return rc;
}

void astra_outfiles_clear(struct astra_outfiles *files)
{
	for (size_t i = 0; i < files->count; i++)
		outfile_drop(&files->files[i]);
	free(files->files);
	*files = (struct astra_outfiles){0};
}
