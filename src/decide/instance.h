/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a JSON instance field by field. Every error names the field by its
 * path, as in "jobs[3].gpus", and says what is allowed there.
 *
 * A field that is null counts as absent. An absent field is an error when it
 * is required; when it is optional, `out` keeps the default that the caller
 * put there. All functions return 0, or -1 with the reader's err set.
 */
#ifndef ASTRA_INSTANCE_H
#define ASTRA_INSTANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* Beyond these, sums of integrals would no longer be exact to 1e-9. */
#define ASTRA_IN_TIME_MAX 1e12
#define ASTRA_IN_WEIGHT_MAX 1e12
#define ASTRA_IN_GPUS_MAX 100000000

enum astra_need { ASTRA_OPTIONAL, ASTRA_REQUIRED };

/* One object of the instance, and where it is. */
struct astra_in {
	const json_t *object;
	char path[64]; /* "" for the whole, else e.g. "jobs[3]" */
	struct astra_error *err;
};

/* Fail with "path.key: text". key: may be NULL. Returns -1. */
int astra_in_fail(const struct astra_in *in, const char *key, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

/* A number from min to max. */
int astra_in_number(const struct astra_in *in, const char *key,
		    enum astra_need need, double min, double max, double *out);

/* A whole number from 0 to max; 3.0 is one, 3.5 is not. */
int astra_in_whole(const struct astra_in *in, const char *key,
		   enum astra_need need, uint32_t max, uint32_t *out);

int astra_in_bool(const struct astra_in *in, const char *key, bool *out);

/* One of the words of a NULL-terminated list; out: its index. */
int astra_in_word(const struct astra_in *in, const char *key,
		  const char *const *words, size_t *out);

/* The same of a value that is there. name: its path below in->path. */
int astra_in_word_value(const struct astra_in *in, const char *name,
			const json_t *value, const char *const *words,
			size_t *out);

/* An identifier: a string or an integer; borrowed from the instance. */
int astra_in_id(const struct astra_in *in, const char *key, const json_t **out);

/* An array; borrowed. Absent and optional: NULL, which has size 0. */
int astra_in_array(const struct astra_in *in, const char *key,
		   enum astra_need need, const json_t **out);

/* Element `index` of the array `key`, which must be an object. */
int astra_in_element(const struct astra_in *in, const char *key,
		     const json_t *array, size_t index, struct astra_in *out);

/* A field that is an object. */
int astra_in_object(const struct astra_in *in, const char *key,
		    struct astra_in *out);

/* An array of objects, each of which becomes an element of `size` bytes.
 * json: the array, borrowed. elements: zeroed, free with free(); for none it is
 *   not NULL either. */
int astra_in_objects(const struct astra_in *in, const char *key,
		     enum astra_need need, size_t size, const json_t **json,
		     void **elements, size_t *count);

/* Element `index` of the array `key`, which must be a pair. */
int astra_in_pair(const struct astra_in *in, const char *key,
		  const json_t *array, size_t index, const json_t **first,
		  const json_t **second);

/* A required array of `count` numbers from min to max. */
int astra_in_numbers(const struct astra_in *in, const char *key, size_t count,
		     double min, double max, double *out);

/* A required array of `rows` such arrays. out: row by row. */
int astra_in_matrix(const struct astra_in *in, const char *key, size_t rows,
		    size_t columns, double min, double max, double *out);

/* Element `index` of the array `key`, which must be an array of `count`
 * elements. */
int astra_in_row(const struct astra_in *in, const char *key,
		 const json_t *array, size_t index, size_t count,
		 const json_t **out);

/* Whether a value is a whole number from min to max; out: set if so. */
bool astra_json_whole(const json_t *value, uint32_t min, uint32_t max,
		      uint32_t *out);

/* Identifiers and their indices, to find them and to notice doubles. Returned
 * by astra_ids_create(), NULL when memory is out; free with json_decref(). */
json_t *astra_ids_create(void);
/* Returns 0, -1 if it is there already, or -2 when memory is out. */
int astra_ids_add(json_t *ids, const json_t *id, size_t index);
/* Returns the index, or -1. */
json_int_t astra_ids_find(const json_t *ids, const json_t *id);

/* The field "id" of an object: read it, and add it to `ids`. */
int astra_in_new_id(const struct astra_in *in, json_t *ids, size_t index,
		    const json_t **out);

/* A field that is an identifier, one of `ids`. names: the field that lists
 * them, for the error; out: its index. */
int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *names, const json_t *ids, uint32_t *out);

/* A result's number: infinity as "inf". New reference. */
json_t *astra_out_number(double value);

#endif
