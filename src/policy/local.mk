# SPDX-License-Identifier: GPL-2.0-or-later
# The model, the policies and placement; pure: it sees no Slurm header.
noinst_LTLIBRARIES += libastra-policy.la
libastra_policy_la_LIBADD = -lm
libastra_policy_la_SOURCES = \
	src/policy/fairness.c \
	src/policy/fairness.h \
	src/policy/model.h \
	src/policy/placement.c \
	src/policy/placement.h \
	src/policy/nodeset.c \
	src/policy/nodeset.h
