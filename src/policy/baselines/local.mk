# SPDX-License-Identifier: GPL-2.0-or-later
# The baselines of the papers' evaluations.
libastra_policy_a_SOURCES += \
	src/policy/baselines/baseline.h \
	src/policy/baselines/jobs.c \
	src/policy/baselines/lines.c \
	src/policy/baselines/lines.h \
	src/policy/baselines/round.c
