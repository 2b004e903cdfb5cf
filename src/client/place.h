/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the environment tells a process of its job and lease. */
#ifndef SFAIR_PLACE_H
#define SFAIR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct sfair_place {
	bool reaches;		    /* knows a socket to ask */
	bool leased;		    /* and is in a job of a pool */
	bool speaks;		    /* it is the job's process that reports */
	uint32_t job, run;	    /* job 0: outside Slurm */
	uint32_t gpus, gpus_before; /* of an elastic job, now and last; or 0 */
	char socket[600];	    /* as astra_dial() takes it */
	char auth[128];	  /* who signs: src/proto/sign.h; "": munged */
	int signal;	  /* for checkpoints; 0: none */
	double end_sec;	  /* of the first lease, since the epoch; 0: none */
	double grace_sec; /* between signal and requeue */
};

void sfair_place_read(struct sfair_place *place);

/* A signal by its name, as USR1, or number. Returns 0 where it is none. */
int sfair_place_signal(const char *text);

#endif
