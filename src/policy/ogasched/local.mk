# SPDX-License-Identifier: GPL-2.0-or-later
# OGASched: online gradient ascent over several resource types.
libastra_policy_a_SOURCES += \
	src/policy/ogasched/amounts.c \
	src/policy/ogasched/baseline.c \
	src/policy/ogasched/classes.c \
	src/policy/ogasched/classes.h \
	src/policy/ogasched/classes_state.c \
	src/policy/ogasched/deal.c \
	src/policy/ogasched/deal.h \
	src/policy/ogasched/deal_begin.c \
	src/policy/ogasched/deal_priv.h \
	src/policy/ogasched/learner.c \
	src/policy/ogasched/learner.h \
	src/policy/ogasched/nodes.c \
	src/policy/ogasched/ogasched.h \
	src/policy/ogasched/pair.h \
	src/policy/ogasched/policy.c \
	src/policy/ogasched/policy.h \
	src/policy/ogasched/project.c \
	src/policy/ogasched/project.h \
	src/policy/ogasched/report.c \
	src/policy/ogasched/round.c \
	src/policy/ogasched/state.c \
	src/policy/ogasched/step.c \
	src/policy/ogasched/value.c \
	src/policy/ogasched/value.h

libastra_decide_a_SOURCES += \
	src/decide/decide_ogasched.h \
	src/decide/ogasched_parse.c \
	src/decide/ogasched_print.c \
	src/decide/ogasched_run.c
