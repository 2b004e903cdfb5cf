/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second scan of astraea.conf: Slurm's parser gives neither line nor value
 * of what it refuses, so the file is scanned for keys before, and for the line
 * of a key and value after. Pure but for reading the file.
 */
#ifndef ASTRA_CONF_SCAN_H
#define ASTRA_CONF_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "src/common/error.h"

/* Open a file for reading; what is no file, as a pipe, keeps nobody waiting.
 * Returns NULL with err set; the caller closes. */
FILE *astra_conf_open(const char *path, struct astra_error *err);

/* Write the file to another, with the text of the files that it includes in
 * the place of their names. Returns 0, or -1 with err set. */
int astra_conf_copy(const char *path, FILE *to, struct astra_error *err);

struct astra_place {
	char file[256]; /* cut where it is longer */
	int line;	/* from 1; 0: not found */
};

/* Find the last line with key=value, in the file and those that it includes:
 * of two that contradict each other that is the later one. */
void astra_conf_place(const char *path, const char *key, const char *value,
		      struct astra_place *out);

/* Whether every key of the file, and of those that it includes, is one that
 * known() accepts.
 * first: the line's first key, e.g. "Pool"; the same as key for the first.
 * Returns 0, or -1 with err naming file, line, key and value. */
int astra_conf_check_keys(const char *path,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err);

/* The same of one key=value that is in no file; value: NULL: it has none. */
int astra_conf_check_pair(const char *first, const char *key, const char *value,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err);

/* One key=value. Texts are gone when each() returns. */
struct astra_conf_pair {
	const char *path;
	int line;	   /* from 1 */
	const char *first; /* the line's first key */
	const char *key, *value;
};

/* Call each() for every key=value of the file and of those that it includes, in
 * their order, until it returns nonzero. Keys are to be checked before.
 * Returns what each() did, 0 at the end, or -1 with err set. */
int astra_conf_each(const char *path,
		    int (*each)(void *arg, const struct astra_conf_pair *pair,
				struct astra_error *err),
		    void *arg, struct astra_error *err);

#endif
