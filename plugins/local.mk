# SPDX-License-Identifier: GPL-2.0-or-later
# Entry points only. Each of slurmctld's plugins links libastraea, which the
# loader finds beside it; the SPANK plugin links nothing of it
# and has a copy of what reads the values of its options.

EXTRA_DIST += plugins/interface

plugin_DATA += sched_astraea.so
sched_astraea_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
sched_astraea_so_LDFLAGS = $(MODULE_FLAGS)
sched_astraea_so_LDADD = $(MODULE_LIBS)
sched_astraea_so_SOURCES = plugins/sched/astraea/sched_astraea.c

plugin_DATA += burst_buffer_astraea.so
burst_buffer_astraea_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
burst_buffer_astraea_so_LDFLAGS = $(MODULE_FLAGS)
burst_buffer_astraea_so_LDADD = $(MODULE_LIBS)
burst_buffer_astraea_so_SOURCES = \
	plugins/burst_buffer/astraea/burst_buffer_astraea.c

plugin_DATA += priority_ltgf.so
priority_ltgf_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
priority_ltgf_so_LDFLAGS = $(MODULE_FLAGS)
priority_ltgf_so_LDADD = $(MODULE_LIBS)
priority_ltgf_so_SOURCES = plugins/priority/ltgf/priority_ltgf.c

plugin_DATA += job_submit_astraea.so
job_submit_astraea_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
job_submit_astraea_so_LDFLAGS = $(MODULE_FLAGS)
job_submit_astraea_so_LDADD = $(MODULE_LIBS)
job_submit_astraea_so_SOURCES = plugins/job_submit/astraea/job_submit_astraea.c

plugin_DATA += spank_astraea.so
spank_astraea_so_CPPFLAGS = $(SLURM_AM_CPPFLAGS) \
	-DASTRA_AGENT='"$(bindir)/sfair-agent"'
# Sbatch and slurmstepd load it, and they have no sanitizer's runtime.
spank_astraea_so_CFLAGS = $(ASTRA_CFLAGS)
spank_astraea_so_LDFLAGS = $(PLAIN_MODULE_FLAGS)
spank_astraea_so_SOURCES = plugins/spank/astraea/spank_astraea.c \
	src/common/error.c src/common/forwarder.c src/common/grow.c \
	src/model/stated.c src/proto/curves.c src/proto/bid_text.c
