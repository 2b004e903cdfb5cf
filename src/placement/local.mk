# SPDX-License-Identifier: GPL-2.0-or-later
# On which nodes a job gets its GPUs.
libastra_engine_a_SOURCES += \
	src/placement/placement.c \
	src/placement/placement.h \
	src/placement/ranks.c \
	src/placement/space.c \
	src/placement/space_priv.h
