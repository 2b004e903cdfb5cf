/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/memories.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/member.h"

double astra_themis_census_sum(const struct astra_themis_census *census,
			       double now_sec)
{
	return census->app_sec +
	       census->active * fmax(0, now_sec - census->clock_sec);
}

void astra_themis_census_set(struct astra_themis_census *census, double now_sec,
			     uint32_t active)
{
	census->app_sec = astra_themis_census_sum(census, now_sec);
	census->clock_sec = fmax(census->clock_sec, now_sec);
	census->active = active;
}

double astra_themis_navg(const struct astra_themis_census *census,
			 double start_sec, double start_app_sec, double now_sec)
{
	double life_sec = now_sec - start_sec;

	if (!(life_sec > 0))
		return census->active;
	return (astra_themis_census_sum(census, now_sec) - start_app_sec) /
	       life_sec;
}

static size_t memories_row_of(const struct themis_memory *rows, size_t count,
			      uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct themis_memory *astra_themis_recall(const struct themis_memories *m,
						uint64_t key)
{
	size_t row = memories_row_of(m->rows, m->count, key);

	return row < m->count && m->rows[row].key == key ? &m->rows[row] : NULL;
}

double astra_themis_life_navg(const struct themis_memories *m,
			      const struct themis_memory *app, double now_sec)
{
	return astra_themis_navg(&m->census, app->first_sec, app->before,
				 now_sec);
}

static int compare_memories(const void *a, const void *b)
{
	const struct themis_memory *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Notes that an app was seen. known: the first rows, which existed before and
 * are sorted. */
static void see(struct themis_memories *m, size_t known,
		const struct themis_sight *sight, double now_sec)
{
	size_t row = memories_row_of(m->rows, known, sight->key);

	if (row == known || m->rows[row].key != sight->key) {
		row = m->count++;
		m->rows[row] = (struct themis_memory){
			.key = sight->key,
			.start_sec = sight->start_sec,
			.first_sec = now_sec,
			.before = m->census.app_sec,
		};
	}
	m->rows[row].seen = true;
	m->rows[row].budget_sec =
		fmax(m->rows[row].budget_sec, sight->budget_sec);
	if (sight->gpus > m->rows[row].gpus)
		m->rows[row].gpus = sight->gpus;
}

int astra_themis_remember(struct themis_memories *m,
			  const struct themis_sight *sights, size_t count,
			  double now_sec)
{
	size_t known = m->count, kept = 0;

	astra_themis_census_set(&m->census, now_sec, (uint32_t)count);
	if (astra_grow(&m->rows, &m->room, known + count + 1,
		       sizeof(*m->rows)) < 0)
		return -1;
	for (size_t i = 0; i < known; i++)
		m->rows[i].seen = false;
	for (size_t i = 0; i < count; i++)
		see(m, known, &sights[i], now_sec);
	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i].seen)
			m->rows[kept++] = m->rows[i];
	m->count = kept;
	qsort(m->rows, kept, sizeof(*m->rows), compare_memories);
	return 0;
}

int astra_themis_memories_save(const struct themis_memories *m,
			       struct astra_bytes *out)
{
	astra_put_f64(out, m->census.clock_sec);
	astra_put_f64(out, m->census.app_sec);
	astra_put_u32(out, m->census.active);
	astra_put_u32(out, (uint32_t)m->count);
	for (size_t i = 0; i < m->count; i++) {
		astra_put_u64(out, m->rows[i].key);
		astra_put_f64(out, m->rows[i].start_sec);
		astra_put_f64(out, m->rows[i].first_sec);
		astra_put_f64(out, m->rows[i].before);
		astra_put_f64(out, m->rows[i].budget_sec);
		astra_put_u32(out, m->rows[i].gpus);
	}
	return out->failed ? -1 : 0;
}

/* Whether restored memories are valid; they go into sums and quotients. */
static bool memories_is_sound(const struct themis_memories *m)
{
	if (!isfinite(m->census.clock_sec) || !isfinite(m->census.app_sec))
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct themis_memory *r = &m->rows[i];

		if ((i && r->key <= r[-1].key) || !isfinite(r->start_sec) ||
		    !isfinite(r->first_sec) || !(r->before >= 0) ||
		    !(r->before <= m->census.app_sec) ||
		    !(r->budget_sec >= 0) || !isfinite(r->budget_sec))
			return false;
	}
	return true;
}

int astra_themis_memories_restore(struct themis_memories *m,
				  struct astra_reader *in)
{
	uint32_t count;

	m->census.clock_sec = astra_get_f64(in);
	m->census.app_sec = astra_get_f64(in);
	m->census.active = astra_get_u32(in);
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count && !in->failed; i++) {
		struct themis_memory row = {.key = astra_get_u64(in)};

		row.start_sec = astra_get_f64(in);
		row.first_sec = astra_get_f64(in);
		row.before = astra_get_f64(in);
		row.budget_sec = astra_get_f64(in);
		row.gpus = astra_get_u32(in);
		if (astra_grow(&m->rows, &m->room, m->count + 1, sizeof(row)) <
		    0)
			return -1;
		m->rows[m->count++] = row;
	}
	return in->failed || !memories_is_sound(m) ? -1 : 0;
}

static const struct astra_member fare_members[] = {
	ASTRA_MEMBER(themis_fare, U64, auction),
	ASTRA_MEMBER(themis_fare, U32, rank),
	ASTRA_MEMBER(themis_fare, U32, ranks),
	ASTRA_MEMBER(themis_fare, FLAG, offered),
	ASTRA_MEMBER(themis_fare, U32, won),
	ASTRA_MEMBER(themis_fare, U32, kept),
	ASTRA_MEMBER(themis_fare, U32, given),
	ASTRA_MEMBER(themis_fare, REAL, c),
	ASTRA_MEMBERS_END,
};

void astra_themis_fares_save(const struct themis_memories *m,
			     struct astra_bytes *out)
{
	for (size_t i = 0; i < m->count; i++)
		astra_members_put(out, &m->rows[i].fare, fare_members);
}

int astra_themis_fares_restore(struct themis_memories *m,
			       struct astra_reader *in)
{
	for (size_t i = 0; i < m->count; i++) {
		struct themis_fare *fare = &m->rows[i].fare;

		astra_members_get(in, fare, fare_members);
		if (!isfinite(fare->c) || fare->rank > fare->ranks)
			return -1;
	}
	return in->failed ? -1 : 0;
}

void astra_themis_memories_shift(struct themis_memories *m, double by_sec)
{
	m->census.clock_sec += by_sec;
	for (size_t i = 0; i < m->count; i++) {
		m->rows[i].start_sec += by_sec;
		m->rows[i].first_sec += by_sec;
	}
}

void astra_themis_memories_clear(struct themis_memories *m)
{
	free(m->rows);
	*m = (struct themis_memories){0};
}
