/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

void astra_plan_init(struct astra_plan *plan)
{
	*plan = (struct astra_plan){0};
}

void astra_plan_clear(struct astra_plan *plan)
{
	plan->decision_count = plan->share_count = plan->reason_count = 0;
	plan->wake_sec = 0;
	plan->changed = false;
}

void astra_plan_destroy(struct astra_plan *plan)
{
	free(plan->decisions);
	free(plan->shares);
	free(plan->reasons);
	astra_plan_init(plan);
}

int astra_plan_add(struct astra_plan *plan,
		   const struct astra_decision *decision,
		   const struct astra_share *shares, size_t share_count)
{
	struct astra_decision *d;

	if (astra_grow(&plan->decisions, &plan->decision_room,
		       plan->decision_count + 1, sizeof(*d)) < 0 ||
	    astra_grow(&plan->shares, &plan->share_room,
		       plan->share_count + share_count, sizeof(*shares)) < 0)
		return -1;
	d = &plan->decisions[plan->decision_count++];
	*d = *decision;
	d->first_share = plan->share_count;
	d->share_count = share_count;
	for (size_t i = 0; i < share_count; i++)
		plan->shares[plan->share_count++] = shares[i];
	return 0;
}

int astra_plan_reason(struct astra_plan *plan,
		      const struct astra_reason *reason)
{
	if (astra_grow(&plan->reasons, &plan->reason_room,
		       plan->reason_count + 1, sizeof(*reason)) < 0)
		return -1;
	plan->reasons[plan->reason_count++] = *reason;
	return 0;
}

static const char *const wait_texts[] = {
	[ASTRA_WAIT_NONE] = "may start now",
	[ASTRA_WAIT_BLOCKED] = "not eligible",
	[ASTRA_WAIT_RANK] = "waits its turn",
	[ASTRA_WAIT_HOLD] = "next, GPUs are being collected",
	[ASTRA_WAIT_GRANTED] = "granted, GPUs are being freed",
	[ASTRA_WAIT_PLACE] = "no node has room for it",
	[ASTRA_WAIT_RECLAIM] = "next, MaxReclaim reached",
	[ASTRA_WAIT_REFUSED] = "Slurm refuses the start",
	[ASTRA_WAIT_CLEANUP] = "last run is being cleaned up",
	[ASTRA_WAIT_TOO_BIG] = "would not fit if all leased jobs ended",
	[ASTRA_WAIT_PINNED] = "needs GPUs of jobs that cannot be requeued",
	[ASTRA_WAIT_AUCTION] = "others won the auction",
	[ASTRA_WAIT_BATCH] = "collected for the next batch",
	[ASTRA_WAIT_PLANNED] = "planned",
	[ASTRA_WAIT_PRICE] = "costs more than it is worth now",
	[ASTRA_WAIT_LEARNED] = "its class has no GPUs left",
	[ASTRA_WAIT_CPUS] = "needs CPUs of jobs without a lease",
	[ASTRA_WAIT_DENIED] = ASTRA_REFUSED_TEXT,
	[ASTRA_WAIT_CAP] = "cap of GPU hours",
};

static const char *const wait_names[] = {
	[ASTRA_WAIT_NONE] = "none",	  [ASTRA_WAIT_BLOCKED] = "blocked",
	[ASTRA_WAIT_RANK] = "rank",	  [ASTRA_WAIT_HOLD] = "hold_gpus",
	[ASTRA_WAIT_GRANTED] = "granted", [ASTRA_WAIT_PLACE] = "place",
	[ASTRA_WAIT_RECLAIM] = "reclaim", [ASTRA_WAIT_REFUSED] = "refused",
	[ASTRA_WAIT_CLEANUP] = "cleanup", [ASTRA_WAIT_TOO_BIG] = "too_big",
	[ASTRA_WAIT_PINNED] = "pinned",	  [ASTRA_WAIT_AUCTION] = "auction",
	[ASTRA_WAIT_BATCH] = "batch",	  [ASTRA_WAIT_PLANNED] = "planned",
	[ASTRA_WAIT_PRICE] = "price",	  [ASTRA_WAIT_LEARNED] = "learned",
	[ASTRA_WAIT_CPUS] = "cpus",	  [ASTRA_WAIT_DENIED] = "denied",
	[ASTRA_WAIT_CAP] = "cap",
};

const char *astra_wait_name(enum astra_wait wait)
{
	return wait_names[wait];
}

const char *astra_lack_text(enum astra_lack lack)
{
	static const char *const texts[] = {
		[ASTRA_LACK_NONE] = "",
		[ASTRA_LACK_CPUS] = "CPUs",
		[ASTRA_LACK_MEMORY] = "memory",
		[ASTRA_LACK_BOTH] = "CPUs and memory",
	};

	return texts[lack];
}

static void denied_text(const struct astra_reason *reason, char *text,
			size_t size)
{
	if (isinf(reason->price))
		snprintf(text, size,
			 ASTRA_REFUSED_BEGIN "no room for it in the plan");
	else
		snprintf(text, size,
			 ASTRA_REFUSED_BEGIN "costs %.3g, is worth %.3g",
			 reason->price, reason->worth);
}

void astra_reason_text(const struct astra_reason *reason, double now_sec,
		       char *text, size_t size)
{
	const char *words = wait_texts[reason->wait];
	size_t used;

	if (reason->wait == ASTRA_WAIT_PLACE && reason->lack)
		snprintf(text, size, "Lease: no node has the %s for it",
			 astra_lack_text(reason->lack));
	else if (reason->wait == ASTRA_WAIT_PINNED && reason->lack)
		snprintf(text, size, "Lease: needs %s of jobs without leases",
			 astra_lack_text(reason->lack));
	else
		snprintf(text, size, "Lease: %s", words);
	if (reason->wait == ASTRA_WAIT_PRICE && isinf(reason->price))
		snprintf(text, size, "Lease: no room for it in the plan");
	else if (reason->wait == ASTRA_WAIT_PRICE && reason->poor)
		snprintf(text, size,
			 "Lease: costs %.3g, its tenant lacks credits",
			 reason->price);
	else if (reason->wait == ASTRA_WAIT_PRICE && reason->price > 0)
		snprintf(text, size, "Lease: costs %.3g now, is worth %.3g",
			 reason->price, reason->worth);
	else if (reason->wait == ASTRA_WAIT_DENIED)
		denied_text(reason, text, size);
	else if (reason->wait == ASTRA_WAIT_CAP)
		snprintf(text, size, "Lease: %s's cap of %.6g GPU hours",
			 reason->cap_user ? "user" : "tenant",
			 reason->cap_hours);
	used = strlen(text);
	if (reason->rank && (reason->wait == ASTRA_WAIT_RANK ||
			     reason->wait == ASTRA_WAIT_AUCTION))
		snprintf(text + used, size - used, ", rank %u of %u",
			 reason->rank, reason->ranks);
	else if (reason->start_sec > now_sec)
		snprintf(text + used, size - used, ", about %.0f s",
			 reason->start_sec - now_sec);
}
