# SPDX-License-Identifier: GPL-2.0-or-later
# libsfair: what programs in leased jobs link. It has no part of Slurm.
lib_LTLIBRARIES += libsfair.la
include_HEADERS += src/client/sfair.h
pkgconfig_DATA += src/client/sfair.pc
libsfair_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
# Its threads outlive a dlclose(), so it stays where it is.
libsfair_la_LDFLAGS = $(AM_LDFLAGS) -version-info 3:0:3 \
	-export-symbols-regex '^sfair_(error|progress|checkpointed|on_lease_end|lease_ending|on_resize|gpus|lease_remaining|grace_remaining|offer|bid|store_(open|load|put|save|close))$$' \
	-Wl,-z,nodelete
libsfair_la_LIBADD = $(JANSSON_LIBS) $(MUNGE_LIBS) -lpthread -lm
client_sources = \
	src/client/agent.c \
	src/client/answer.c \
	src/client/answer.h \
	src/client/claim.c \
	src/client/courier.c \
	src/client/courier.h \
	src/client/crc.c \
	src/client/crc.h \
	src/client/fence.c \
	src/client/fence.h \
	src/client/folder.c \
	src/client/folder.h \
	src/client/lineage.c \
	src/client/lineage.h \
	src/client/notice.c \
	src/client/notice.h \
	src/client/place.c \
	src/client/place.h \
	src/client/sfair.c \
	src/client/sfair.h \
	src/client/snapshot.c \
	src/client/snapshot.h \
	src/client/store.c \
	src/client/store.h
libsfair_la_SOURCES = $(client_sources) \
	src/common/error.c \
	src/common/grow.c \
	src/common/sha256.c \
	src/common/text.c \
	src/proto/bind.c \
	src/proto/call.c \
	src/proto/dial.c \
	src/proto/curves.c \
	src/proto/query.c \
	src/proto/query_write.c \
	src/proto/query_write_bid.c \
	src/proto/report_kind.c \
	src/proto/sign.c \
	src/proto/wire.c

check_PROGRAMS += test_client
test_client_SOURCES = testsuite/unit/test_client.c testsuite/unit/child.h \
	$(client_sources) $(server_sources)
test_client_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_client_LDADD = libastra-proto.la libastra-common.la $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(MUNGE_LIBS) -lpthread -lm

check_PROGRAMS += test_lineage
test_lineage_SOURCES = testsuite/unit/test_lineage.c \
	src/client/claim.c \
	src/client/crc.c \
	src/client/fence.c \
	src/client/folder.c \
	src/client/lineage.c \
	src/client/snapshot.c
test_lineage_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_lineage_LDADD = libastra-common.la $(CMOCKA_LIBS) -lpthread

check_PROGRAMS += test_store
test_store_SOURCES = testsuite/unit/test_store.c testsuite/unit/child.h \
	$(client_sources)
test_store_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_store_LDADD = libastra-proto.la libastra-common.la $(CMOCKA_LIBS) \
	$(JANSSON_LIBS) $(MUNGE_LIBS) -lpthread -lm

EXTRA_PROGRAMS += bench_store
BENCH += bench_store
CLEANFILES += bench_store
bench_store_SOURCES = testsuite/bench/bench_store.c testsuite/bench/bench.h \
	$(client_sources)
bench_store_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
bench_store_LDADD = libastra-proto.la libastra-common.la $(JANSSON_LIBS) \
	$(MUNGE_LIBS) -lpthread -lm
