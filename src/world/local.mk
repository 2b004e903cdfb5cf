# SPDX-License-Identifier: GPL-2.0-or-later
# A cluster in memory: nodes, jobs, what happens next, what a plan makes of them;
# pure.
noinst_LIBRARIES += libastra-world.a
libastra_world_a_SOURCES = \
	src/world/world.c \
	src/world/world.h
