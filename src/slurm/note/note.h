/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What we know of a job beside Slurm's own record: one note a job, in one
 * table. The round, the hooks and the desk write and read it. Nothing of it is
 * saved.
 *
 * Locks: one mutex, taken last and held for a look-up; whoever holds it calls
 * nothing that takes a lock. Any thread may call any function here. There is one table in a
 * process. Pure: no Slurm, no I/O.
 */
#ifndef ASTRA_NOTE_H
#define ASTRA_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/engine/engine.h"

#define ASTRA_NOTE_ANY_RUN UINT32_MAX /* not known after a restart */
#define ASTRA_NOTE_NO_RUN (UINT32_MAX - 1)
#define ASTRA_NOTE_EXITS 16

struct astra_options;

/* A job in the grace after its checkpoint signal: what makes its end a
 * checkpoint. */
struct astra_grace {
	uint32_t run; /* restart_cnt of the run, or ANY_RUN */
	uint16_t signal;
	uint8_t exit_count;
	uint8_t exit[ASTRA_NOTE_EXITS];
};

/* What the engine knows of a job's leases. */
struct astra_ledger_entry {
	uint32_t run;	 /* whose lease is counted, NO_RUN or ANY_RUN */
	uint32_t leases; /* before that run, and in it */
	double submit_sec, lost_sec;
	double lease_end_sec; /* of that run; 0: it has none */
};

/* run: restart_cnt of the job's record, or ANY_RUN. */
struct astra_ledger_entry astra_ledger_of(const struct astra_job_view *view,
					  uint32_t run);

/* All zero: nothing is known. Times are seconds since the epoch; 0: none. */
struct astra_note {
	uint32_t job;
	uint32_t refused;	/* why Slurm refused its last start; 0: it gave
				 * no reason */
	uint32_t expected_sec;	/* when it is to start */
	uint32_t run_end_sec;	/* when its last run ended */
	uint32_t maint_end_sec; /* its end, where a maintenance set it */
	bool limited;		/* a limit of Slurm's holds it */
	bool sited;		/* its site factor is ours */
	bool in_grace, in_ledger;
	bool told; /* by astra_note_tell(), since the last end */
	struct astra_grace grace;
	struct astra_ledger_entry ledger;
};

/* Copy what is known of a job. */
struct astra_note astra_note_of(uint32_t job);

/* Lock a job's note, made where there is none, to be changed; then close it.
 * What is written is lost where there is no memory for it. */
struct astra_note *astra_note_open(uint32_t job);
void astra_note_close(struct astra_note *note);

/* Lock a job's note to be changed where there is one; else NULL, and nothing is
 * locked. */
struct astra_note *astra_note_find(uint32_t job);

/* The engine's thread tells what its round knows of each job, and ends: jobs
 * that it did not tell of are in no grace and in no ledger any more. grace,
 * ledger: NULL: the job is in none. */
void astra_note_tell(uint32_t job, const struct astra_grace *grace,
		     const struct astra_ledger_entry *ledger);
void astra_note_tell_end(void);

/* A grace with the exit codes of a pool. run: or ANY_RUN. */
struct astra_grace astra_grace_make(const struct astra_options *options,
				    uint32_t run, int signal);

/* Show notes to a function that may change them: so many at most, from *at on
 * and around; *at begins with 0. */
void astra_note_each(size_t *at, size_t most,
		     void (*visit)(struct astra_note *note, void *arg),
		     void *arg);

/* The state is not known: whoever runs now may be in a grace of so many
 * seconds. */
void astra_grace_doubt(double grace_sec);

/* Whether a run may be in a grace that is not known. start_sec, end_sec: of the
 * run, since the epoch. */
bool astra_grace_is_doubtful(int64_t start_sec, int64_t end_sec);

void astra_note_free(void);

#endif
