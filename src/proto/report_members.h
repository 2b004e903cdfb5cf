/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the members of a report's records: which of them are stored, which
 * are in replies, and who sees them. doc/protocol.md lists the keys. Rows are
 * in the order of the replies. */
#ifndef ASTRA_REPORT_MEMBERS_H
#define ASTRA_REPORT_MEMBERS_H

#include "src/common/member.h"

/* How sfair shows a value. */
enum sfair_kind {
	SFAIR_TEXT,
	SFAIR_NUMBER,	/* three decimals if it is not whole */
	SFAIR_RATIO,	/* three decimals */
	SFAIR_CREDITS,	/* three decimals; incentive's prices */
	SFAIR_GPU_TIME, /* in the unit asked for */
	SFAIR_SPAN,	/* seconds, as D-HH:MM:SS */
	SFAIR_LEFT,	/* a time, as the span from now */
	SFAIR_TIME,
	SFAIR_FLAG,
};

extern const struct astra_member astra_pool_members[];
extern const struct astra_member astra_report_tenant_members[];
extern const struct astra_member astra_report_job_members[];
extern const struct astra_member astra_progress_members[];
extern const struct astra_member astra_checkpoint_members[];
extern const struct astra_member astra_bind_members[];
extern const struct astra_member astra_array_members[];
extern const struct astra_member astra_auction_members[];
extern const struct astra_member astra_app_members[];
extern const struct astra_member astra_price_members[];
extern const struct astra_member astra_class_members[];
extern const struct astra_member astra_report_node_members[];
extern const struct astra_member astra_diag_members[];
extern const struct astra_member astra_history_members[];

#endif
