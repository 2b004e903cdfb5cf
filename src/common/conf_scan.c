/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/conf_scan.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define INCLUDES_MAX 8 /* depth of nested includes */

/* Find the next key=value in a line. Returns what follows it, or NULL at the
 * end. A word without "=" is returned as a key with the value NULL. */
static char *next_pair(char *at, char **key, char **value)
{
	char *end;

	while (isspace((unsigned char)*at))
		at++;
	if (!*at || *at == '#')
		return NULL;
	*key = at;
	*value = NULL;
	while (*at && !isspace((unsigned char)*at) && *at != '=')
		at++;
	end = at;
	while (isspace((unsigned char)*at))
		at++;
	if (*at != '=') {
		if (*end)
			*end++ = '\0';
		return end;
	}
	*end = '\0';
	at++;
	while (isspace((unsigned char)*at))
		at++;
	*value = at;
	if (*at == '"') {
		*value = ++at;
		while (*at && *at != '"')
			at++;
	} else {
		while (*at && !isspace((unsigned char)*at) && *at != '#')
			at++;
	}
	end = at;
	if (*at == '#')
		at += strlen(at);
	else if (*at)
		at++;
	*end = '\0';
	return at;
}

#define FIRST_MAX 64

/* A scan. It calls each(key, value, first, line) for all pairs, those of
 * included files too, until each() returns nonzero. */
struct scan {
	const char *path;
	const char *key, *value;
	bool (*known)(const char *first, const char *key);
	struct astra_error *err;
	struct astra_place *found;
	int (*give)(void *arg, const struct astra_conf_pair *pair,
		    struct astra_error *err);
	void *arg;
	FILE *copy; /* gets all lines that do not have an Include */
	int depth;
	int (*each)(const struct scan *s, const char *first, const char *key,
		    const char *value, int line); /* may be NULL */
};

static int conf_scan_follow(const struct scan *s, const char *text, int line,
			    bool *named);

/* Scan a line. first: the line's first key, "" until there is one. */
static int scan_line(const struct scan *s, char *text, char first[FIRST_MAX],
		     int line)
{
	char *at = text, *key, *value;

	while ((at = next_pair(at, &key, &value))) {
		int rc;

		if (!*first)
			snprintf(first, FIRST_MAX, "%s", key);
		rc = s->each(s, first, key, value, line);
		if (rc)
			return rc;
	}
	return 0;
}

/* Whether the line continues in the next one. If so, the backslash at its end
 * is removed. */
static bool conf_scan_goes_on(char *text)
{
	size_t length = strlen(text);

	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (!length || text[length - 1] != '\\' || strchr(text, '#'))
		return false;
	text[length - 1] = '\0';
	return true;
}

/* Copy a line. The last line of a file may lack its newline. */
static void copy_line(FILE *to, const char *text)
{
	size_t length = strlen(text);

	fputs(text, to);
	if (!length || text[length - 1] != '\n')
		fputc('\n', to);
}

/* Scan the lines of a file. Returns what each() did, or 0 at the end. */
static int scan_lines(const struct scan *s, FILE *file)
{
	char *text = NULL, first[FIRST_MAX];
	bool within = false;
	size_t room = 0;
	int rc = 0;

	for (int line = 1; !rc && getline(&text, &room, file) >= 0; line++) {
		bool named = false;

		if (!within)
			*first = '\0';
		if (!within)
			rc = conf_scan_follow(s, text, line, &named);
		if (s->copy && !named)
			copy_line(s->copy, text);
		within = conf_scan_goes_on(text);
		if (!rc && s->each)
			rc = scan_line(s, text, first, line);
	}
	free(text);
	return rc;
}

int astra_conf_check_pair(const char *first, const char *key, const char *value,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err)
{
	if (!value || !*value)
		return astra_error_set(err, "\"%s\" has no value", key);
	if (!known(first, key))
		return astra_error_set(
			err, "%s=%s: there is no such key%s%s", key, value,
			strcasecmp(first, key) ? " on a line of " : "",
			strcasecmp(first, key) ? first : "");
	return 0;
}

static int conf_scan_check(const struct scan *s, const char *first,
			   const char *key, const char *value, int line)
{
	struct astra_error why = {""};

	if (!strcasecmp(key, "Include") && !value)
		return 0;
	if (!strcasecmp(first, "Include") ||
	    !astra_conf_check_pair(first, key, value, s->known, &why))
		return 0;
	return astra_error_set(s->err, "%s: line %d: %s", s->path, line,
			       why.text);
}

