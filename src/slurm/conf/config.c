/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/conf/config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/conf_scan.h"
#include "src/policies/conf_keys.h"
#include "src/policies/option_values.h"
#include "src/proto/listen.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config_priv.h"

bool astra_names_have(const struct astra_config_names *names, const char *name)
{
	for (size_t i = 0; name && i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

static void names_free(struct astra_config_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct astra_config_names){0};
}

int astra_names_split(const char *text, struct astra_config_names *out)
{
	char *copy = strdup(text ? text : ""), *save = NULL;

	if (!copy)
		return -1;
	for (char *t = strtok_r(copy, ", ", &save); t;
	     t = strtok_r(NULL, ", ", &save)) {
		char **grown =
			realloc(out->name, (out->count + 1) * sizeof(*grown));

		if (!grown)
			break;
		out->name = grown;
		out->name[out->count] = strdup(t);
		if (!out->name[out->count])
			break;
		out->count++;
	}
	free(copy);
	return 0;
}

/* Read an absolute path, since users do not know slurmctld's working folder.
 * out: gets the path, or NULL. Returns 0, or -1 with err set. */
static int read_path(const s_p_hashtbl_t *table, const char *path,
		     const char *key, char **out, struct astra_error *err)
{
	*out = astra_conf_text(table, key);
	if (!*out || **out == '/')
		return 0;
	astra_error_set(err, "a path that begins with /");
	return astra_conf_blame(path, key, *out, err);
}

/* The history's keys of astraea.conf. */

struct span {
	const char *key;
	double days; /* the default in days */
	size_t at;   /* offset in struct astra_config */
};

static const struct span spans[] = {
	{"HistoryRounds", 2, offsetof(struct astra_config, history_rounds_sec)},
	{"HistoryHours", 400, offsetof(struct astra_config, history_hours_sec)},
	{"HistoryDays", 0, offsetof(struct astra_config, history_days_sec)},
	{"HistoryLeases", 90,
	 offsetof(struct astra_config, history_leases_sec)},
};

#define SPANS (sizeof(spans) / sizeof(*spans))

static void add_key(s_p_options_t *out, const char *key)
{
	*out = (s_p_options_t){.type = S_P_STRING};
	/* s_p_options_t needs a char *, but never writes to it. */
	memcpy(&out->key, &key, sizeof(key));
}

/* List the history's keys for Slurm's parser. Returns how many there are. */
static size_t conf_history_keys(s_p_options_t *out)
{
	size_t count = 0;

	add_key(&out[count++], "History");
	add_key(&out[count++], "HistoryFile");
	for (size_t i = 0; i < SPANS; i++)
		add_key(&out[count++], spans[i].key);
	return count;
}

static int read_span(const s_p_hashtbl_t *table, const char *path,
		     const struct span *span, struct astra_config *config,
		     struct astra_error *err)
{
	double *out = (double *)(void *)((char *)config + span->at);
	char *text = astra_conf_text(table, span->key);
	double days = span->days;
	int rc = 0;

	if (text)
		rc = astra_parse_number(&days, 0, 36500, text, err);
	if (rc < 0)
		astra_conf_blame(path, span->key, text, err);
	*out = days * 86400;
	free(text);
	return rc;
}

static int read_switch(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	char *text = astra_conf_text(table, "History");
	int rc = 0;

	config->history = true;
	if (text)
		rc = astra_parse_bool(&config->history, text, err);
	if (rc < 0)
		astra_conf_blame(path, "History", text, err);
	free(text);
	return rc;
}

/* Read the keys of the history into config. Returns 0, or -1 with err set. */
static int conf_history(const s_p_hashtbl_t *table, const char *path,
			struct astra_config *config, struct astra_error *err)
{
	if (read_switch(table, path, config, err) < 0)
		return -1;
	if (read_path(table, path, "HistoryFile", &config->history_file, err) <
	    0)
		return -1;
	for (size_t i = 0; i < SPANS; i++)
		if (read_span(table, path, &spans[i], config, err) < 0)
			return -1;
	return 0;
}

#define KEYS_MAX 96

/* Slurm's parser. Each row of the table of options becomes a string key, both
 * outside of pools and on Pool lines. */

static char *config_plain(const char *text)
{
	char *copy;

	/* s_p_options_t needs a char *, but never writes to it. */
	memcpy(&copy, &text, sizeof(copy));
	return copy;
}

static void option_keys(s_p_options_t *out, size_t *count)
{
	for (const struct astra_option *o = astra_option_table;
	     o->key && *count < KEYS_MAX - 1; o++)
		out[(*count)++] = (s_p_options_t){.key = config_plain(o->key),
						  .type = S_P_STRING};
	for (size_t i = 0; astra_conf_gone[i] && *count < KEYS_MAX - 1; i++)
		out[(*count)++] =
			(s_p_options_t){.key = config_plain(astra_conf_gone[i]),
					.type = S_P_STRING};
}

static int parse_line(void **data, const char *key, const char *value,
		      s_p_options_t *options, const char *rest, char **leftover)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);

	if (!s_p_parse_line(table, rest, leftover) ||
	    !s_p_parse_pair(table, key, value)) {
		s_p_hashtbl_destroy(table);
		return -1;
	}
	*data = table;
	return 1;
}

