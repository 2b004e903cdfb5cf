/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State files of earlier releases go on. testsuite/unit/state/v4 was written by
 * 1.0.0 (commit 69fcc525): two nodes of 8 GPUs at 1000 s, leases of 60 s, tenants
 * a (2), b (1), idle (1); saved at 1200 s.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "src/store/state_file.h"
#include "testsuite/unit/member_rows.h"
#include "testsuite/unit/unit.h"

static struct astra_options options;

static void *read_state(const char *name, size_t *size)
{
	const char *top = getenv("top_srcdir");
	struct astra_error err = {""};
	void *data = NULL;
	bool fallback;
	char path[4096];

	snprintf(path, sizeof(path), "%s/testsuite/unit/state/%s",
		 top ? top : ".", name);
	if (astra_state_read(path, &data, size, &fallback, &err) < 0 || !data)
		fail_msg("%s: %s", path, err.text);
	return data;
}

struct known_job {
	uint32_t id;
	enum astra_job_state state;
	enum astra_phase phase;
	uint32_t gpus, leases, revoked;
	double submit_sec, start_sec, lease_end_sec, lost_sec;
	double alloc, fair;
};

struct known_tenant {
	const char *name;
	double weight, alloc, fair, held;
};

/* What the release that wrote it says of it for at_sec. */
struct known_state {
	const char *name;
	double at_sec;
	const struct known_job *jobs;
	size_t job_count;
	const struct known_tenant *tenants;
	size_t tenant_count;
};

static const struct known_job jobs_4[] = {
	{1, ASTRA_JOB_RUNNING, ASTRA_PHASE_LEASED, 8, 2, 1, 1000, 1183, 1243, 0,
	 624, 2048 / 3.},
	{2, ASTRA_JOB_PENDING, ASTRA_PHASE_WAITING, 8, 1, 1, 1000, 0, 0, 0, 480,
	 268},
	{3, ASTRA_JOB_PENDING, ASTRA_PHASE_WAITING, 8, 1, 1, 1000, 0, 0, 0, 480,
	 268},
	{4, ASTRA_JOB_ENDED, ASTRA_PHASE_WAITING, 4, 1, 0, 1000, 0, 0, 0, 120,
	 728 / 3.},
	{5, ASTRA_JOB_RUNNING, ASTRA_PHASE_LEASED, 4, 2, 1, 1000, 1183, 1243, 1,
	 312, 268},
	{6, ASTRA_JOB_PENDING, ASTRA_PHASE_WAITING, 16, 1, 1, 1000, 0, 0, 0,
	 960, 2048 / 3.},
};

static const struct known_tenant tenants_4[] = {
	{"a", 2, 1704, 1608, 8},
	{"b", 1, 1272, 804, 4},
	{"idle", 1, 0, 0, 0},
};

static const struct known_state states[] = {
	{"v4", 1201, jobs_4, ASTRA_COUNT_OF(jobs_4), tenants_4,
	 ASTRA_COUNT_OF(tenants_4)},
};

static void check_job(const struct astra_job_view *v, const struct known_job *j)
{
	assert_int_equal(v->id, j->id);
	assert_int_equal(v->state, j->state);
	assert_int_equal(v->phase, j->phase);
	assert_int_equal(v->gpus, j->gpus);
	assert_int_equal(v->leases, j->leases);
	assert_int_equal(v->revoked, j->revoked);
	assert_true(v->submit_sec == j->submit_sec);
	assert_true(v->start_sec == j->start_sec);
	assert_true(v->lease_end_sec == j->lease_end_sec);
	assert_true(v->lost_sec == j->lost_sec);
	assert_true(fabs(v->usage.alloc - j->alloc) < 1e-6);
	assert_true(fabs(v->usage.fair - j->fair) < 1e-6);
}

static void check_engine(const struct astra_engine *e,
			 const struct known_state *known)
{
	assert_int_equal(astra_engine_job_count(e), known->job_count);
	for (size_t i = 0; i < known->job_count; i++) {
		struct astra_job_view v;

		astra_engine_job_view(e, i, known->at_sec, &v);
		check_job(&v, &known->jobs[i]);
	}
	assert_int_equal(astra_engine_tenant_count(e), known->tenant_count);
	for (size_t i = 0; i < known->tenant_count; i++) {
		const struct known_tenant *t = &known->tenants[i];
		struct astra_tenant_view v;

		astra_engine_tenant_view(e, i, known->at_sec, &v);
		assert_string_equal(v.name, t->name);
		assert_true(v.weight == t->weight);
		assert_true(fabs(v.usage.alloc - t->alloc) < 1e-6);
		assert_true(fabs(v.usage.fair - t->fair) < 1e-6);
		assert_true(v.alloc_gpus == t->held);
	}
}

