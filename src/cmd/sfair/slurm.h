/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's configuration and slurmctld, as sfair uses them. */
#ifndef SFAIR_SLURM_H
#define SFAIR_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "src/proto/status.h"

enum sfair_slurm_state {
	SFAIR_SLURM_UNKNOWN, /* there is no configuration on this host */
	SFAIR_SLURM_SILENT,  /* no controller answers */
	SFAIR_SLURM_REFUSES, /* one answers, but refuses the request */
	SFAIR_SLURM_WITHOUT, /* it answers, and has no burst_buffer/astraea */
	SFAIR_SLURM_PLUGIN,  /* it has the plugin, and says where that
			      * listens */
};

struct sfair_slurm {
	enum sfair_slurm_state state;
	size_t index;		    /* index of the controller that answered */
	const char *why;	    /* for SILENT and REFUSES: in Slurm's
				     * words */
	struct astra_status status; /* for PLUGIN */
};

/* main()'s arguments, to start the program again if Slurm's library ended it;
 * NULL: never start again. */
extern char **sfair_argv;

/* Asks slurmctld where the plugin listens. Takes some seconds at most for each
 * controller that does not answer. out: its pointers are borrowed. */
void sfair_slurm_ask(struct sfair_slurm *out);

/* Whether slurmctld runs on this host, or is to, by Slurm's configuration,
 * which is loaded. */
bool sfair_on_controller(void);

/* Returns the name of a controller's host; borrowed. */
const char *sfair_slurm_host(size_t index);

#endif
