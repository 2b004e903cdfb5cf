# SPDX-License-Identifier: GPL-2.0-or-later
# What a cluster, a job, a tenant and a plan are, and the fairness account; pure: it
# sees no Slurm header, and nothing that decides.
noinst_LIBRARIES += libastra-engine.a
libastra_engine_a_SOURCES = \
	src/model/account_tree.c \
	src/model/account_tree.h \
	src/model/adopted.h \
	src/model/auction.h \
	src/model/brief.c \
	src/model/brief.h \
	src/model/fairness.c \
	src/model/fairness.h \
	src/model/fairness_gift.c \
	src/model/fairness_image.c \
	src/model/fairness_priv.h \
	src/model/members.c \
	src/model/members.h \
	src/model/model.h \
	src/model/node_names.c \
	src/model/node_names.h \
	src/model/plan.c \
	src/model/plan.h \
	src/model/plausible.c \
	src/model/plausible.h \
	src/model/scaling.c \
	src/model/scaling.h \
	src/model/speed.c \
	src/model/speed.h \
	src/model/stated.c \
	src/model/stated.h \
	src/model/utility.c \
	src/model/utility.h \
	src/model/weights.c \
	src/model/weights.h
