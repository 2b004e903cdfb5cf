/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run times that outlive the process. The layout is versioned as a whole. */
#include <math.h>

#include "src/common/grow.h"
#include "src/foresee/runtimes_priv.h"

#define STATE_VERSION 1

static size_t kept_of(const struct runtime_row *row)
{
	return row->count < ASTRA_RUNTIMES_KEPT ? row->count
						: ASTRA_RUNTIMES_KEPT;
}

int astra_runtimes_save(const struct astra_runtimes *r, struct astra_bytes *out)
{
	astra_put_u32(out, STATE_VERSION);
	astra_put_u64(out, r->learned);
	astra_put_f64(out, r->seen_sec);
	astra_put_u32(out, (uint32_t)r->count);
	astra_put_u32(out, (uint32_t)r->job_count);
	for (size_t i = 0; i < r->count; i++) {
		const struct runtime_row *row = &r->rows[i];

		astra_put_u64(out, row->key);
		astra_put_u64(out, row->learned);
		astra_put_u32(out, row->count);
		for (size_t k = 0; k < kept_of(row); k++)
			astra_put_f64(out, row->ran_sec[k]);
	}
	for (size_t i = 0; i < r->job_count; i++) {
		astra_put_u32(out, r->jobs[i].id);
		astra_put_u32(out, r->jobs[i].run);
		astra_put_u32(out, r->jobs[i].over);
		astra_put_f64(out, r->jobs[i].before_sec);
	}
	return out->failed ? -1 : 0;
}

/* Rows are searched by halves: their keys have to grow. */
static int runtimes_state_restore_row(struct astra_runtimes *r,
				      struct astra_reader *in)
{
	struct runtime_row row = {.key = astra_get_u64(in)};

	row.learned = astra_get_u64(in);
	row.count = astra_get_u32(in);
	for (size_t k = 0; k < kept_of(&row); k++) {
		row.ran_sec[k] = astra_get_f64(in);
		if (!isfinite(row.ran_sec[k]) || !(row.ran_sec[k] > 0))
			return -1;
	}
	if (in->failed || !row.count || row.learned > r->learned ||
	    (r->count && r->rows[r->count - 1].key >= row.key) ||
	    astra_grow(&r->rows, &r->room, r->count + 1, sizeof(row)) < 0)
		return -1;
	r->rows[r->count++] = row;
	return 0;
}

static int runtimes_state_restore_job(struct astra_runtimes *r,
				      struct astra_reader *in)
{
	struct runtime_job job = {.id = astra_get_u32(in), .met = true};

	job.run = astra_get_u32(in);
	job.over = astra_get_u32(in) != 0;
	job.before_sec = astra_get_f64(in);
	if (in->failed || !isfinite(job.before_sec) || job.before_sec < 0 ||
	    (r->job_count && r->jobs[r->job_count - 1].id >= job.id) ||
	    astra_grow(&r->jobs, &r->job_room, r->job_count + 1, sizeof(job)) <
		    0)
		return -1;
	r->jobs[r->job_count++] = job;
	return 0;
}

static int runtimes_state_restore(struct astra_runtimes *r,
				  struct astra_reader *in)
{
	uint32_t rows, jobs;
	int rc = 0;

	r->learned = astra_get_u64(in);
	r->seen_sec = astra_get_f64(in);
	rows = astra_get_u32(in);
	jobs = astra_get_u32(in);
	if (rows > RUNTIME_ROWS_MAX || !isfinite(r->seen_sec))
		return -1;
	for (uint32_t i = 0; !rc && i < rows; i++)
		rc = runtimes_state_restore_row(r, in);
	for (uint32_t i = 0; !rc && i < jobs; i++)
		rc = runtimes_state_restore_job(r, in);
	return rc || in->failed || in->at != in->size ? -1 : 0;
}

int astra_runtimes_restore(struct astra_runtimes *r, const void *data,
			   size_t size, struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	uint32_t version = astra_get_u32(&in);

	if (!in.failed && version != STATE_VERSION)
		return astra_error_set(err, "version %u, this release reads %u",
				       version, STATE_VERSION);
	if (!in.failed && runtimes_state_restore(r, &in) == 0)
		return 0;
	astra_runtimes_clear(r);
	return astra_error_set(err, "damaged");
}
