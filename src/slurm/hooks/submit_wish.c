/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user of a managed job wished of its leases. */
#include "src/slurm/desk/bid_text.h"
#include "src/slurm/hooks/submit_priv.h"
#include "src/slurm/in/unleased.h"
#include "src/slurm/in/unleased_view.h"

static int check_bid(const char *text, struct astra_error *err)
{
	struct astra_curves curves;

	if (!text)
		return 0;
	if (astra_bid_text_read(text, &curves, err) < 0)
		return -1;
	astra_curves_clear(&curves);
	return 0;
}

int astra_submit_check_wish(struct astra_submit *r,
			    const struct astra_places *places,
			    struct astra_error *err)
{
	if (r->wish_unread) {
		*err = r->wish_error;
		return ESLURM_INVALID_TIME_LIMIT;
	}
	if (astra_wish_check(&r->wish, &places->options, err) < 0 ||
	    check_bid(r->wish.bid, err) < 0)
		return ESLURM_INVALID_TIME_LIMIT;
	r->unleased = !r->revocable || r->wish.lease_none;
	return SLURM_SUCCESS;
}

/* The time limit of a job without leases, no longer than NoLeaseTime. */
static double unleased_limit(struct astra_submit *r,
			     const struct astra_options *o)
{
	const char *at = NULL;
	double sec = astra_unleased_limit(r->minutes,
					  astra_next_part(r->partitions, &at));

	if (o->unleased_sec <= 0 || (sec > 0 && sec <= o->unleased_sec))
		return sec;
	r->shortened =
		o->unleased_sec > 60 ? (uint32_t)(o->unleased_sec / 60) : 1;
	return r->shortened * 60.0;
}

/* What a tenant holds now is a matter of time, and the job waits. */
int astra_submit_check_unleased(struct astra_submit *r,
				const struct astra_places *places,
				struct astra_error *err)
{
	const struct astra_options *o = &places->options;
	uint32_t most = o->unleased_gpus < o->unleased_user_gpus
				? o->unleased_gpus
				: o->unleased_user_gpus;
	char term[32];
	double sec;

	if (!r->unleased)
		return SLURM_SUCCESS;
	sec = unleased_limit(r, o);
	if (most >= ASTRA_GPUS_QUOTA || r->need.gpus <= most ||
	    !astra_unleased_counts(sec, o->lease_sec))
		return SLURM_SUCCESS;
	astra_print_time(o->lease_sec, term, sizeof(term));
	astra_error_set(err,
			"%llu GPUs without a lease (srun, salloc, "
			"--no-requeue, --lease=none): at most %u may be held "
			"so, but for a time limit of %s or less",
			(unsigned long long)r->need.gpus, most, term);
	return ESLURM_INVALID_GRES;
}
