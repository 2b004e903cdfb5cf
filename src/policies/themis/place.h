/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines of Themis, and parts of them. */
#ifndef ASTRA_THEMIS_PLACE_H
#define ASTRA_THEMIS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_themis_machine {
	uint32_t free; /* GPUs offered, without held ones */
	uint32_t rack; /* equal for machines of one rack */
	uint32_t slot; /* this many of its GPUs are next to each other */
};

/* A part of one machine. Lists are sorted by machine and name each machine
 * once, with at least one GPU. */
struct astra_themis_share {
	uint32_t machine;
	uint32_t gpus;
};

/* A borrowed list. */
struct astra_themis_shares {
	const struct astra_themis_share *share;
	size_t count;
};

#endif
