/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user said with the options of spank/astraea, read from the job's SPANK
 * environment. Anybody can send such an environment, so it is checked again.
 * Pure: no Slurm, no locks. */
#ifndef ASTRA_WISH_H
#define ASTRA_WISH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/stated.h"

struct astra_options;

#define ASTRA_APP_MAX 64

struct astra_wish {
	double lease_sec; /* --lease=TIME; 0: not given, or none */
	bool lease_none;  /* --lease=none */
	const char *app;  /* --app; "": not given. Borrowed. */
	const char *bid;  /* --bid as it came; NULL: not given. Borrowed. */
	struct astra_stated stated; /* --iterations and so on */
	bool size_unread; /* --gpu-range, --workers or --ps was invalid */
	bool dumps;	  /* --checkpoint-with */
	bool saves;	  /* --checkpoint-with, --agent or ASTRA_WISH_REQUEUE
			   * was given */
};

/* Set for a job whose user said --requeue. slurmctld itself keeps only that the
 * job may be requeued, which JobRequeue allows for most jobs. */
#define ASTRA_WISH_REQUEUE "SPANK_ASTRAEA_REQUEUE=yes"

/* A wish without any option. */
#define ASTRA_WISH_NONE ((struct astra_wish){.app = ""})

/* Read the wishes from count strings NAME=VALUE, with or without Slurm's SPANK_
 * in front. env may be NULL if count is 0; its strings may be NULL. The text of
 * a bid is not checked. Returns 0, or -1 with err naming option and value. out
 * is always set to what could be read. */
int astra_wish_read(char *const *env, uint32_t count, struct astra_wish *out,
		    struct astra_error *err);

/* Return the id of a user's app, never 0. It is the same for the same name on
 * every host and after every restart; two users' apps of one name have
 * different ids. For the name "" it is 0. */
uint32_t astra_wish_app(const char *name, uint32_t uid);

/* Return what the wish says about the work of a user's job. If it says how long
 * the work takes, that is at least a second. */
struct astra_forecast astra_wish_forecast(const struct astra_wish *wish,
					  uint32_t uid);

/* Check that a pool grants the wish. --lease=none needs AllowNoLease. A time
 * must lie between LeaseMin and LeaseMax (0: CheckpointGrace or MinRunTime, and
 * LeaseTerm). The work may last ten years. Returns 0, or -1 with err naming the
 * bound. */
int astra_wish_check(const struct astra_wish *wish,
		     const struct astra_options *options,
		     struct astra_error *err);

#endif
