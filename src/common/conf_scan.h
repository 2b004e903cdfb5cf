/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second scan of astraea.conf. When Slurm's parser refuses a file, it gives
 * neither the line nor the value. So the file is first scanned for keys, and
 * after an error it is scanned for the line of a key and value. Pure except for
 * reading the file. */
#ifndef ASTRA_CONF_SCAN_H
#define ASTRA_CONF_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "src/common/error.h"

/* Open a file for reading. Does not wait for something else than a file, such
 * as a pipe. Returns NULL with err set. The caller closes the file. */
FILE *astra_conf_open(const char *path, struct astra_error *err);

/* Copy the file, with the text of included files in place of their names.
 * Returns 0, or -1 with err set. */
int astra_conf_copy(const char *path, FILE *to, struct astra_error *err);

struct astra_place {
	char file[256]; /* cut if longer */
	int line;	/* from 1; 0: not found */
};

/* Find the last line with key=value, in the file and the files it includes. If
 * two lines contradict each other, that is the later one. */
void astra_conf_place(const char *path, const char *key, const char *value,
		      struct astra_place *out);

/* Check that known() accepts every key of the file and of the files it
 * includes. first: the line's first key, e.g. "Pool"; for the first key itself,
 * the same as key. Returns 0, or -1 with err naming file, line, key and
 * value. */
int astra_conf_check_keys(const char *path,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err);

/* Check one key=value that does not come from a file. value: NULL: none. */
int astra_conf_check_pair(const char *first, const char *key, const char *value,
			  bool (*known)(const char *first, const char *key),
			  struct astra_error *err);

/* One key=value. Its texts are valid until each() returns. */
struct astra_conf_pair {
	const char *path;
	int line;	   /* from 1 */
	const char *first; /* the line's first key */
	const char *key, *value;
};

/* Call each() for every key=value of the file and the files it includes, in
 * order, until each() returns nonzero. Call astra_conf_check_keys() before
 * this. Returns what each() returned, 0 at the end, or -1 with err set. */
int astra_conf_each(const char *path,
		    int (*each)(void *arg, const struct astra_conf_pair *pair,
				struct astra_error *err),
		    void *arg, struct astra_error *err);

#endif
