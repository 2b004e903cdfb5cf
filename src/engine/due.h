/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Those who are due: their quota has paid, or they waited too long. First
 * starts have a bound, so they go before those who ran. There may be thousands,
 * and a round plans for a few: so they are kept as a heap, the first on top. */
#ifndef ASTRA_LEASE_DUE_H
#define ASTRA_LEASE_DUE_H

#include "src/engine/hold.h"

struct due {
	struct contender *c;
	double since_sec;
	bool anybody; /* whoever has the GPUs pays */
	bool owed;    /* it ran already */
	bool again;   /* it has a hold, which is far away */
};

/* Whether it may be, by the time that it waits. */
bool astra_due_soon(const struct round *r, const struct contender *c);

/* Whether a contender is due, the nth of its array's tasks that wait. */
bool astra_due(const struct turns *turns, struct contender *c, size_t nth,
	       struct due *due);

void astra_dues_sort(struct due *heap, size_t count);
/* Takes the first one off. *count > 0. */
struct due astra_dues_next(struct due *heap, size_t *count);

#endif
