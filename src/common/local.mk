# SPDX-License-Identifier: GPL-2.0-or-later
# Errors, tables and option tables; pure.
noinst_LIBRARIES += libastra-common.a
libastra_common_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_common_a_SOURCES = \
	src/common/arena.c \
	src/common/arena.h \
	src/common/bytes.c \
	src/common/bytes.h \
	src/common/clock.h \
	src/common/conf_scan.c \
	src/common/conf_scan.h \
	src/common/encode.c \
	src/common/encode.h \
	src/common/error.c \
	src/common/error.h \
	src/common/fault.c \
	src/common/fault.h \
	src/common/fnv.h \
	src/common/forwarder.c \
	src/common/forwarder.h \
	src/common/grow.c \
	src/common/grow.h \
	src/common/idmap.c \
	src/common/idmap.h \
	src/common/intern.c \
	src/common/intern.h \
	src/common/member.c \
	src/common/member.h \
	src/common/member_json.c \
	src/common/member_json.h \
	src/common/member_read.c \
	src/common/member_read.h \
	src/common/nodeset.c \
	src/common/nodeset.h \
	src/common/number.h \
	src/common/random.h \
	src/common/sha256.c \
	src/common/sha256.h \
	src/common/text.c \
	src/common/text.h \
	src/common/thread.c \
	src/common/thread.h

# Of the commands alone: getopt's variables are the program's.
noinst_LIBRARIES += libastra-cli.a
libastra_cli_a_SOURCES = src/common/cli.c src/common/cli.h

check_PROGRAMS += test_cli
test_cli_SOURCES = testsuite/unit/test_cli.c testsuite/unit/unit.h
test_cli_CFLAGS = $(UNIT_CFLAGS)
test_cli_LDADD = libastra-cli.a $(UNIT_LIBS)

check_PROGRAMS += test_thread
test_thread_SOURCES = testsuite/unit/test_thread.c testsuite/unit/unit.h
test_thread_CFLAGS = $(UNIT_CFLAGS)
test_thread_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_intern
test_intern_SOURCES = testsuite/unit/test_intern.c testsuite/unit/unit.h
test_intern_CFLAGS = $(UNIT_CFLAGS)
test_intern_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_encode_real
test_encode_real_SOURCES = testsuite/unit/test_encode_real.c \
	testsuite/unit/unit.h
test_encode_real_CFLAGS = $(UNIT_CFLAGS)
test_encode_real_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_forwarder
test_forwarder_SOURCES = testsuite/unit/test_forwarder.c testsuite/unit/unit.h
test_forwarder_CFLAGS = $(UNIT_CFLAGS)
test_forwarder_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_sha256
test_sha256_SOURCES = testsuite/unit/test_sha256.c testsuite/unit/unit.h
test_sha256_CFLAGS = $(UNIT_CFLAGS)
test_sha256_LDADD = $(UNIT_LIBS)

check_PROGRAMS += test_random
test_random_SOURCES = testsuite/unit/test_random.c testsuite/unit/unit.h
test_random_CFLAGS = $(UNIT_CFLAGS)
test_random_LDADD = $(UNIT_LIBS)
