# SPDX-License-Identifier: GPL-2.0-or-later
# The demonstration, examples and converters: added to EXTRA_DIST.
# unpark.sh is for administrators, whose clone may be gone by then.
dist_pkgdata_SCRIPTS = contrib/unpark.sh
services = contrib/systemd/sfair-metrics.service \
	contrib/systemd/sfair-web.service
pkgdata_DATA = $(services)
EXTRA_DIST += contrib/systemd/sfair-metrics.service.in \
	contrib/systemd/sfair-web.service.in
CLEANFILES += $(services)
$(services): %: %.in Makefile
	$(AM_V_GEN)$(MKDIR_P) contrib/systemd && \
	sed 's,[@]bindir[@],$(bindir),' $< >$@.new && mv $@.new $@

# For Prometheus and Grafana: rules, their test, and a dashboard.
sfairprometheusdir = $(pkgdatadir)/prometheus
dist_sfairprometheus_DATA = contrib/prometheus/astraea.rules.yml \
	contrib/prometheus/astraea.rules.test.yml
sfairgrafanadir = $(pkgdatadir)/grafana
dist_sfairgrafana_DATA = contrib/grafana/astraea.json
dist_check_SCRIPTS += testsuite/unit/test_dashboards.py

# What jobs of one's own begin with.
sfairexamplesdir = $(pkgdatadir)/examples
dist_sfairexamples_SCRIPTS = \
	contrib/examples/app-scheduler.py \
	contrib/examples/lease-program.sh contrib/examples/steps.py \
	contrib/examples/train-lightning.py contrib/examples/train-submitit.py \
	contrib/examples/train-torch.py contrib/examples/train-transformers.py
dist_sfairexamples_DATA = contrib/examples/train.sbatch \
	contrib/examples/train-elastic.sbatch \
	contrib/examples/train-plain.sbatch \
	contrib/examples/train-torchrun.sbatch
EXTRA_DIST += \
	contrib/demo.sh contrib/demo/astraea.conf contrib/demo/report.py \
	contrib/demo/view.py contrib/demo/watch.py contrib/demo/workload
EXTRA_DIST += contrib/going-back.sh
EXTRA_DIST += contrib/beside-stock.sh contrib/beside-stock/job.sh \
	contrib/beside-stock/load.py contrib/beside-stock/ours.conf \
	contrib/beside-stock/ours-slurm.conf contrib/beside-stock/period.c \
	contrib/beside-stock/replay.py contrib/beside-stock/stock.conf \
	contrib/beside-stock/table.py contrib/beside-stock/tuned.conf \
	contrib/beside-stock/tuned.qos

# Where bash-completion looks, below the prefix.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/completion/sfair \
	contrib/completion/sfair-agent contrib/completion/sfairsim
dist_check_SCRIPTS += testsuite/unit/completion.sh

# Where zsh and fish look, likewise.
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = contrib/completion/_sfair
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = contrib/completion/sfair.fish \
	contrib/completion/sfair-agent.fish contrib/completion/sfairsim.fish
dist_check_SCRIPTS += testsuite/unit/completion_others.sh

# Without a Python to install it for: programs name the folder, or copy it.
sfairpythondir = $(pkgdatadir)/python
dist_sfairpython_DATA = contrib/python/sfair.py \
	contrib/python/sfair_lightning.py contrib/python/sfair_submitit.py \
	contrib/python/sfair_torch.py contrib/python/sfair_torchrun.py \
	contrib/python/sfair_transformers.py
dist_check_SCRIPTS += testsuite/unit/test_sfair.py \
	testsuite/unit/test_beside_stock.py \
	testsuite/unit/test_demo.py \
	testsuite/unit/test_sfair_store.py \
	testsuite/unit/test_frameworks.py
EXTRA_DIST += testsuite/standin/lightning.py testsuite/standin/submitit.py \
	testsuite/standin/transformers.py
