/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a JSON instance field by field. Every error names the field by its
 * path, as in "jobs[3].gpus", and says what is allowed for it. A field that is
 * null counts as absent. It is an error if a required field is absent. If an
 * optional field is absent, `out` keeps the caller's default. All functions
 * return 0, or -1 with the reader's err set. */
#ifndef ASTRA_INSTANCE_H
#define ASTRA_INSTANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/arena.h"
#include "src/common/error.h"
#include "src/common/member.h"
#include "src/model/model.h"

/* Above these limits, sums of integrals would no longer be exact to 1e-9. */
#define ASTRA_IN_TIME_MAX 1e12
#define ASTRA_IN_WEIGHT_MAX 1e12
#define ASTRA_IN_GPUS_MAX 100000000

enum astra_need { ASTRA_OPTIONAL, ASTRA_REQUIRED };

/* A reader: one object of the instance, and its place. */
struct astra_in {
	const json_t *object;
	char path[64]; /* "" for the whole instance, else such as "jobs[3]" */
	struct astra_error *err;
	const char *list;	   /* key of the array that has the object */
	size_t index;		   /* index in that array */
	struct astra_arena *arena; /* memory for the values read */
	json_t *ids;		   /* list -> identifier -> index */
	void *whole; /* the struct into which the instance is read */
};

/* Fails with "path.key: text". key may be NULL. Returns -1. */
int astra_in_fail(const struct astra_in *in, const char *key, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

/* Reads a number from min to max. */
int astra_in_number(const struct astra_in *in, const char *key,
		    enum astra_need need, double min, double max, double *out);

/* Reads a whole number from 0 to max; 3.0 is valid, 3.5 is not. */
int astra_in_whole(const struct astra_in *in, const char *key,
		   enum astra_need need, uint32_t max, uint32_t *out);

int astra_in_bool(const struct astra_in *in, const char *key, bool *out);

/* Reads one of the words of a NULL-terminated list. out: set to the word's
 * index. */
int astra_in_word(const struct astra_in *in, const char *key,
		  enum astra_need need, const char *const *words, size_t *out);

/* Looks a value up in a list of words. name: the value's path, relative to
 * in->path. out: set to the word's index. */
int astra_in_word_value(const struct astra_in *in, const char *name,
			const json_t *value, const char *const *words,
			size_t *out);

/* Reads an identifier, which is a string or an integer. out: borrowed from the
 * instance. */
int astra_in_id(const struct astra_in *in, const char *key, const json_t **out);

/* Reads an object's fields by a table, row by row. The rows may be:
 *   U32, U64    a whole number from 0 to most
 *   REAL        a number from least to most, or an array of such numbers
 *   FLAG        true or false; always optional
 *   WORD        one of the words; the record's member is an enum or a bool
 *   PART        an object; never optional */
int astra_in_members(const struct astra_in *in,
		     const struct astra_member *members, void *record);

/* Reads an array. out: borrowed. If an optional array is absent, *out is NULL,
 * which has size 0. */
int astra_in_array(const struct astra_in *in, const char *key,
		   enum astra_need need, const json_t **out);

/* Reads element `index` of the array `key`, which must be an object. */
int astra_in_element(const struct astra_in *in, const char *key,
		     const json_t *array, size_t index, struct astra_in *out);

/* Reads a field that is an object. */
int astra_in_object(const struct astra_in *in, const char *key,
		    struct astra_in *out);

/* Takes zeroed memory from the arena, for `count` elements and one more.
 * Returns NULL with err set when memory is out. */
void *astra_in_take(const struct astra_in *in, size_t count, size_t size);

/* Reads one object of an array into a zeroed element. in->whole: the struct
 * being filled; it already has all that stands before the array. Returns 0, or
 * -1 with err set. */
typedef int astra_in_reader(const struct astra_in *in, void *element);

/* Reads an array of objects into elements of `size` bytes each. elements: the
 * address of the pointer to set. The arena owns the elements. */
int astra_in_list(const struct astra_in *in, const char *key,
		  enum astra_need need, size_t size, astra_in_reader *read,
		  void *elements, size_t *count);

/* Reads element `index` of the array `key`, which must be a pair. */
int astra_in_pair(const struct astra_in *in, const char *key,
		  const json_t *array, size_t index, const json_t **first,
		  const json_t **second);

/* Reads a required array of `count` numbers from min to max. */
int astra_in_numbers(const struct astra_in *in, const char *key, size_t count,
		     double min, double max, double *out);

/* Reads an array like astra_in_numbers(), into memory of the arena. */
int astra_in_vector(const struct astra_in *in, const char *key, size_t count,
		    double min, double max, double **out);

/* Reads a required array of `rows` arrays, each of `columns` numbers from min
 * to max. *out: set to the numbers, row by row; owned by the arena. */
int astra_in_matrix(const struct astra_in *in, const char *key, size_t rows,
		    size_t columns, double min, double max, double **out);

/* Reads an optional array "held" of pairs of a node and its GPUs. node: the
 * word for a node in messages. nodes: how many nodes the instance has. below:
 * each node's number must be lower. max: most GPUs of a node. out: sorted by
 * node, without pairs of 0 GPUs; owned by the arena. */
int astra_in_held(const struct astra_in *in, const char *node, size_t nodes,
		  uint64_t below, uint32_t max, struct astra_share **out,
		  size_t *count);

/* Reads element `index` of the array `key`, which must be an array of `count`
 * elements. */
int astra_in_row(const struct astra_in *in, const char *key,
		 const json_t *array, size_t index, size_t count,
		 const json_t **out);

/* Whether a value is a whole number from min to max. If so, sets out. */
bool astra_json_whole(const json_t *value, uint32_t min, uint32_t max,
		      uint32_t *out);

/* Returns a number for the result, infinity as "inf"; a new reference. */
json_t *astra_out_number(double value);
json_t *astra_out_numbers(const double *values, size_t count);

/* Returns an array of two whole numbers, as a new reference. */
json_t *astra_out_pair(size_t first, size_t second);

#endif
