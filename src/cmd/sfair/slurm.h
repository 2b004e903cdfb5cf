/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair's use of Slurm's configuration and slurmctld. */
#ifndef SFAIR_SLURM_H
#define SFAIR_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "src/proto/status.h"

enum sfair_slurm_state {
	SFAIR_SLURM_UNKNOWN, /* there is no configuration on this host */
	SFAIR_SLURM_SILENT,  /* no controller answers */
	SFAIR_SLURM_REFUSES, /* a slurmctld answers, but refuses the request */
	SFAIR_SLURM_WITHOUT, /* slurmctld answers, but has no
			      * burst_buffer/astraea */
	SFAIR_SLURM_PLUGIN,  /* slurmctld has the plugin, and says where it
			      * listens */
};

struct sfair_slurm {
	enum sfair_slurm_state state;
	size_t index;		    /* index of the controller that answered */
	const char *why;	    /* for SILENT and REFUSES: the reason in
				     * Slurm's words */
	struct astra_status status; /* for PLUGIN */
};

/* main()'s arguments, for starting the program again if Slurm's library ended
 * it. NULL: never start it again. */
extern char **sfair_argv;

/* Asks slurmctld where the plugin listens. Takes at most some seconds for each
 * controller that does not answer. out: its pointers are borrowed. */
void sfair_slurm_ask(struct sfair_slurm *out);

/* Whether slurmctld runs on this host, or should, by Slurm's configuration,
 * which is loaded. */
bool sfair_on_controller(void);

/* Returns the name of a controller's host; borrowed. */
const char *sfair_slurm_host(size_t index);

#endif
