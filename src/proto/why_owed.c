/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes whether a turn is owed to a gang that ran and waits, or what is
 * lacking until then: "A turn that is owed" in doc/design.md. */
#include <math.h>

#include "src/proto/why_priv.h"

#define HOUR_SEC 3600.0
#define SAME_PART 0.005 /* of a turn: less is ignored */

/* Writes GPU time in hours; or in minutes if half a turn is less than a GPU
 * hour. */
static void put_gpu_time(const struct astra_reason *r, double gpu_sec,
			 struct astra_text *out)
{
	bool hours = r->turn_gpu_sec / 2 >= HOUR_SEC;

	astra_text_printf(out, "%.2f GPU %s", gpu_sec / (hours ? HOUR_SEC : 60),
			  hours ? "hours" : "minutes");
}

/* Writes "its tenant lacks 3.20 GPU hours of its share". */
static void put_lack(const struct astra_reason *r, const char *whose,
		     double lack, struct astra_text *out)
{
	astra_text_printf(out, "its %s %s ", whose,
			  lack >= 0 ? "lacks" : "has");
	put_gpu_time(r, fabs(lack), out);
	astra_text_printf(out,
			  lack >= 0 ? " of its share" : " more than its share");
}

/* Whether tenant and user lack the same, as in a tenant of one user. */
static bool lacks_are_same(const struct astra_reason *r)
{
	return r->lack_gpu_sec >= 0 &&
	       fabs(r->lack_gpu_sec - r->user_lack_gpu_sec) <
		       SAME_PART * r->turn_gpu_sec;
}

/* Writes what will be lacking when the present leases have ended. Whether a
 * turn is owed depends on that. */
static void put_lacks(const struct astra_reason *r, struct astra_text *out)
{
	astra_text_printf(out, "counted a lease term ahead, ");
	if (lacks_are_same(r)) {
		astra_text_printf(out, "its tenant and its user lack ");
		put_gpu_time(r, r->lack_gpu_sec, out);
		astra_text_printf(out, " of their shares");
		return;
	}
	put_lack(r, "tenant", r->lack_gpu_sec, out);
	if (isnan(r->user_lack_gpu_sec))
		return;
	astra_text_printf(out, ", and ");
	put_lack(r, "user", r->user_lack_gpu_sec, out);
}

static const char *whose_first(const struct astra_reason *r)
{
	return isnan(r->user_lack_gpu_sec) ? "tenant" : "user";
}

static void put_owed(const struct astra_why *why, struct astra_text *out)
{
	astra_text_printf(out, " It is owed a turn");
	if (why->usage) {
		astra_text_printf(out, ": ");
		put_lacks(&why->job->of.reason, out);
	}
	astra_text_printf(out, ".");
}

/* Writes how much must be lacking for a turn, and how much is. */
static void put_rule(const struct astra_reason *r, struct astra_text *out)
{
	astra_text_printf(out, " It is owed a turn once its tenant%s lacks ",
			  isnan(r->user_lack_gpu_sec) ? "" : " or its user");
	put_gpu_time(r, r->turn_gpu_sec / 2, out);
	astra_text_printf(
		out, " of its share, half of the turn%s: ",
		r->user_lack_gpu_sec <= 0
			? ", and its user has no more than its share or the job has waited long"
			: "");
	put_lacks(r, out);
	astra_text_printf(out, ".");
}

void astra_why_owed(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_reason *r = &why->job->of.reason;
	bool held = astra_why_is_held(why->job);

	if (!(r->turn_gpu_sec > 0))
		return;
	if (r->owed)
		put_owed(why, out);
	else if (!held && why->usage)
		put_rule(r, out);
	if (r->fresh_first && !held)
		astra_text_printf(
			out,
			" A job of the same %s that waits for its first start goes before it.",
			whose_first(r));
	if (r->owed)
		astra_text_printf(
			out,
			" GPUs %s collected for it from leases of richer tenants and users%s.",
			held ? "are being" : "will be",
			held ? ", as these end by themselves"
			     : " that end by themselves, once it is known which of them leave enough");
}
