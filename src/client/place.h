/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the environment tells a process of its job and lease. */
#ifndef SFAIR_PLACE_H
#define SFAIR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct sfair_place {
	bool reaches;		    /* the process knows a socket to ask */
	bool leased;		    /* reaches, and the job has a lease */
	bool speaks;		    /* it is the process that reports for the
				     * job */
	uint32_t job, run;	    /* job 0: outside Slurm */
	uint32_t gpus, gpus_before; /* GPUs of an elastic job, in this run and
				     * the one before; or 0 */
	char socket[600];	    /* as astra_dial() takes it */
	char auth[128];	  /* how messages are signed, see src/proto/sign.h; "":
			   * by munged */
	int signal;	  /* of checkpoints; 0: none */
	double end_sec;	  /* end of the first lease, since the epoch; 0: none */
	double grace_sec; /* between signal and requeue */
};

void sfair_place_read(struct sfair_place *place);

/* Returns the number of a signal given by name (USR1) or number, 0 if it is
 * invalid. */
int sfair_place_signal(const char *text);

#endif
