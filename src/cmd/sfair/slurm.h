/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's configuration and its slurmctld, as sfair asks them. */
#ifndef SFAIR_SLURM_H
#define SFAIR_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "src/proto/status.h"

enum sfair_slurm_state {
	SFAIR_SLURM_UNKNOWN, /* it has no configuration here */
	SFAIR_SLURM_SILENT,  /* no controller answers */
	SFAIR_SLURM_REFUSES, /* one does, but not what it is asked */
	SFAIR_SLURM_WITHOUT, /* it does, and has no burst_buffer/astraea */
	SFAIR_SLURM_PLUGIN,  /* it has, and says where that answers */
};

struct sfair_slurm {
	enum sfair_slurm_state state;
	size_t index;		    /* of the controller that answered */
	const char *why;	    /* SILENT, REFUSES: in Slurm's words */
	struct astra_status status; /* PLUGIN */
};

/* main()'s, for a program that Slurm's library ended to begin again; NULL: it
 * does not. */
extern char **sfair_argv;

/* Ask slurmctld where the plugin answers; some seconds at most for each
 * controller that does not answer. out: borrows what it points to. */
void sfair_slurm_ask(struct sfair_slurm *out);

/* Whether slurmctld runs on this host, or is to. Slurm's configuration is
 * loaded. */
bool sfair_on_controller(void);

/* The name of a controller's host; borrowed. */
const char *sfair_slurm_host(size_t index);

#endif
