/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an auction adds to a round of the engine: 40 apps of 16 jobs on 32 nodes
 * of 8 GPUs in 4 racks. Steps of a virtual cluster at whose time all leases are
 * over, under themis (by its estimates, and with a bid of each app), under
 * ltgf+themis, and under ltgf, the peer of the same run. Medians; nothing is
 * asserted. */
#include <stdio.h>
#include <string.h>

#include "testsuite/bench/bench.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

enum {
	NODES = 32,
	TENANTS = 20,
	GPUS = 8,
	APPS = 40,
	JOBS = 16,
	ROUNDS = 40,
	TERM = 20
};

static double tables[APPS][ASTRA_LEVEL_COUNT * JOBS];
static struct astra_bid bids[APPS];
static char names[TENANTS][8];

static void make_bids(void)
{
	for (uint32_t i = 0; i < APPS; i++) {
		bids[i] = (struct astra_bid){
			.app = astra_app_named(i + 1),
			.rho_now = 2,
			.gpus_max = JOBS,
			.table = tables[i],
		};
		for (size_t k = 0; k < ASTRA_LEVEL_COUNT * JOBS; k++)
			tables[i][k] = 1 + 10.0 / (double)(k % JOBS + 1) +
				       (double)(i % 7);
	}
}

static void begin(struct vcluster *vc, const char *policy, bool with_bids)
{
	vc_init(vc, NODES, GPUS);
	for (uint32_t n = 0; n < NODES; n++)
		vc->nodes[n].rack = n / 8;
	strcpy(vc->options.policy, policy);
	vc->options.lease_sec = TERM;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.fairness_knob = 0;
	vc->options.trust_bids = with_bids;
	vc->bids = with_bids ? bids : NULL;
	vc->bid_count = with_bids ? APPS : 0;
	vc_begin(vc);
	for (uint32_t i = 0; i < TENANTS; i++) {
		snprintf(names[i], sizeof(names[i]), "t%u", i);
		vc_tenant(vc, names[i], 1 + i % 3);
	}
	for (uint32_t i = 0; i < APPS * JOBS; i++) {
		uint32_t app = i % APPS;
		struct vjob *v = vc_submit(vc, app % TENANTS, 1, HUGE_VAL);

		v->job.forecast.app = app + 1;
		v->job.forecast.work_sec = 1000 + 500 * (app % 9);
	}
}

/* The longest step of each term, in which its leases end; their median in ms.
 */
static double measure(const char *policy, bool with_bids)
{
	static struct vcluster vc;
	double samples[ROUNDS] = {0};

	begin(&vc, policy, with_bids);
	vc_run(&vc, vc.now_sec + TERM);
	for (int i = 0; i < ROUNDS * TERM; i++) {
		double began = bench_now_ms();

		vc_step(&vc);
		began = bench_now_ms() - began;
		if (began > samples[i / TERM])
			samples[i / TERM] = began;
	}
	vc_fini(&vc);
	return bench_median(samples, ROUNDS);
}

int main(void)
{
	static const struct {
		const char *policy;
		bool with_bids;
	} rows[] = {{"ltgf", false},
		    {"themis", false},
		    {"themis", true},
		    {"ltgf+themis", false},
		    {"ltgf+themis", true}};
	double peer = 0;

	make_bids();
	printf("the step at which leases end, in ms, medians of %d; "
	       "peer: ltgf\n\n",
	       ROUNDS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double ms = measure(rows[i].policy, rows[i].with_bids);

		if (!i)
			peer = ms;
		printf("%-12s %-10s %8.2f  adds %6.2f  x %.1f\n",
		       rows[i].policy,
		       rows[i].with_bids ? "bids"
		       : i		 ? "estimates"
					 : "",
		       ms, ms - peer, ms / peer);
	}
	return 0;
}