static int parse_pool(void **data, slurm_parser_enum_t type, const char *key,
		      const char *value, const char *line, char **leftover)
{
	s_p_options_t options[KEYS_MAX] = {
		{.key = config_plain("Pool"), .type = S_P_STRING},
		{.key = config_plain("Partitions"), .type = S_P_STRING},
	};
	size_t count = 2;

	(void)type;
	(void)line;
	option_keys(options, &count);
	return parse_line(data, key, value, options, *leftover, leftover);
}

static int parse_tenant(void **data, slurm_parser_enum_t type, const char *key,
			const char *value, const char *line, char **leftover)
{
	s_p_options_t options[] = {
		{.key = config_plain("Tenant"), .type = S_P_STRING},
		{.key = config_plain("Accounts"), .type = S_P_STRING},
		{.key = config_plain("Users"), .type = S_P_STRING},
		{.key = config_plain("Weight"), .type = S_P_STRING},
		{.key = NULL},
	};

	(void)type;
	(void)line;
	return parse_line(data, key, value, options, *leftover, leftover);
}

static void free_table(void *data)
{
	s_p_hashtbl_destroy(data);
}

static s_p_hashtbl_t *parse_file(const char *path, struct astra_error *err)
{
	s_p_options_t options[KEYS_MAX] = {
		{.key = config_plain("Pool"),
		 .type = S_P_ARRAY,
		 .handler = parse_pool,
		 .destroy = free_table},
		{.key = config_plain("Tenant"),
		 .type = S_P_ARRAY,
		 .handler = parse_tenant,
		 .destroy = free_table},
		{.key = config_plain("TenantLevel"), .type = S_P_STRING},
		{.key = config_plain("TenantShares"), .type = S_P_STRING},
		{.key = config_plain("Socket"), .type = S_P_STRING},
		{.key = config_plain("Listen"), .type = S_P_STRING},
		{.key = config_plain("LeaseProgram"), .type = S_P_STRING},
	};
	size_t count = 7 + conf_history_keys(options + 7);
	s_p_hashtbl_t *table;

	if (astra_conf_check_keys(path, astra_conf_known, err) < 0)
		return NULL;
	option_keys(options, &count);
	table = s_p_hashtbl_create(options);
	if (astra_parse_file(table, config_plain(path)) == SLURM_SUCCESS)
		return table;
	astra_error_set(err, "%s: Slurm's parser refuses it, see above", path);
	s_p_hashtbl_destroy(table);
	return NULL;
}

/* From Slurm's table to our own structs. */

char *astra_conf_text(const s_p_hashtbl_t *table, const char *key)
{
	char *text = NULL, *copy;

	if (!s_p_get_string(&text, key, table) || !text)
		return NULL;
	copy = strdup(text);
	xfree(text);
	return copy;
}

int astra_conf_blame(const char *path, const char *key, const char *value,
		     struct astra_error *err)
{
	struct astra_error inner = *err;
	struct astra_place at;

	astra_conf_place(path, key, value, &at);
	return astra_error_set(err, "%s: line %d: %s=%s: %.300s", at.file,
			       at.line, key, value, inner.text);
}

/* Set options from the table. said: gets the text of each option, in the order
 * of the table of options. */
