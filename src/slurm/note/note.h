/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What we know of a job besides Slurm's own record: one note per job, in one
 * table. The round, the hooks and the desk read and write it. Nothing is saved.
 * Locks: one mutex, taken last and held for a look-up. Its holder calls nothing
 * that takes a lock. Any thread may call any function here. A process has one
 * table. Pure: no Slurm, no I/O. */
#ifndef ASTRA_NOTE_H
#define ASTRA_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/engine/engine.h"

#define ASTRA_NOTE_ANY_RUN UINT32_MAX /* after a restart: run unknown */
#define ASTRA_NOTE_NO_RUN (UINT32_MAX - 1)
#define ASTRA_NOTE_EXITS 16

struct astra_options;

/* A job in the grace after its checkpoint signal: by which signal and exit
 * codes its end is recognised as a checkpoint. */
struct astra_grace {
	uint32_t run; /* restart_cnt of the run, or ANY_RUN */
	uint16_t signal;
	uint8_t exit_count;
	uint8_t exit[ASTRA_NOTE_EXITS];
};

/* What the engine knows of a job's leases. */
struct astra_ledger_entry {
	uint32_t run;	 /* run whose lease is counted; or NO_RUN or ANY_RUN */
	uint32_t leases; /* number of leases, including those of that run */
	double submit_sec, lost_sec;
	double lease_end_sec; /* end of that run's lease; 0: it has none */
};

/* Make an entry from a view of a job. run: restart_cnt of the job's record, or
 * ANY_RUN. */
struct astra_ledger_entry astra_ledger_of(const struct astra_job_view *view,
					  uint32_t run);

/* All zero: nothing is known. Times are in seconds since the epoch; 0: none. */
struct astra_note {
	uint32_t job;
	uint32_t refused;	/* reason why Slurm refused its last start; 0:
				 * Slurm gave none */
	uint32_t expected_sec;	/* when it is expected to start */
	uint32_t run_end_sec;	/* when its last run ended */
	uint32_t maint_end_sec; /* its end, if a maintenance set it */
	bool limited;		/* one of Slurm's limits keeps it from
				 * running */
	bool sited;		/* its site factor is set by us */
	bool in_grace, in_ledger;
	bool told; /* passed to astra_note_tell() since the last end */
	struct astra_grace grace;
	struct astra_ledger_entry ledger;
};

/* Return a copy of a job's note. */
struct astra_note astra_note_of(uint32_t job);

/* Lock a job's note for writing, adding one if there is none; then unlock it
 * with astra_note_close(). When memory is out, the changes are lost. */
struct astra_note *astra_note_open(uint32_t job);
void astra_note_close(struct astra_note *note);

/* Lock a job's note for writing. Returns NULL, without the lock, if there is no
 * note. */
struct astra_note *astra_note_find(uint32_t job);

/* Note what the engine's round knows of a job. Call it for each job, then call
 * astra_note_tell_end(): jobs that were left out then have neither grace nor
 * ledger. grace and ledger may be NULL if the job has none. Engine's thread
 * only. */
void astra_note_tell(uint32_t job, const struct astra_grace *grace,
		     const struct astra_ledger_entry *ledger);
void astra_note_tell_end(void);

/* Return a grace with the exit codes of a pool. run: restart_cnt of the run, or
 * ANY_RUN. */
struct astra_grace astra_grace_make(const struct astra_options *options,
				    uint32_t run, int signal);

/* Call visit() for at most so many notes, which it may change. *at: where to go
 * on; 0 at first. After the table's end, the next call begins again. */
void astra_note_each(size_t *at, size_t most,
		     void (*visit)(struct astra_note *note, void *arg),
		     void *arg);

/* Note that the graces are unknown: for this many seconds any running job may
 * be in its grace. */
void astra_grace_doubt(double grace_sec);

/* Whether a run may be in a grace that we do not know of. start_sec, end_sec:
 * of the run, since the epoch. */
bool astra_grace_is_doubtful(int64_t start_sec, int64_t end_sec);

void astra_note_free(void);

#endif
