/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The changes to try, as words with the syntax of astraea.conf. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/try.h"
#include "src/common/conf_scan.h"
#include "src/common/grow.h"
#include "src/policies/conf_keys.h"
#include "src/policies/options.h"

#define TRY_WORDS_IDLE "nobody waits less or more for it"
#define TRY_WORDS_GONE "this release has no such option"

/* Keys that are valid, but cannot be tried. */
static const struct {
	const char *keys, *why;
} try_words_not[] = {
	{"Partitions",
	 "which jobs are a pool's is as it is: try the pool as it is, or "
	 "simulate another one with sfairsim compare"},
	{"Accounts,Users,TenantLevel,TenantShares",
	 "who the tenants are is as it is: sfairsim compare runs a trace with "
	 "any tenants"},
	{"AdminComment,ReasonDetail,ForecastInterval", TRY_WORDS_IDLE},
	{"Leases,PriorityWeightLTGF",
	 "without leases Slurm itself starts the jobs: sfair watch tells what "
	 "leases would change"},
	{"Gres,GPUWeight,QOSWeight,ChargeBlocked",
	 "what a job is charged with is in what runs as it is"},
	{"AllowNoLease,LeaseMin,NoLeaseGPUs,NoLeaseUserGPUs,NoLeaseTime,"
	 "CheckpointSignal,CheckpointExit",
	 "it is heeded when jobs are submitted and as they end, which nobody "
	 "does here"},
};

static bool try_words_listed(const char *list, const char *key)
{
	size_t size = strlen(key);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncasecmp(list, key, size) &&
		    (list[size] == ',' || !list[size]))
			return true;
	}
	return false;
}

static bool try_words_is(const struct sfair_try_word *word, const char *key)
{
	return !strcasecmp(word->key, key);
}

/* Returns the key that would begin the word's line in the file. */
static const char *try_words_first(const struct sfair_try_words *words,
				   const char *key)
{
	const char *first = key;

	if (!strcasecmp(key, "Pool") || !strcasecmp(key, "Tenant"))
		return key;
	for (size_t i = 0; i < words->count; i++)
		if (try_words_is(&words->items[i], "Pool") ||
		    try_words_is(&words->items[i], "Tenant"))
			first = words->items[i].key;
	return first;
}

/* Whether the key is known. After a tenant's words, options of the pool are
 * allowed again. */
static bool try_words_known(const char *first, const char *key)
{
	return astra_conf_known(first, key) || astra_conf_known(key, key);
}

static int try_words_pool(struct sfair_try_words *words, const char *value,
			  struct astra_error *err)
{
	if (words->pool)
		return astra_error_set(err, "Pool=%.64s: one pool at a time",
				       value);
	words->pool = value;
	return 0;
}

/* Returns the tenant that the next word is about; NULL if none. */
static const char *try_words_tenant(const struct sfair_try_words *words)
{
	for (size_t i = words->count; i--;)
		if (try_words_is(&words->items[i], "Tenant"))
			return words->items[i].value;
	return NULL;
}

static int try_words_twice(const struct sfair_try_words *words,
			   const struct sfair_try_word *new,
			   struct astra_error *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct sfair_try_word *old = &words->items[i];

		bool tenant = try_words_is(old, "Tenant") &&
			      strcmp(old->value, new->value) != 0;

		if (try_words_is(old, new->key) && !tenant &&
		    old->tenant == new->tenant)
			return astra_error_set(
				err, "%s=%.64s: it is given twice, as %s, too",
				new->key, new->value, old->value);
	}
	return 0;
}

static int try_words_add(struct sfair_try_words *words,
			 struct sfair_try_word *word, struct astra_error *err)
{
	if (astra_conf_check_pair(try_words_first(words, word->key), word->key,
				  word->value, try_words_known, err) < 0)
		return -1;
	if (try_words_is(word, "Weight"))
		word->tenant = try_words_tenant(words);
	if (try_words_is(word, "Pool") &&
	    try_words_pool(words, word->value, err) < 0)
		return -1;
	if (try_words_twice(words, word, err) < 0)
		return -1;
	if (astra_grow(&words->items, &words->room, words->count + 1,
		       sizeof(*words->items)) < 0)
		return astra_error_nomem(err);
	words->items[words->count++] = *word;
	return 0;
}

