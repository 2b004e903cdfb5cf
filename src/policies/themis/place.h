/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines of Themis, and parts of them. */
#ifndef ASTRA_THEMIS_PLACE_H
#define ASTRA_THEMIS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_themis_machine {
	uint32_t free; /* offered GPUs, without held ones */
	uint32_t rack; /* equal for machines of one rack */
	uint32_t slot; /* this many of its GPUs are next to each other */
};

/* A part of one machine. Lists of shares are sorted by machine, with each
 * machine at most once and at least one GPU on each. */
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
