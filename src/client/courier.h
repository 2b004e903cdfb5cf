/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that talks to slurmctld, so that the program never waits for
 * slurmctld. The thread sends the newest report and remembers the last answer.
 * The first call that needs the thread starts it, and so does the first one in
 * the child of a fork. */
#ifndef SFAIR_COURIER_H
#define SFAIR_COURIER_H

#include <stddef.h>

#include "src/client/place.h"
#include "src/proto/query.h"

/* Returns the environment as it was at the first call. Borrowed. */
const struct sfair_place *sfair_courier_place(void);

/* Keep this progress until the next report is due. Later progress replaces
 * it. */
void sfair_courier_progress(const struct astra_said *said);

/* Send a checkpoint's number at once and wait up to a second for the answer.
 * Returns 0 or an errno, as sfair_checkpointed() does. */
int sfair_courier_checkpointed(uint64_t step);

/* Returns what sfair_lease_remaining() returns inside a lease. */
double sfair_courier_remaining(void);

/* Set the message that sfair_error() returns from now on. */
void sfair_courier_note_error(const struct astra_error *err);

/* Returns the errno for a fault. */
int sfair_courier_errno(enum astra_fault fault);

/* Returns what sfair_error() returns. */
size_t sfair_courier_error(char *text, size_t size);

#endif
