/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/conf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/conf_scan.h"
#include "src/policies/conf_keys.h"
#include "src/policies/options.h"

#define POOL_NAME_MAX 64

struct reading {
	const char *wanted;	  /* NULL: any */
	char pool[POOL_NAME_MAX]; /* name of the pool whose line is being
				   * read */
	char found[POOL_NAME_MAX];
	struct astra_error pools; /* names of all pools */
	size_t pool_count;
	struct astra_options options;
	struct astra_trace *trace;
	uint32_t tenant; /* of the line being read */
};

static int conf_blame(const struct astra_conf_pair *p, struct astra_error *err)
{
	const struct astra_error inner = *err;

	return astra_error_set(err, "%s: line %d: %s=%s: %.300s", p->path,
			       p->line, p->key, p->value, inner.text);
}

static int set(struct reading *r, const struct astra_conf_pair *p,
	       struct astra_error *err)
{
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		if (!strcasecmp(o->key, p->key))
			return o->parse(o, &r->options, p->value, err) < 0
				       ? conf_blame(p, err)
				       : 0;
	return 0; /* an option for slurmctld only */
}

/* Reads the options above the pools, which hold for all pools. */
static int read_top(void *arg, const struct astra_conf_pair *p,
		    struct astra_error *err)
{
	if (strcasecmp(p->first, p->key) != 0 || !strcasecmp(p->key, "Pool"))
		return 0;
	return set(arg, p, err);
}

static int conf_read_pool(void *arg, const struct astra_conf_pair *p,
			  struct astra_error *err)
{
	struct reading *r = arg;

	if (strcasecmp(p->first, "Pool") != 0)
		return 0;
	if (!strcasecmp(p->key, "Pool")) {
		snprintf(r->pool, sizeof(r->pool), "%s", p->value);
		astra_error_add(&r->pools, "%s", r->pool);
		r->pool_count++;
		if (!r->wanted || !strcasecmp(r->wanted, r->pool))
			memcpy(r->found, r->pool, sizeof(r->found));
		return 0;
	}
	if (r->wanted && strcasecmp(r->wanted, r->pool) != 0)
		return 0;
	return set(r, p, err);
}

int astra_conf_options(const char *path, const char *pool,
		       struct astra_options *options, struct astra_error *err)
{
	struct reading r = {.wanted = pool, .options = *options};

	if (astra_conf_check_keys(path, astra_conf_known, err) < 0 ||
	    astra_conf_each(path, read_top, &r, err) < 0 ||
	    astra_conf_each(path, conf_read_pool, &r, err) < 0)
		return -1;
	if (pool && !*r.found)
		return astra_error_set(err,
				       "%s: there is no pool %s; there are: %s",
				       path, pool, r.pools.text);
	if (!pool && r.pool_count > 1)
		return astra_error_set(err, "%s: which --pool? There are: %s",
				       path, r.pools.text);
	if (astra_options_check(&r.options, err) < 0) {
		const struct astra_error inner = *err;

		return astra_error_set(err, "%s: %.400s", path, inner.text);
	}
	*options = r.options;
	return 0;
}

static uint32_t conf_find_tenant(const struct astra_trace *trace,
				 const char *name)
{
	for (uint32_t i = 0; i < trace->tenant_count; i++)
		if (!strcmp(trace->tenants[i].name, name))
			return i;
	return UINT32_MAX;
}

static int read_weight(void *arg, const struct astra_conf_pair *p,
		       struct astra_error *err)
{
	struct reading *r = arg;
	double weight;
	char *end;

	if (!strcasecmp(p->key, "Tenant"))
		r->tenant = conf_find_tenant(r->trace, p->value);
	if (strcasecmp(p->key, "Weight") != 0)
		return 0;
	weight = strtod(p->value, &end);
	if (*end || end == p->value || !isfinite(weight) || weight < 0) {
		astra_error_set(err, "a number, at least 0");
		return conf_blame(p, err);
	}
	if (r->tenant != UINT32_MAX)
		r->trace->tenants[r->tenant].weight = weight;
	return 0;
}

int astra_conf_weights(const char *path, struct astra_trace *trace,
		       struct astra_error *err)
{
	struct reading r = {.trace = trace, .tenant = UINT32_MAX};

	return astra_conf_each(path, read_weight, &r, err);
}