static int config_set_options(const s_p_hashtbl_t *table, const char *path,
			      struct astra_options *out, char **said,
			      struct astra_error *err)
{
	for (const struct astra_option *o = astra_option_table; o->key; o++) {
		char *text = astra_conf_text(table, o->key);
		struct astra_options trial = *out;

		if (!text)
			continue;
		free(said[o - astra_option_table]);
		said[o - astra_option_table] = text;
		if (o->parse(o, &trial, text, err) < 0)
			return astra_conf_blame(path, o->key, text, err);
		*out = trial;
	}
	return 0;
}

/* Read a pool. top: the table of options outside of pools. */
static int config_read_pool(const s_p_hashtbl_t *table,
			    const s_p_hashtbl_t *top, const char *path,
			    struct astra_pool_config *pool,
			    struct astra_error *err)
{
	struct astra_place at;

	astra_options_init(&pool->options);
	pool->said = calloc(KEYS_MAX, sizeof(*pool->said));
	pool->name = astra_conf_text(table, "Pool");
	pool->partition_text = astra_conf_text(table, "Partitions");
	if (!pool->name || !pool->said)
		return astra_error_nomem(err);
	if (!pool->partition_text) {
		astra_error_set(err, "a pool needs Partitions=");
		return astra_conf_blame(path, "Pool", pool->name, err);
	}
	astra_conf_place(path, "Partitions", pool->partition_text, &at);
	if (asprintf(&pool->partition_place, "%s: line %d", at.file, at.line) <
	    0) {
		pool->partition_place = NULL;
		return astra_error_nomem(err);
	}
	if (astra_names_split(pool->partition_text, &pool->partitions) < 0)
		return astra_error_nomem(err);
	if (config_set_options(top, path, &pool->options, pool->said, err) <
		    0 ||
	    config_set_options(table, path, &pool->options, pool->said, err) <
		    0)
		return -1;
	if (astra_options_check(&pool->options, err) < 0)
		return astra_conf_blame(path, "Pool", pool->name, err);
	return 0;
}

static bool good_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return false;
	return *name && strlen(name) < ASTRA_POOL_NAME_MAX;
}

/* Whether a pool must not have this name, since its state file would be another
 * pool's backup, or the socket. */
static bool taken_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strcmp(name, "sock") ||
	       (dot && (!strcmp(dot, ".old") || !strcmp(dot, ".new") ||
			!strcmp(dot, ".kept")));
}

/* Check a pool: its name must be unique, and no partition may belong to two
 * pools. */
static int check_pool(const struct astra_config *config, size_t index,
		      const char *path, struct astra_error *err)
{
	const struct astra_pool_config *p = &config->pools[index];

	if (!good_name(p->name)) {
		astra_error_set(err, "a name has letters, digits, _ - and .");
		return astra_conf_blame(path, "Pool", p->name, err);
	}
	if (taken_name(p->name)) {
		astra_error_set(err, "not sock, and no .old, .new or .kept "
				     "at the end: there are such files");
		return astra_conf_blame(path, "Pool", p->name, err);
	}
	for (size_t i = 0; i < index; i++) {
		const struct astra_pool_config *q = &config->pools[i];

		if (!strcasecmp(p->name, q->name)) {
			astra_error_set(err, "there is another pool of that "
					     "name");
			return astra_conf_blame(path, "Pool", p->name, err);
		}
		for (size_t k = 0; k < p->partitions.count; k++) {
			if (!astra_names_have(&q->partitions,
					      p->partitions.name[k]))
				continue;
			astra_error_set(err,
					"partition %s is in pool %s "
					"already",
					p->partitions.name[k], q->name);
			return astra_conf_blame(path, "Pool", p->name, err);
		}
	}
	return 0;
}

static int read_pools(const s_p_hashtbl_t *table, const char *path,
		      struct astra_config *config, struct astra_error *err)
{
	void **lines = NULL;
	int count = 0;

	if (!s_p_get_array(&lines, &count, "Pool", table) || count < 1)
		return astra_error_set(err, "%s: no Pool= line", path);
	config->pools = calloc((size_t)count, sizeof(*config->pools));
	if (!config->pools)
		return astra_error_nomem(err);
	for (size_t i = 0; i < (size_t)count; i++) {
		config->pool_count++;
		if (config_read_pool(lines[i], table, path, &config->pools[i],
				     err) < 0 ||
		    check_pool(config, i, path, err) < 0)
			return -1;
		config->leases |= config->pools[i].options.leases;
	}
	return 0;
}