static void check_state(const struct known_state *known)
{
	struct astra_error err = {""};
	struct astra_engine *e;
	struct astra_bytes again = {0};
	size_t size;
	void *data = read_state(known->name, &size);

	e = astra_engine_restore(&options, data, size, &err);
	free(data);
	if (!e)
		fail_msg("%s: %s", known->name, err.text);
	check_engine(e, known);
	/* And what this release makes of it is the same once more. */
	assert_int_equal(astra_engine_save(e, &again), 0);
	astra_engine_destroy(e);
	e = astra_engine_restore(&options, again.data, again.size, &err);
	if (!e)
		fail_msg("%s: %s", known->name, err.text);
	check_engine(e, known);
	astra_engine_destroy(e);
	astra_bytes_clear(&again);
}

static void states_of_earlier_releases_go_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(states); i++)
		check_state(&states[i]);
}

static void unknown_versions_are_refused_by_name(void **state)
{
	static const uint32_t versions[] = {0, 3, 99, UINT32_MAX};
	size_t size;
	uint8_t *data = read_state("v4", &size);

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(versions); i++) {
		struct astra_error err = {""};
		char text[32];

		for (size_t k = 0; k < 4; k++)
			data[k] = (uint8_t)(versions[i] >> 8 * k);
		assert_null(astra_engine_restore(&options, data, size, &err));
		snprintf(text, sizeof(text), "version %u,", versions[i]);
		assert_non_null(strstr(err.text, text));
	}
	free(data);
}

#define JOB(member) ROWS_BUT(ejob, member)

/* A member that is new is saved, or stands here: what the next round finds out
 * again, and what was decided but not yet done. */
static void every_member_of_a_job_survives_or_need_not(void **state)
{
	struct astra_member rows[32];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; astra_state_job_counts[i].key; i++)
		rows[count++] = astra_state_job_counts[i];
	for (size_t i = 0; astra_state_job_times[i].key; i++)
		rows[count++] = astra_state_job_times[i];
	for (size_t i = 0; astra_state_job_places[i].key; i++)
		rows[count++] = astra_state_job_places[i];
	assert_true(count < ASTRA_COUNT_OF(rows));
	rows[count] = (struct astra_member)ASTRA_MEMBERS_END;
	ROWS_CHECK(ejob, rows, /* saved one by one */ JOB(revocable), JOB(ran),
		   JOB(lent), JOB(late), JOB(unfit), JOB(collected),
		   JOB(balked), JOB(balk), JOB(weight), JOB(charge),
		   JOB(held_charge), JOB(user), JOB(bound_sec), JOB(away_sec),
		   JOB(kept_bound_sec), JOB(capped), JOB(keep_until_sec),
		   JOB(vain), JOB(vain_sec), JOB(vain_shape), JOB(blocker),
		   /* of the next snapshot */ JOB(account), JOB(booting),
		   JOB(uncharged), JOB(min_run_sec), JOB(gpus_least), JOB(seen),
		   JOB(index), JOB(held), JOB(held_count), JOB(shape),
		   JOB(elastic), JOB(lacks),
		   /* lists and sums of the present one */ JOB(noted_end_sec),
		   JOB(over), JOB(bound_to_leave), JOB(advance),
		   JOB(advance_tenant), JOB(advance_user), JOB(awaits),
		   JOB(cap_copies),
		   /* decided anew */ JOB(doomed_for), JOB(early_for),
		   JOB(early_gpu_sec), JOB(grants), JOB(refusals), JOB(served),
		   JOB(awaited), JOB(told_sec), JOB(blocked_sec),
		   JOB(fits_key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_of_earlier_releases_go_on),
		cmocka_unit_test(unknown_versions_are_refused_by_name),
		cmocka_unit_test(every_member_of_a_job_survives_or_need_not),
	};

	astra_options_init(&options);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
