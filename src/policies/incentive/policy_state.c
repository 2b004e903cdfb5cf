/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/common/grow.h"
#include "src/policies/incentive/policy_priv.h"

int incentive_save(const void *self, struct astra_bytes *out)
{
	const struct incentive *p = self;

	astra_put_f64(out, p->slot_sec);
	astra_put_f64(out, p->origin_sec);
	astra_put_u32(out, p->begin);
	astra_put_u32(out, p->slots);
	astra_put_u32(out, (uint32_t)p->begun | (uint32_t)p->sold << 1);
	astra_put_u32(out, (uint32_t)p->tenant_count);
	for (size_t u = 0; u < p->tenant_count; u++) {
		astra_put_f64(out, p->accounts[u].utility);
		astra_put_f64(out, p->accounts[u].paid);
		astra_put_f64(out, p->accounts[u].income);
	}
	astra_calendar_save(&p->calendar, out);
	astra_purses_save(&p->purses, out);
	astra_board_save(&p->board, out);
	return out->failed ? -1 : 0;
}

static int restore_accounts(struct incentive *p, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t u = 0; u < count && !in->failed; u++) {
		struct astra_market_account *a;

		if (astra_grow(&p->accounts, &p->tenant_room, u + 1,
			       sizeof(*a)) < 0)
			return -1;
		a = &p->accounts[u];
		a->utility = astra_get_f64(in);
		a->paid = astra_get_f64(in);
		a->income = astra_get_f64(in);
		if (!isfinite(a->utility + a->paid + a->income))
			return -1;
		p->tenant_count = u + 1;
	}
	return in->failed ? -1 : 0;
}

/* With slots of another length the calendar begins anew. */
int incentive_restore(void *self, struct astra_reader *in)
{
	struct incentive *p = self;
	double slot_sec = astra_get_f64(in);
	uint32_t flags;

	p->origin_sec = astra_get_f64(in);
	p->begin = astra_get_u32(in);
	p->slots = astra_get_u32(in);
	flags = astra_get_u32(in);
	p->begun = flags & 1;
	p->sold = flags >> 1 & 1;
	if (restore_accounts(p, in) < 0 ||
	    astra_calendar_restore(&p->calendar, in) < 0 ||
	    astra_purses_restore(&p->purses, in) < 0 ||
	    astra_board_restore(&p->board, in) < 0 ||
	    !isfinite(p->origin_sec) || (p->begun && !p->slots) ||
	    p->begin > UINT32_MAX / 2 || p->slots > ASTRA_BATCH_SLOTS_MAX)
		return -1;
	if (slot_sec < p->slot_sec || slot_sec > p->slot_sec) {
		p->begun = false;
		astra_calendar_reset(&p->calendar);
		astra_board_clear(&p->board);
	}
	return 0;
}
