# SPDX-License-Identifier: GPL-2.0-or-later
# The baselines of the papers' evaluations.
libastra_engine_a_SOURCES += \
	src/policies/baselines/baseline.h \
	src/policies/baselines/books.c \
	src/policies/baselines/divide.c \
	src/policies/baselines/dorm.c \
	src/policies/baselines/easy.c \
	src/policies/baselines/ftf.c \
	src/policies/baselines/hived.c \
	src/policies/baselines/jobs.c \
	src/policies/baselines/lines.c \
	src/policies/baselines/lines.h \
	src/policies/baselines/oga.c \
	src/policies/baselines/round.c \
	src/policies/baselines/rrh.c \
	src/policies/baselines/slaq.c \
	src/policies/baselines/slurm.c \
	src/policies/baselines/stride.c \
	src/policies/baselines/tenants.c
