/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of jobs, apps and arrays, as bytes. Only rows of the present
 * version are read. */
#include <math.h>
#include <string.h>

#include "src/common/member.h"
#include "src/proto/query.h"
#include "src/slurm/note/progress.h"
#include "src/slurm/note/progress_priv.h"

static const struct astra_member entry_members[] = {
	ASTRA_MEMBER(progress_entry, REAL, progress.time_sec),
	ASTRA_MEMBER(progress_entry, U32, progress.run),
	ASTRA_MEMBER(progress_entry, U64, progress.done),
	ASTRA_MEMBER(progress_entry, U64, progress.total),
	ASTRA_MEMBER(progress_entry, REAL, progress.iter_sec),
	ASTRA_MEMBER(progress_entry, REAL, progress.loss),
	ASTRA_MEMBER(progress_entry, REAL, checkpoint.time_sec),
	ASTRA_MEMBER(progress_entry, U64, checkpoint.step),
	ASTRA_MEMBER(progress_entry, FLAG, fresh),
	ASTRA_MEMBER(progress_entry, INT, at),
	ASTRA_MEMBER(progress_entry, REAL, share),
	ASTRA_MEMBER(progress_entry, U32, saved_run),
	ASTRA_MEMBER(progress_entry, FLAG, unguarded[0]),
	ASTRA_MEMBER(progress_entry, FLAG, unguarded[1]),
	ASTRA_MEMBER(progress_entry, U32, told),
	ASTRA_MEMBERS_END,
};

static const struct astra_member guard_members[] = {
	ASTRA_MEMBER(astra_guard, REAL, term_sec),
	ASTRA_MEMBER(astra_guard, REAL, longest_sec),
	ASTRA_MEMBER(astra_guard, FLAG, signalled),
	ASTRA_MEMBER(astra_guard, FLAG, begun),
	ASTRA_MEMBER(astra_guard, FLAG, heard),
	ASTRA_MEMBER(astra_guard, FLAG, started_up),
	ASTRA_MEMBER(astra_guard, U32, run),
	ASTRA_MEMBER(astra_guard, REAL, start_sec),
	ASTRA_MEMBER(astra_guard, REAL, seen_sec),
	ASTRA_MEMBER(astra_guard, U64, first),
	ASTRA_MEMBER(astra_guard, U64, newest),
	ASTRA_MEMBER(astra_guard, U64, step),
	ASTRA_MEMBER(astra_guard, REAL, signal_sec),
	ASTRA_MEMBER(astra_guard, FLAG, open),
	ASTRA_MEMBER(astra_guard, U64, open_first),
	ASTRA_MEMBER(astra_guard, REAL, open_sec),
	ASTRA_MEMBER(astra_guard, REAL, startup_sec[0]),
	ASTRA_MEMBER(astra_guard, REAL, startup_sec[1]),
	ASTRA_MEMBER(astra_guard, REAL, iter_sec),
	ASTRA_MEMBER(astra_guard, REAL, gap_sec),
	ASTRA_MEMBER(astra_guard, REAL, write_sec),
	ASTRA_MEMBER(astra_guard, FLAG, saves),
	ASTRA_MEMBER(astra_guard, U64, saved),
	ASTRA_MEMBER(astra_guard, REAL, saved_sec),
	ASTRA_MEMBER(astra_guard, U32, saved_run),
	ASTRA_MEMBER(astra_guard, U32, barren),
	ASTRA_MEMBER(astra_guard, REAL, lease_sec),
	ASTRA_MEMBER(astra_guard, REAL, was_sec),
	ASTRA_MEMBER(astra_guard, REAL, need_sec),
	ASTRA_MEMBER(astra_guard, U32, wasted),
	ASTRA_MEMBER(astra_guard, FLAG, capped),
	ASTRA_MEMBER(astra_guard, U32, changes),
	ASTRA_MEMBERS_END,
};

/* Save the measurements of each level, oldest first. The index of the next one
 * is not saved: it follows from the count. */
static void save_speed(const struct astra_speed *speed, struct astra_bytes *out)
{
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++) {
		uint32_t count = speed->count[l];
		uint32_t first = speed->next[l] + ASTRA_SPEED_RECENT - count;

		astra_put_u32(out, count);
		for (uint32_t i = 0; i < count; i++)
			astra_put_f64(out,
				      speed->recent[l][(first + i) %
						       ASTRA_SPEED_RECENT]);
	}
}

