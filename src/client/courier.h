/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that talks to slurmctld, so that the program never waits for it:
 * it sends the newest of what was said, and remembers what was answered. It is
 * started by the first call that needs it, and anew in a child of a fork.
 */
#ifndef SFAIR_COURIER_H
#define SFAIR_COURIER_H

#include <stddef.h>

#include "src/client/place.h"
#include "src/proto/query.h"

/* The environment as it was at the first call. Borrowed. */
const struct sfair_place *sfair_courier_place(void);

/* Leave progress for the next time that it is due; a later one replaces it. */
void sfair_courier_progress(const struct astra_said *said);

/* Send a checkpoint's number at once; wait a second for the answer.
 * Returns 0 or an errno, as sfair_checkpointed(). */
int sfair_courier_checkpointed(uint64_t step);

/* As sfair_lease_remaining(), inside a lease. */
double sfair_courier_remaining(void);

/* What sfair_error() tells from now on. */
void sfair_courier_note_error(const struct astra_error *err);

/* The errno that callers get for a fault. */
int sfair_courier_errno(enum astra_fault fault);

/* As sfair_error(). */
size_t sfair_courier_error(char *text, size_t size);

#endif
