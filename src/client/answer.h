/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reply to a message of a job about itself. Pure. */
#ifndef SFAIR_ANSWER_H
#define SFAIR_ANSWER_H

#include "src/common/error.h"
#include "src/proto/wire.h"

struct sfair_answer {
	double remaining_sec; /* of the lease; infinite: no end; NAN: unknown */
	double report_sec;    /* seconds until the next progress is sent */
};

/* Read a reply. Returns ASTRA_FAULT_NONE with out set, or the fault that the
 * reply names with err set. Returns ASTRA_FAULT_INTERNAL with err set if the
 * text is not a reply. */
enum astra_fault sfair_answer_read(const char *text, struct sfair_answer *out,
				   struct astra_error *err);

/* Check that a reply of any kind is good. Returns as sfair_answer_read()
 * does. */
enum astra_fault sfair_answer_check(const char *text, struct astra_error *err);

#endif
