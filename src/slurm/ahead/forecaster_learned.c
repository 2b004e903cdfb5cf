/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/slurm/ahead/forecaster_priv.h"
#include "src/slurm/check/damage.h"
#include "src/store/state_file.h"

#define NAME "astraea-runtimes" /* a pool's file is astraea.POOL */
#define SAVE_SEC 60

static struct astra_runtimes runtimes;
static char path[PATH_MAX]; /* "": nowhere */
static bool loaded;
static bool failing; /* and the log says so */
static time_t saved_sec;
static double seen_sec; /* of this round's picture */

/* On disk. What is lost costs estimates only, so nobody waits for the disk. */

static void forecaster_learned_load(void)
{
	struct astra_error err = {""}, why;
	bool fallback;
	void *data = NULL;
	size_t size;
	int rc;

	loaded = true;
	saved_sec = time(NULL);
	if (!*path)
		return;
	rc = astra_state_read(path, &data, &size, &fallback, &err);
	if (!rc && data &&
	    astra_runtimes_restore(&runtimes, data, size, &why) < 0)
		rc = astra_error_set(&err, "%s: %s", path, why.text);
	free(data);
	if (!rc)
		return;
	astra_damage_tell("how long jobs run is learned anew: %s", err.text);
	astra_damage_keep(path);
}

static void forecaster_learned_save(void)
{
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	saved_sec = time(NULL);
	if (!*path || !runtimes.changed)
		return;
	if (astra_runtimes_save(&runtimes, &bytes) < 0)
		astra_error_nomem(&err);
	else
		(void)astra_state_write(path, bytes.data, bytes.size, 0, &err);
	astra_bytes_clear(&bytes);
	runtimes.changed = *err.text;
	if (runtimes.changed && !failing)
		error("astraea: how long jobs run is not saved: %s", err.text);
	failing = runtimes.changed;
}

void astra_learned_begin(const char *folder)
{
	if (!folder ||
	    snprintf(path, sizeof(path), "%s/" NAME, folder) >= PATH_MAX)
		*path = '\0';
}

void astra_learned_end(void)
{
	if (loaded)
		forecaster_learned_save();
	astra_runtimes_clear(&runtimes);
	loaded = failing = false;
}

/* By round. */

static struct astra_runtime_job runtime_of(const struct astra_view *view,
					   size_t i)
{
	return astra_runtime_job_of(&view->jobs[i], view->info[i].uid,
				    view->info[i].name);
}

void astra_learned_see(const struct astra_view *view)
{
	if (!loaded)
		forecaster_learned_load();
	seen_sec = view->model.now_sec;
	for (size_t i = 0; i < view->job_count; i++) {
		struct astra_runtime_job job = runtime_of(view, i);

		(void)astra_runtimes_see(&runtimes, &job);
	}
	for (size_t i = 0; i < view->other_count; i++)
		(void)astra_runtimes_see(&runtimes, &view->others[i].job);
}

void astra_learned_round_ends(void)
{
	astra_runtimes_seen(&runtimes, seen_sec);
	if (loaded && time(NULL) >= saved_sec + SAVE_SEC)
		forecaster_learned_save();
}

/* For a look ahead. */

static int guess_runs(const struct astra_view *view, enum astra_guess_kind kind,
		      struct look *look)
{
	struct astra_run_guess *guesses =
		calloc(view->job_count + 1, sizeof(*guesses));

	look->guesses[kind] = guesses;
	for (size_t i = 0; guesses && i < view->job_count; i++) {
		struct astra_runtime_job job = runtime_of(view, i);

		guesses[i] = astra_runtimes_guess(&runtimes, &job,
						  &view->jobs[i].forecast, kind,
						  view->model.now_sec);
	}
	return guesses ? 0 : -1;
}

/* Infinite: nobody knows. */
static double leaves_sec(const struct astra_other *other,
			 enum astra_guess_kind kind, double now_sec)
{
	if (!other->job.running) /* it is being cleaned up */
		return now_sec;
	return now_sec +
	       astra_runtimes_guess_other(&runtimes, &other->job, kind, now_sec)
		       .left_sec;
}

static int guess_releases(const struct astra_view *view,
			  enum astra_guess_kind kind, struct look *look)
{
	struct astra_release *releases;
	size_t count = 0;

	for (size_t i = 0; i < view->other_count; i++)
		count += view->others[i].held_count;
	releases = calloc(count + 1, sizeof(*releases));
	look->releases[kind] = releases;
	count = 0;
	for (size_t i = 0; releases && i < view->other_count; i++) {
		const struct astra_other *other = &view->others[i];
		double at = leaves_sec(other, kind, view->model.now_sec);

		for (size_t k = 0; isfinite(at) && k < other->held_count; k++)
			releases[count++] = (struct astra_release){
				.at_sec = at,
				.share = other->held[k],
			};
	}
	look->release_count[kind] = count;
	return releases ? 0 : -1;
}

int astra_learned_guess(const struct astra_view *view, struct look *look)
{
	for (int kind = 0; kind < ASTRA_GUESSES; kind++)
		if (guess_runs(view, (enum astra_guess_kind)kind, look) < 0 ||
		    guess_releases(view, (enum astra_guess_kind)kind, look) < 0)
			return -1;
	return 0;
}