FILE *astra_conf_open(const char *path, struct astra_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *file = NULL;

	if (fd < 0 || fstat(fd, &st) < 0)
		astra_error_set(err, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		astra_error_set(err, "%s: not a file", path);
	else if (!(file = fdopen(fd, "r")))
		astra_error_nomem(err);
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Scan a file, and refuse what Slurm's parser cannot deal with. That parser
 * waits a minute for a missing file and for ever for a pipe. Files that include
 * each other make it crash. */
static int conf_scan_file(const struct scan *s)
{
	FILE *file = astra_conf_open(s->path, s->err);
	int rc;

	if (!file)
		return -1;
	rc = scan_lines(s, file);
	fclose(file);
	return rc;
}

/* Return the name in "Include NAME" as Slurm's parser takes it, for free(). */
static char *included(const struct scan *s, const char *text)
{
	const char *slash = strrchr(s->path, '/');
	char *path = NULL;
	int length;

	if (strncasecmp(text, "include", 7) || !isspace((unsigned char)text[7]))
		return NULL;
	text += 7 + strspn(text + 7, " \t");
	length = (int)strcspn(text, " \t\r\n#");
	if (!length)
		return NULL;
	if (*text == '/' || !slash)
		return strndup(text, (size_t)length);
	if (asprintf(&path, "%.*s/%.*s", (int)(slash - s->path), s->path,
		     length, text) < 0)
		return NULL;
	return path;
}

/* Follow an Include. named: set to whether the line was an Include. */
static int conf_scan_follow(const struct scan *s, const char *text, int line,
			    bool *named)
{
	char *path = included(s, text);
	struct scan inner = *s;
	int rc;

	*named = path != NULL;
	if (!path)
		return 0;
	inner.path = path;
	inner.depth++;
	if (inner.depth > INCLUDES_MAX)
		rc = astra_error_set(s->err,
				     "%s: line %d: Include=%s: more "
				     "than %d files within each other",
				     s->path, line, path, INCLUDES_MAX);
	else if (!strpbrk(text, "\r\n"))
		rc = astra_error_set(s->err,
				     "%s: line %d: Include=%s: the "
				     "line has no end",
				     s->path, line, path);
	else
		rc = conf_scan_file(&inner);
	free(path);
	return rc;
}

int astra_conf_check_keys(const char *path,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err)
{
	struct scan s = {
		.path = path,
		.known = known,
		.err = err,
		.each = conf_scan_check,
	};

	return conf_scan_file(&s);
}

static int conf_scan_match(const struct scan *s, const char *first,
			   const char *key, const char *value, int line)
{
	(void)first;
	if (!strcasecmp(key, s->key) && value && !strcmp(value, s->value)) {
		snprintf(s->found->file, sizeof(s->found->file), "%s", s->path);
		s->found->line = line;
	}
	return 0;
}

void astra_conf_place(const char *path, const char *key, const char *value,
		      struct astra_place *out)
{
	struct scan s = {
		.path = path,
		.key = key,
		.value = value,
		.found = out,
		.each = conf_scan_match,
	};

	snprintf(out->file, sizeof(out->file), "%s", path);
	out->line = 0;
	(void)conf_scan_file(&s);
}

static int conf_scan_give(const struct scan *s, const char *first,
			  const char *key, const char *value, int line)
{
	const struct astra_conf_pair pair = {
		.path = s->path,
		.line = line,
		.first = first,
		.key = key,
		.value = value,
	};

	return value ? s->give(s->arg, &pair, s->err) : 0;
}

int astra_conf_each(const char *path,
		    int (*each)(void *arg, const struct astra_conf_pair *pair,
				struct astra_error *err),
		    void *arg, struct astra_error *err)
{
	struct scan s = {
		.path = path,
		.give = each,
		.arg = arg,
		.err = err,
		.each = conf_scan_give,
	};

	return conf_scan_file(&s);
}

int astra_conf_copy(const char *path, FILE *to, struct astra_error *err)
{
	struct scan s = {
		.path = path,
		.copy = to,
		.err = err,
	};

	return conf_scan_file(&s);
}
