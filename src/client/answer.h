/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reply to what a job asks or tells of itself. Pure. */
#ifndef SFAIR_ANSWER_H
#define SFAIR_ANSWER_H

#include "src/common/error.h"
#include "src/proto/wire.h"

struct sfair_answer {
	double remaining_sec; /* of the lease; infinite: no end; NAN: unknown */
	double report_sec;    /* until the next progress */
};

/* Take a reply apart.
 * Returns ASTRA_FAULT_NONE, or the fault that it names with err set;
 * ASTRA_FAULT_INTERNAL when it is no reply. out is set only with NONE. */
enum astra_fault sfair_answer_read(const char *text, struct sfair_answer *out,
				   struct astra_error *err);

/* Whether a reply of any kind is good.
 * Returns as above. */
enum astra_fault sfair_answer_check(const char *text, struct astra_error *err);

#endif
