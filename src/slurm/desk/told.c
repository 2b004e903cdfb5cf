/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/told.h"

#include "src/common/idmap.h"
#include "src/slurm/note/bid_files.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"

/* Separate the apps of several users that share an id. An id is made from the
 * app's name and user, so apps of two users may happen to have the same. The
 * user of the active job with the lowest id keeps the app; each job of another
 * user becomes an app of its own. */
static void part_apps(struct astra_view *view)
{
	struct astra_idmap first = {0};

	for (size_t i = 0; i < view->job_count; i++) {
		const struct astra_job *job = &view->jobs[i];
		uint32_t app = job->forecast.app, at;

		if (!app || !astra_job_active(job->state))
			continue;
		at = astra_idmap_get(&first, app);
		if (at == ASTRA_IDMAP_NONE || job->id < view->jobs[at].id)
			(void)astra_idmap_put(&first, app, (uint32_t)i);
	}
	for (size_t i = 0; i < view->job_count && first.count; i++) {
		uint32_t app = view->jobs[i].forecast.app;
		uint32_t at =
			app ? astra_idmap_get(&first, app) : ASTRA_IDMAP_NONE;

		if (at != ASTRA_IDMAP_NONE &&
		    view->info[at].uid != view->info[i].uid)
			view->jobs[i].forecast.app = 0;
	}
	astra_idmap_clear(&first);
}

static void told_add_progress(struct astra_scene *scene,
			      const struct astra_config *config,
			      const struct astra_pools *pools)
{
	astra_progress_begin();
	for (size_t i = 0; i < scene->view_count; i++) {
		const struct astra_view *view = &scene->views[i];
		const struct astra_progress_pool pool = {
			.nodes = view->nodes,
			.options = &config->pools[i].options,
			.engine =
				i < pools->count ? pools->list[i].engine : NULL,
			.now_sec = view->model.now_sec,
		};

		astra_progress_fill(&pool, view->jobs, view->job_count);
	}
	astra_progress_end();
}

/* Read the texts of --bid that this snapshot has copied. */
static void read_files(const struct astra_view *view)
{
	for (size_t i = 0; i < view->job_count; i++) {
		const struct astra_job *job = &view->jobs[i];
		const struct astra_job_info *info = &view->info[i];

		if (info->terms.bid)
			astra_bid_files_learn(job->array_id ? job->array_id
							    : job->id,
					      info->uid, info->terms.bid,
					      info->terms.forecast.slowdown);
	}
}

static void add_bids(struct astra_scene *scene,
		     const struct astra_config *config)
{
	astra_bid_files_begin();
	for (size_t i = 0; i < scene->view_count; i++)
		read_files(&scene->views[i]);
	astra_bids_begin();
	for (size_t i = 0; i < scene->view_count; i++) {
		struct astra_view *view = &scene->views[i];
		struct astra_bids_view bids = {
			.pool = config->pools[i].name,
			.lease_sec = config->pools[i].options.lease_sec,
			.now_sec = view->model.now_sec,
			.jobs = view->jobs,
			.job_count = view->job_count,
			.arena = &scene->arena,
		};

		astra_bids_fill(&bids);
		view->model.bids = bids.bids;
		view->model.bid_count = bids.bid_count;
	}
	astra_bids_end();
	astra_bid_files_end();
}

void astra_told_add(struct astra_scene *scene,
		    const struct astra_config *config,
		    const struct astra_pools *pools)
{
	for (size_t i = 0; i < scene->view_count; i++)
		part_apps(&scene->views[i]);
	told_add_progress(scene, config, pools);
	add_bids(scene, config);
}

void astra_told_shift(double by_sec)
{
	astra_progress_shift(by_sec);
	astra_bids_shift(by_sec);
}

void astra_told_free(void)
{
	astra_progress_free();
	astra_bids_free();
	astra_bid_files_free();
}
