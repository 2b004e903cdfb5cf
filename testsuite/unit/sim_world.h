/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result of a simulation that was made by hand. */
#ifndef ASTRA_SIM_WORLD_H
#define ASTRA_SIM_WORLD_H

#include "src/sim/metrics.h"

/* Four GPUs, two tenants, three jobs. Job 0 has two GPUs at once; job 1 wants
 * all four and waits for it, job 2 for that one. Nobody had GPUs to spare in
 * the third interval, in which b is entitled to nothing. */
struct world {
	struct astra_trace_job trace_jobs[3];
	struct astra_trace_tenant trace_tenants[2];
	const char *users[2];
	struct astra_trace trace;
	struct astra_sim_job jobs[3];
	struct astra_sim_tenant tenants[2];
	struct astra_sim_cell cells[6];
	double used[3];
	double income[2], gain[2];
	struct astra_utility utilities[2];
	struct astra_scheduler scheduler;
	struct astra_sim_result result;
};

static inline void make_world(struct world *w)
{
	*w = (struct world){
		.trace_jobs = {{.name = "j0",
				.tenant = 0,
				.gpus = 2,
				.duration_sec = 100},
			       {.name = "j1",
				.tenant = 1,
				.user = 1,
				.app = 7,
				.gpus = 4,
				.duration_sec = 50},
			       {.name = "j2",
				.tenant = 0,
				.gpus = 1,
				.submit_sec = 100,
				.duration_sec = 50}},
		.users = {"u", ""},
		.trace_tenants = {{"a", 1}, {"b", 1}},
		.jobs = {{.end_sec = 100,
			  .alloc_gpu_sec = 200,
			  .fair_gpu_sec = 200,
			  .cold_gpu_sec = 4},
			 {.start_sec = 100,
			  .end_sec = 150,
			  .alloc_gpu_sec = 200,
			  .fair_gpu_sec = 300,
			  .checkpoint_gpu_sec = 5,
			  .preemptions = 1},
			 {.start_sec = 150,
			  .end_sec = 200,
			  .alloc_gpu_sec = 50,
			  .fair_gpu_sec = 100,
			  .slow_gpu_sec = 18}},
		.tenants = {{250, 250}, {200, 400}},
		.cells = {{200, 200}, {0, 200}, {50, 100}, {200, 100}, {5, 0}},
		.used = {200, 250, 0},
		.income = {30, 10},
		.gain = {60, 20},
		.utilities = {{.kind = ASTRA_UTILITY_LINEAR,
			       .linear = {-36, 8}},
			      {.kind = ASTRA_UTILITY_NONE}},
	};
	for (int i = 0; i < 3; i++)
		w->trace_jobs[i].utility = i == 1 ? 2 : 1;
	w->trace.utilities = w->utilities;
	w->trace.utility_count = 2;
	w->trace.app_count = 7;
	w->result.income = w->income;
	w->result.gain = w->gain;
	w->result.revenue = 40;
	w->result.reward = NAN;
	w->trace.jobs = w->trace_jobs;
	w->trace.job_count = 3;
	w->trace.tenants = w->trace_tenants;
	w->trace.tenant_count = 2;
	w->trace.users = w->users;
	w->trace.user_count = 2;
	w->trace.source = "hand";
	w->scheduler.name = "none";
	w->result.trace = &w->trace;
	w->result.scheduler = &w->scheduler;
	w->result.jobs = w->jobs;
	w->result.tenants = w->tenants;
	w->result.cells = w->cells;
	w->result.interval_count = 3;
	w->result.interval_sec = 100;
	w->result.used_gpu_sec = w->used;
	w->result.gpus = 4;
	w->result.end_sec = 200;
	w->result.stop_sec = 200;
}

#endif
