/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an app has got in a round and not given to its jobs yet. */
#ifndef ASTRA_THEMIS_HAND_H
#define ASTRA_THEMIS_HAND_H

#include "src/policies/themis/themis.h"

/* GPUs that a party has got and not used yet, by machine. */
struct themis_hand {
	struct astra_themis_share *list;
	size_t count, room;
};

/* Add so many GPUs of a machine. Returns 0, or -1 when memory is out. */
int themis_hand_add(struct themis_hand *hand, uint32_t machine, uint32_t gpus);

/* Take up to so many GPUs of a machine. Returns how many. */
uint32_t themis_hand_take(struct themis_hand *hand, uint32_t machine,
			  uint32_t most);

/* GPUs in all. */
uint64_t themis_hand_gpus(const struct themis_hand *hand);

#endif
