# SPDX-License-Identifier: GPL-2.0-or-later
# The model, the policies and placement; pure: it sees no Slurm header.
noinst_LTLIBRARIES += libastra-policy.la
libastra_policy_la_LIBADD = -lm
libastra_policy_la_SOURCES = \
	src/policy/account.c \
	src/policy/allot.c \
	src/policy/allot_place.c \
	src/policy/allot_priv.h \
	src/policy/auction.h \
	src/policy/ballot.c \
	src/policy/conf_keys.c \
	src/policy/conf_keys.h \
	src/policy/contenders.c \
	src/policy/engine.c \
	src/policy/engine.h \
	src/policy/engine_priv.h \
	src/policy/engine_image.c \
	src/policy/engine_image.h \
	src/policy/engine_state.c \
	src/policy/fairness.c \
	src/policy/fairness.h \
	src/policy/fairness_image.c \
	src/policy/fairness_priv.h \
	src/policy/forecast.c \
	src/policy/forecast.h \
	src/policy/grant.c \
	src/policy/guard.c \
	src/policy/guard.h \
	src/policy/hold.c \
	src/policy/lease.c \
	src/policy/losers.c \
	src/policy/ltgf.c \
	src/policy/ltgf.h \
	src/policy/owner.c \
	src/policy/model.h \
	src/policy/node_names.c \
	src/policy/node_names.h \
	src/policy/nodeset.c \
	src/policy/nodeset.h \
	src/policy/option_values.c \
	src/policy/option_values.h \
	src/policy/options.c \
	src/policy/options.h \
	src/policy/placement.c \
	src/policy/placement.h \
	src/policy/plan.c \
	src/policy/plan.h \
	src/policy/policy.h \
	src/policy/reclaim.c \
	src/policy/registry.c \
	src/policy/renumber.c \
	src/policy/room.c \
	src/policy/round.c \
	src/policy/settle.c \
	src/policy/snapshot_copy.c \
	src/policy/snapshot_copy.h \
	src/policy/space.c \
	src/policy/speed.c \
	src/policy/speed.h \
	src/policy/stated.c \
	src/policy/stated.h \
	src/policy/tenants.c \
	src/policy/utility.c \
	src/policy/utility.h \
	src/policy/weights.c \
	src/policy/weights.h \
	src/policy/space_priv.h
