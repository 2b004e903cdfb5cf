/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job runs where in which slots: the deals of one window, by job. Slot t
 * is the time (t - 1, t] from the calendar's origin, in slots. */
#ifndef ASTRA_CALENDAR_H
#define ASTRA_CALENDAR_H

#include "src/common/bytes.h"
#include "src/model/model.h"
#include "src/model/node_names.h"

struct astra_calendar_entry {
	uint32_t job;	 /* id of the job; for an array, each entry is for one
			  * of its tasks */
	uint32_t copies; /* number of tasks of its record when the entry was
			  * planned */
	uint32_t rank;	 /* index among the entries of this job */
	uint32_t first, last;
	size_t first_share, share_count; /* nodes and GPUs */
};

/* A calendar. If zeroed, it is empty. */
struct astra_calendar {
	struct astra_calendar_entry *entries; /* sorted by job, then by first
					       * slot */
	size_t count, room;
	struct astra_share *shares;
	size_t share_count, share_room;
};

/* Append an entry; its first_share and share_count are filled in. It is found
 * only after astra_calendar_sort(). Returns 0, or -1 when memory is out. */
int astra_calendar_add(struct astra_calendar *calendar,
		       const struct astra_calendar_entry *entry,
		       const struct astra_share *shares, size_t share_count);
void astra_calendar_sort(struct astra_calendar *calendar);

/* Return the entries of a job; borrowed. */
const struct astra_calendar_entry *
astra_calendar_find(const struct astra_calendar *calendar, uint32_t job,
		    size_t *count);

/* Renumber nodes. If an entry's node is gone, the entry stays, with ASTRA_NONE
 * for all its nodes. */
void astra_calendar_renumber(struct astra_calendar *calendar,
			     const struct astra_renumbering *by);

/* Forget all entries; the memory stays. */
void astra_calendar_reset(struct astra_calendar *calendar);
void astra_calendar_free(struct astra_calendar *calendar);

void astra_calendar_save(const struct astra_calendar *calendar,
			 struct astra_bytes *out);
/* Read a calendar into an empty one. Returns 0, or -1 when memory is out or the
 * data is damaged. */
int astra_calendar_restore(struct astra_calendar *calendar,
			   struct astra_reader *in);

#endif
