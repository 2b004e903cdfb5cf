/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/hand.h"

#include "src/common/grow.h"

int themis_hand_add(struct themis_hand *hand, uint32_t machine, uint32_t gpus)
{
	if (astra_grow(&hand->list, &hand->room, hand->count + 1,
		       sizeof(*hand->list)) < 0)
		return -1;
	hand->list[hand->count++] = (struct astra_themis_share){machine, gpus};
	return 0;
}

uint32_t themis_hand_take(struct themis_hand *hand, uint32_t machine,
			  uint32_t most)
{
	uint32_t taken = 0;

	for (size_t i = 0; i < hand->count && taken < most; i++) {
		struct astra_themis_share *h = &hand->list[i];
		uint32_t gpus = h->gpus < most - taken ? h->gpus : most - taken;

		if (h->machine != machine)
			continue;
		h->gpus -= gpus;
		taken += gpus;
	}
	return taken;
}

uint64_t themis_hand_gpus(const struct themis_hand *hand)
{
	uint64_t gpus = 0;

	for (size_t i = 0; i < hand->count; i++)
		gpus += hand->list[i].gpus;
	return gpus;
}