bool astra_config_listens(const struct astra_config *config)
{
	return !config || !config->listen || strcasecmp(config->listen, "no");
}

/* Read Listen=[ADDRESS:]PORT. Whether the address works is only known when the
 * port is opened. */
static int read_listen(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	config->listen = astra_conf_text(table, "Listen");
	if (!config->listen || !astra_config_listens(config))
		return 0;
	if (astra_listen_valid(config->listen, 1)) {
		if (!astra_listen_numeric(config->listen))
			astra_error_add(&config->warning,
					"Listen=%s: the address is no number: "
					"nobody is answered on the network",
					config->listen);
		return 0;
	}
	astra_error_set(err,
			"PORT or ADDRESS:PORT, a port from 1 to 65535, or no");
	return astra_conf_blame(path, "Listen", config->listen, err);
}

/* Check that there is a history if LeaseTerm=auto or Leases=watch need it.
 * Returns 0, or -1 with err set. */
static int config_check_history(const struct astra_config *config,
				const char *path, struct astra_error *err)
{
	for (size_t i = 0; i < config->pool_count && !config->history; i++) {
		const struct astra_options *o = &config->pools[i].options;

		if (!o->lease_auto && !o->watch)
			continue;
		astra_error_set(err, "History=no: %s: say History=yes, or %s",
				o->watch ? "Leases=watch reads the history"
					 : "LeaseTerm=auto learns from the "
					   "history",
				o->watch ? "Leases=no" : "LeaseTerm=TIME");
		return astra_conf_blame(path, "Pool", config->pools[i].name,
					err);
	}
	return 0;
}

struct astra_config *astra_config_read(const char *path,
				       struct astra_error *err)
{
	s_p_hashtbl_t *table = parse_file(path, err);
	struct astra_config *config;

	if (!table)
		return NULL;
	config = calloc(1, sizeof(*config));
	if (!config) {
		astra_error_nomem(err);
	} else if (read_pools(table, path, config, err) < 0 ||
		   astra_conf_tenants(table, path, config, err) < 0 ||
		   read_path(table, path, "Socket", &config->socket, err) < 0 ||
		   read_path(table, path, "LeaseProgram",
			     &config->lease_program, err) < 0 ||
		   read_listen(table, path, config, err) < 0 ||
		   conf_history(table, path, config, err) < 0 ||
		   config_check_history(config, path, err) < 0) {
		astra_config_destroy(config);
		config = NULL;
	}
	if (config)
		astra_conf_warn_keys(path, &config->warning);
	s_p_hashtbl_destroy(table);
	return config;
}

/* The configuration in force. */

static struct astra_config *active;

const struct astra_config *astra_config_active(void)
{
	return active;
}

struct astra_config *astra_config_swap(struct astra_config *config)
{
	struct astra_config *before = active;

	active = config;
	return before;
}

void astra_config_set_term(const char *pool, double term_sec)
{
	for (size_t i = 0; active && i < active->pool_count; i++) {
		struct astra_options *o = &active->pools[i].options;

		if (strcmp(active->pools[i].name, pool) || !o->lease_auto)
			continue;
		o->lease_sec = astra_auto_bound(o, term_sec);
		o->lease_said = true;
	}
}

bool astra_config_pool_of(const char *partition, char *pool,
			  struct astra_options *options)
{
	for (size_t i = 0; active && i < active->pool_count; i++) {
		const struct astra_pool_config *p = &active->pools[i];

		if (!astra_names_have(&p->partitions, partition))
			continue;
		if (pool)
			strcpy(pool, p->name);
		if (options)
			*options = p->options;
		return true;
	}
	return false;
}

void astra_config_destroy(struct astra_config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->pool_count; i++) {
		for (size_t k = 0; config->pools[i].said && k < KEYS_MAX; k++)
			free(config->pools[i].said[k]);
		free(config->pools[i].said);
		free(config->pools[i].name);
		free(config->pools[i].partition_text);
		free(config->pools[i].partition_place);
		names_free(&config->pools[i].partitions);
	}
	for (size_t i = 0; i < config->tenant_count; i++) {
		free(config->tenants[i].name);
		names_free(&config->tenants[i].accounts);
		names_free(&config->tenants[i].users);
	}
	free(config->pools);
	free(config->tenants);
	free(config->socket);
	free(config->listen);
	free(config->lease_program);
	free(config->history_file);
	free(config);
}