int sfair_try_word(struct sfair_try_words *words, const char *text,
		   struct astra_error *err)
{
	struct sfair_try_word word = {.key = strdup(text)};
	char *equals = word.key ? strchr(word.key, '=') : NULL;
	int rc;

	if (equals)
		*equals++ = '\0';
	word.value = strdup(equals ? equals : "");
	if (!word.key || !word.value)
		rc = astra_error_nomem(err);
	else
		rc = try_words_add(words, &word, err);
	if (rc < 0) {
		free(word.key);
		free(word.value);
	}
	return rc;
}

void sfair_try_words_clear(struct sfair_try_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		free(words->items[i].key);
		free(words->items[i].value);
	}
	free(words->items);
	*words = (struct sfair_try_words){0};
}

/* Values. */

static int try_words_weight(const struct sfair_try_word *word, double *weight,
			    struct astra_error *err)
{
	char *end;

	*weight = strtod(word->value, &end);
	if (!*end && *weight >= 0 && *weight <= 1e9)
		return 0;
	return astra_error_set(err, "Weight=%s: a number from 0 to 1e9",
			       word->value);
}

static int try_words_set(const struct sfair_try_word *word,
			 struct astra_options *options, struct astra_error *err)
{
	struct astra_options trial = *options;
	struct astra_error why = {""};

	for (const struct astra_option *o = astra_option_table; o->key; o++) {
		if (!try_words_is(word, o->key))
			continue;
		if (o->parse(o, &trial, word->value, &why) < 0)
			return astra_error_set(err, "%s=%.128s: %.300s",
					       word->key, word->value,
					       why.text);
		*options = trial;
	}
	return 0;
}

/* Returns why a key cannot be tried; NULL if it can. Keys that are for the
 * whole file, not for a pool, do not affect waiting jobs. */
static const char *try_words_why_not(const struct sfair_try_word *word)
{
	for (size_t i = 0; i < sizeof(try_words_not) / sizeof(*try_words_not);
	     i++)
		if (try_words_listed(try_words_not[i].keys, word->key))
			return try_words_not[i].why;
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		if (try_words_is(word, o->key))
			return NULL;
	if (astra_conf_is_gone(word->key))
		return TRY_WORDS_GONE;
	return try_words_is(word, "Pool") || try_words_is(word, "Tenant") ||
			       try_words_is(word, "Weight")
		       ? NULL
		       : TRY_WORDS_IDLE;
}

int sfair_try_words_check(const struct sfair_try_words *words,
			  struct astra_error *err)
{
	struct astra_options options;
	double weight;

	astra_options_init(&options);
	for (size_t i = 0; i < words->count; i++) {
		const struct sfair_try_word *word = &words->items[i];
		const char *why = try_words_why_not(word);

		if (try_words_set(word, &options, err) < 0 ||
		    (word->tenant && try_words_weight(word, &weight, err) < 0))
			return -1;
		if (why)
			return astra_error_set(err,
					       "%s=%.64s cannot be tried: %s",
					       word->key, word->value, why);
	}
	return 0;
}

/* Options are set in the order of the table, as in the plugin, as the meaning
 * of an option may depend on earlier ones. */
int sfair_try_words_apply(struct sfair_try_words *words, const char *pool,
			  struct astra_options *options,
			  struct astra_error *err)
{
	struct astra_error why = {""};

	for (const struct astra_option *o = astra_option_table; o->key; o++)
		for (size_t i = 0; i < words->count; i++)
			if (try_words_is(&words->items[i], o->key) &&
			    try_words_set(&words->items[i], options, err) < 0)
				return -1;
	if (astra_options_check(options, &why) < 0)
		return astra_error_set(err, "Pool=%.64s: %.400s", pool,
				       why.text);
	return 0;
}

/* Refuses an unknown tenant. The error lists as many known tenants as it has
 * room for. */
static int try_words_no_tenant(const struct astra_trace *trace,
			       const char *name, struct astra_error *err)
{
	struct astra_error names = {""};

	for (size_t i = 0; i < trace->tenant_count; i++)
		astra_error_add(&names, "%s", trace->tenants[i].name);
	return astra_error_set(err,
			       "Tenant=%.64s: there is no such tenant; there "
			       "are: %.480s",
			       name, names.text);
}

