/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a participant keeps of its proportionally fair bundle once it has paid
 * the hidden payment. (Mahajan et al., NSDI'20, section 4.1; SPEC section 2,
 * "Rounding") */
#ifndef ASTRA_THEMIS_ROUNDING_H
#define ASTRA_THEMIS_ROUNDING_H

#include "src/policies/themis/app.h"

/* Of a bundle of g GPUs, for the payment's factor c: max(1, floor(c g)), in
 * multiples of the quantum and at least one of them; never more than g. */
uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum);

/* Choose k of the bundle's GPUs, on all of its machines if k allows: one on
 * each, then one more wherever most is missing of k g_m / g. Else those of the
 * machines with most of its GPUs. Ties go to the lower index.
 * kept: gets a number for each share of the bundle, some may be 0.
 * k: at most the bundle's GPUs. */
void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept);

#endif
