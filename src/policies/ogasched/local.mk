# SPDX-License-Identifier: GPL-2.0-or-later
# OGASched: online gradient ascent over several resource types.
libastra_engine_a_SOURCES += \
	src/policies/ogasched/baseline.c \
	src/policies/ogasched/classes.c \
	src/policies/ogasched/classes.h \
	src/policies/ogasched/deal.c \
	src/policies/ogasched/deal.h \
	src/policies/ogasched/learner.c \
	src/policies/ogasched/learner.h \
	src/policies/ogasched/nodes.c \
	src/policies/ogasched/ogasched.h \
	src/policies/ogasched/pair.h \
	src/policies/ogasched/policy.c \
	src/policies/ogasched/policy.h \
	src/policies/ogasched/project.c \
	src/policies/ogasched/project.h \
	src/policies/ogasched/round.c \
	src/policies/ogasched/state.c \
	src/policies/ogasched/step.c

libastra_decide_a_SOURCES += \
	src/decide/decide_ogasched.h \
	src/decide/ogasched_parse.c \
	src/decide/ogasched_print.c \
	src/decide/ogasched_run.c