int sfair_try_words_weigh(const struct sfair_try_words *words,
			  struct astra_trace *trace, struct astra_error *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct sfair_try_word *word = &words->items[i];
		size_t at = 0;

		if (!try_words_is(word, "Tenant"))
			continue;
		while (at < trace->tenant_count &&
		       strcmp(trace->tenants[at].name, word->value) != 0)
			at++;
		if (at == trace->tenant_count)
			return try_words_no_tenant(trace, word->value, err);
		for (size_t k = 0; k < words->count; k++)
			if (words->items[k].tenant == word->value &&
			    try_words_weight(&words->items[k],
					     &trace->tenants[at].weight,
					     err) < 0)
				return -1;
	}
	return 0;
}

/* Differences. */

static bool try_words_same_weights(const struct astra_weights *a,
				   const struct astra_weights *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (strcmp(a->row[i].name, b->row[i].name) != 0 ||
		    a->row[i].weight != b->row[i].weight)
			return false;
	return a->count == b->count;
}

/* Whether an option has the same meaning in both. */
static bool try_words_same(const struct astra_option *o,
			   const struct astra_options *a,
			   const struct astra_options *b)
{
	if (!strcmp(o->key, "Policy"))
		return !strcmp(a->policy, b->policy);
	/* with auto, both terms are those that the plugin chose */
	if (!strcmp(o->key, "LeaseTerm") && a->lease_auto && b->lease_auto)
		return true;
	if (!strcmp(o->key, "GPUWeight"))
		return try_words_same_weights(&a->gpu_weights, &b->gpu_weights);
	if (!strcmp(o->key, "QOSWeight"))
		return try_words_same_weights(&a->qos_weights, &b->qos_weights);
	for (const struct astra_member *m = o->sets; m->key; m++)
		if (!strstr(m->key, "_said") &&
		    memcmp((const char *)a + m->offset,
			   (const char *)b + m->offset, m->size) != 0)
			return false;
	return true;
}

static const char *try_words_value(const struct sfair_try_words *words,
				   const char *key)
{
	for (size_t i = 0; i < words->count; i++)
		if (try_words_is(&words->items[i], key))
			return words->items[i].value;
	return NULL;
}

static int try_words_tell_option(const struct sfair_try *t, size_t row,
				 json_t *out)
{
	const struct astra_option *o = &astra_option_table[row];
	const struct astra_options *live = &t->round->options;
	const struct sfair_try_file *f = &t->file;
	const char *written =
		f->config && f->said[row] ? f->said[row] : o->initial;
	const char *to = try_words_value(&t->args->words, o->key);
	bool known = f->config && try_words_same(o, live, f->options);

	if (try_words_same(o, live, &t->options))
		return 0;
	return json_array_append_new(out, json_pack("{s:s, s:s?, s:s}", "what",
						    o->key, "from",
						    known ? written : NULL,
						    "to", to ? to : written));
}

static int try_words_tell_tenant(const struct sfair_try *t, size_t at,
				 json_t *out)
{
	const struct astra_trace_tenant *was = &t->runs[0].trace.tenants[at];
	const struct astra_trace_tenant *is = &t->runs[1].trace.tenants[at];
	char what[160], from[32], to[32];

	if (was->weight == is->weight)
		return 0;
	snprintf(what, sizeof(what), "Tenant=%s Weight", was->name);
	snprintf(from, sizeof(from), "%g", was->weight);
	snprintf(to, sizeof(to), "%g", is->weight);
	return json_array_append_new(out,
				     json_pack("{s:s, s:s, s:s}", "what", what,
					       "from", from, "to", to));
}

json_t *sfair_try_words_tell(const struct sfair_try *t)
{
	json_t *out = json_array();
	int rc = out ? 0 : -1;

	for (size_t i = 0; !rc && astra_option_table[i].key; i++)
		rc = try_words_tell_option(t, i, out);
	for (size_t i = 0; !rc && i < t->forward.trace.tenant_count; i++)
		rc = try_words_tell_tenant(t, i, out);
	if (!rc)
		return out;
	json_decref(out);
	return NULL;
}
