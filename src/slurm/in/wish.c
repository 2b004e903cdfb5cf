/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/wish.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "src/common/fnv.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"

#define SEC_PER_MIN 60

static int read_lease(struct astra_wish *out, const char *text,
		      struct astra_error *err)
{
	double sec;

	if (!strcasecmp(text, "none")) {
		out->lease_none = true;
		return 0;
	}
	if (!isdigit((unsigned char)*text) ||
	    astra_parse_time(text, SEC_PER_MIN, &sec) < 0 || sec <= 0)
		return astra_error_set(err,
				       "--lease=%.40s: a lease is none or "
				       "a time: MINUTES, MM:SS, HH:MM:SS "
				       "or D-HH:MM:SS, at most 10 years",
				       text);
	out->lease_sec = sec;
	return 0;
}

static int wish_read_app(struct astra_wish *out, const char *text,
			 struct astra_error *err)
{
	size_t len = strlen(text);
	bool valid = len && len <= ASTRA_APP_MAX;

	for (size_t i = 0; valid && i < len; i++)
		valid = isalnum((unsigned char)text[i]) ||
			strchr("._+-", text[i]);
	if (!valid)
		return astra_error_set(err,
				       "--app=%.80s: a name has 1 to %d "
				       "letters, digits and . _ + -",
				       text, ASTRA_APP_MAX);
	out->app = text;
	return 0;
}

static const char *wish_value_of(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(entry, name, len) && entry[len] == '=' ? entry + len + 1
							       : NULL;
}

static int read_stated(struct astra_wish *out, enum astra_stated_id id,
		       const char *value, struct astra_error *err)
{
	if (astra_stated_read(&out->stated, id, value, err) == 0)
		return 0;
	out->size_unread |= id == ASTRA_STATED_GPU_RANGE ||
			    id == ASTRA_STATED_WORKERS || id == ASTRA_STATED_PS;
	return -1;
}

static int read_entry(struct astra_wish *out, const char *entry,
		      struct astra_error *err)
{
	const char *value;

	if (!strncmp(entry, "SPANK_", 6))
		entry += 6;
	if ((value = wish_value_of(entry, "ASTRAEA_LEASE")))
		return read_lease(out, value, err);
	if ((value = wish_value_of(entry, "ASTRAEA_APP")))
		return wish_read_app(out, value, err);
	if ((value = wish_value_of(entry, "ASTRAEA_BID")))
		out->bid = value;
	out->dumps |= wish_value_of(entry, "ASTRAEA_DUMPS") != NULL;
	out->saves |= out->dumps || wish_value_of(entry, "ASTRAEA_AGENT") ||
		      wish_value_of(entry, "ASTRAEA_REQUEUE");
	for (size_t i = 0; i < ASTRA_STATED_COUNT; i++)
		if ((value = wish_value_of(entry,
					   astra_stated_options[i].variable)))
			return read_stated(out, i, value, err);
	return 0;
}

int astra_wish_read(char *const *env, uint32_t count, struct astra_wish *out,
		    struct astra_error *err)
{
	int rc = 0;

	*out = ASTRA_WISH_NONE;
	for (uint32_t i = 0; env && i < count; i++)
		if (env[i] && read_entry(out, env[i], err) < 0)
			rc = -1;
	if (!out->size_unread && astra_stated_settle(&out->stated, err) < 0) {
		out->size_unread = true;
		rc = -1;
	}
	return rc;
}

/* Two apps of one user with the same hash count as one app; apps of two users
 * are told apart later. */
uint32_t astra_wish_app(const char *name, uint32_t uid)
{
	uint32_t hash;

	if (!*name)
		return 0;
	hash = astra_fnv32_number(ASTRA_FNV32_BASIS, uid, 4);
	hash = astra_fnv32_text(hash, name);
	return hash ? hash : 1;
}

static double work_sec(const struct astra_stated *stated)
{
	return stated->iterations * stated->iter_sec;
}

struct astra_forecast astra_wish_forecast(const struct astra_wish *wish,
					  uint32_t uid)
{
	double work = work_sec(&wish->stated);
	struct astra_forecast forecast = {
		.app = astra_wish_app(wish->app, uid),
		.work_sec = work > 0 ? fmax(work, 1) : 0,
		.utility = wish->stated.utility,
	};

	memcpy(forecast.slowdown, wish->stated.slowdown,
	       sizeof(forecast.slowdown));
	return forecast;
}

static int check_work(const struct astra_stated *stated,
		      struct astra_error *err)
{
	if (work_sec(stated) <= ASTRA_TIME_MAX_SEC)
		return 0;
	return astra_error_set(err,
			       "--iterations=%.15g of --iter-time=%g take more "
			       "than 10 years",
			       stated->iterations, stated->iter_sec);
}

int astra_wish_check(const struct astra_wish *wish,
		     const struct astra_options *o, struct astra_error *err)
{
	double min = o->lease_min_sec, max = o->lease_max_sec;
	char said[32], low[32], high[32];

	if (check_work(&wish->stated, err) < 0)
		return -1;
	if (wish->lease_none)
		return o->lease_none_allowed
			       ? 0
			       : astra_error_set(err, "--lease=none is not "
						      "allowed here");
	if (wish->lease_sec <= 0)
		return 0;
	if (min <= 0)
		min = fmax(o->grace_sec,
			   astra_min_run_sec(o, astra_policy_find(o->policy),
					     o->lease_sec, 0));
	if (max <= 0)
		max = o->lease_auto ? astra_auto_most_sec(o) : o->lease_sec;
	if (wish->lease_sec >= min && wish->lease_sec <= max)
		return 0;
	astra_print_time(wish->lease_sec, said, sizeof(said));
	astra_print_time(min, low, sizeof(low));
	astra_print_time(max, high, sizeof(high));
	return astra_error_set(err, "--lease: %s is not between %s and %s",
			       said, low, high);
}
