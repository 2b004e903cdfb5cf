/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/config_scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The next key=value of a line. Returns what follows it, or NULL at the end.
 * What is no pair is given as a key with the value NULL. */
static char *next_pair(char *at, char **key, char **value)
{
	char *end;

	while (isspace((unsigned char) *at))
		at++;
	if (!*at || *at == '#')
		return NULL;
	*key = at;
	*value = NULL;
	while (*at && !isspace((unsigned char) *at) && *at != '=')
		at++;
	end = at;
	while (isspace((unsigned char) *at))
		at++;
	if (*at != '=') {
		if (*end)
			*end++ = '\0';
		return end;
	}
	*end = '\0';
	at++;
	while (isspace((unsigned char) *at))
		at++;
	*value = at;
	if (*at == '"') {
		*value = ++at;
		while (*at && *at != '"')
			at++;
	} else {
		while (*at && !isspace((unsigned char) *at) && *at != '#')
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

/* Call each(key, value, first, line) for all pairs until it returns nonzero.
 * Returns that, 0 at the end of the file, or -1 when it can't be read. */
struct scan {
	const char *path;
	const char *key, *value;
	bool (*known)(const char *first, const char *key);
	struct astra_error *err;
	int *found;
};

typedef int each_fn(const struct scan *s, const char *first, const char *key,
		    const char *value, int line);

static int scan_line(const struct scan *s, each_fn *each, char *text, int line)
{
	char first[64] = "", *key, *value;
	char *at = text;

	while ((at = next_pair(at, &key, &value))) {
		int rc;

		if (!*first)
			snprintf(first, sizeof(first), "%s", key);
		rc = each(s, first, key, value, line);
		if (rc)
			return rc;
	}
	return 0;
}

static int scan_file(const struct scan *s, each_fn *each)
{
	FILE *file = fopen(s->path, "re");
	char *text = NULL;
	size_t room = 0;
	int rc = 0;

	if (!file)
		return -1;
	for (int line = 1; !rc && getline(&text, &room, file) >= 0; line++)
		rc = scan_line(s, each, text, line);
	free(text);
	fclose(file);
	return rc;
}

static int match(const struct scan *s, const char *first, const char *key,
		 const char *value, int line)
{
	(void) first;
	if (!strcasecmp(key, s->key) && value && !strcmp(value, s->value))
		*s->found = line;
	return 0;
}

int astra_conf_line(const char *path, const char *key, const char *value)
{
	int line = 0;
	struct scan s = {
		.path = path,
		.key = key,
		.value = value,
		.found = &line,
	};

	(void) scan_file(&s, match);
	return line;
}

static int check(const struct scan *s, const char *first, const char *key,
		 const char *value, int line)
{
	if (!strcasecmp(key, "Include") && !value)
		return 0;
	if (!strcasecmp(first, "Include"))
		return 0;
	if (!value || !*value)
		return astra_error_set(s->err, "%s: line %d: \"%s\" has no "
					       "value",
				       s->path, line, key);
	if (!s->known(first, key))
		return astra_error_set(s->err, "%s: line %d: %s=%s: there is "
					       "no such key%s%s",
				       s->path, line, key, value,
				       strcasecmp(first, key) ?
					       " on a line of " : "",
				       strcasecmp(first, key) ? first : "");
	return 0;
}

int astra_conf_check_keys(const char *path,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err)
{
	struct scan s = { .path = path, .known = known, .err = err };

	errno = 0;
	if (scan_file(&s, check) == 0)
		return 0;
	if (errno == ENOENT || errno == EACCES)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	return -1;
}