static int restore_speed(struct astra_speed *speed, struct astra_reader *in)
{
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++) {
		uint32_t count = astra_get_u32(in);

		if (count > ASTRA_SPEED_RECENT)
			return -1;
		for (uint32_t i = 0; i < count; i++) {
			double gpu_sec = astra_get_f64(in);

			if (!(gpu_sec > 0) || !isfinite(gpu_sec))
				return -1;
			astra_speed_note(speed, (enum astra_level)l, gpu_sec);
		}
	}
	return in->failed ? -1 : 0;
}

/* Whether all numbers of a row, except its loss, are finite and >= 0. */
static bool is_sound_row(const void *record, const struct astra_member *members)
{
	for (const struct astra_member *m = members; m->key; m++) {
		double value;

		if (m->kind != ASTRA_MEMBER_REAL ||
		    !strcmp(m->key, "progress.loss"))
			continue;
		memcpy(&value, (const char *)record + m->offset, sizeof(value));
		if (!(value >= 0) || !isfinite(value))
			return false;
	}
	return true;
}

static bool progress_state_is_sound(const struct progress_entry *e)
{
	return e->key && is_sound_row(e, entry_members) &&
	       is_sound_row(&e->guard, guard_members) &&
	       !isinf(e->progress.loss) &&
	       e->progress.done <= ASTRA_COUNT_MAX &&
	       e->progress.total <= ASTRA_COUNT_MAX &&
	       e->checkpoint.step <= ASTRA_COUNT_MAX &&
	       e->progress.iter_sec <= ASTRA_ITER_SEC_MAX &&
	       (unsigned)e->at < ASTRA_LEVEL_COUNT;
}

void progress_save(const struct progress_table *t, struct astra_bytes *out)
{
	astra_put_u32(out, (uint32_t)t->count);
	for (size_t i = 0; i < t->count; i++) {
		astra_put_u32(out, t->list[i].key);
		astra_members_put(out, &t->list[i], entry_members);
		astra_members_put(out, &t->list[i].guard, guard_members);
		save_speed(&t->list[i].speed, out);
		progress_save_size(&t->list[i], out);
	}
}

#define TIMES 6

/* List an entry's times, except those of its sizes. */
static void progress_times(struct progress_entry *e, double *times[TIMES])
{
	struct astra_guard *g = &e->guard;

	times[0] = &e->progress.time_sec;
	times[1] = &e->checkpoint.time_sec;
	times[2] = &g->start_sec;
	times[3] = &g->seen_sec;
	times[4] = &g->signal_sec;
	times[5] = &g->saved_sec;
}

/* Limit an entry's times to now_sec, as the clock may have been set back. */
static void not_after(struct progress_entry *e, double now_sec)
{
	double *times[TIMES];

	progress_times(e, times);
	for (size_t i = 0; i < TIMES; i++)
		*times[i] = fmin(*times[i], now_sec);
}

/* Shift a time; 0 stands for "none" and stays 0. */
static void progress_shift_time(double *sec, double by_sec)
{
	if (*sec > 0)
		*sec = fmax(*sec + by_sec, 1);
}

void progress_shift(struct progress_table *t, double by_sec)
{
	for (size_t i = 0; i < t->count; i++) {
		struct progress_entry *e = &t->list[i];
		double *times[TIMES];

		progress_times(e, times);
		for (size_t k = 0; k < TIMES; k++)
			progress_shift_time(times[k], by_sec);
		for (size_t k = 0; k < ASTRA_SCALING_SIZES; k++)
			progress_shift_time(&e->scaling.sizes[k].seen_sec,
					    by_sec);
	}
}

static int progress_state_restore_row(struct progress_table *t,
				      struct astra_reader *in, double now_sec)
{
	struct progress_entry row = {.key = astra_get_u32(in)}, *e;

	astra_members_get(in, &row, entry_members);
	astra_members_get(in, &row.guard, guard_members);
	if (restore_speed(&row.speed, in) < 0 ||
	    progress_restore_size(&row, in, now_sec) < 0 ||
	    !progress_state_is_sound(&row) || progress_find(t, row.key))
		return -1;
	not_after(&row, now_sec);
	e = progress_obtain(t, row.key);
	if (!e)
		return -1;
	*e = row;
	return 0;
}

int progress_restore(struct progress_table *t, struct astra_reader *in,
		     uint32_t version, double now_sec)
{
	uint32_t count = astra_get_u32(in);

	if (in->failed || version != ASTRA_PROGRESS_VERSION)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		if (progress_state_restore_row(t, in, now_sec) < 0)
			return -1;
	return 0;
}
