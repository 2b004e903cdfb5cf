# SPDX-License-Identifier: GPL-2.0-or-later
# Durable state and history; pure.
noinst_LIBRARIES += libastra-store.a
libastra_store_a_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS)
libastra_store_a_SOURCES = \
	src/store/black_box.c \
	src/store/black_box.h \
	src/store/shared_name.c \
	src/store/shared_name.h \
	src/store/state_file.c \
	src/store/state_file.h
