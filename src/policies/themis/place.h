/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis' machines, and parts of them. */
#ifndef ASTRA_THEMIS_PLACE_H
#define ASTRA_THEMIS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_themis_machine {
	uint32_t free; /* GPUs offered, those of "held" not counted */
	uint32_t rack; /* machines of one rack have the same number */
	uint32_t slot; /* so many GPUs on it are next to each other */
};

/* A part of one machine. Lists of them are sorted by machine, which is named
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
