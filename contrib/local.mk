# SPDX-License-Identifier: GPL-2.0-or-later
# The demonstration, examples and converters: added to EXTRA_DIST.
# unpark.sh is for administrators, whose clone may be gone by then.
dist_pkgdata_SCRIPTS = contrib/unpark.sh
dist_pkgdata_DATA = contrib/systemd/sfair-metrics.service
EXTRA_DIST += \
	contrib/examples/app-scheduler.py \
	contrib/examples/steps.py contrib/examples/train.sbatch \
	contrib/examples/train-plain.sbatch contrib/examples/train-torch.py \
	contrib/examples/train-torchrun.sbatch \
	contrib/examples/train-lightning.py \
	contrib/examples/train-submitit.py \
	contrib/examples/train-transformers.py \
	contrib/demo.sh contrib/demo/astraea.conf contrib/demo/report.py \
	contrib/demo/view.py contrib/demo/watch.py contrib/demo/workload
EXTRA_DIST += contrib/going-back.sh

# Where bash-completion looks, below the prefix.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/completion/sfair \
	contrib/completion/sfair-agent contrib/completion/sfairsim
dist_check_SCRIPTS += testsuite/unit/completion.sh

# Without a Python to install it for: programs name the folder, or copy it.
sfairpythondir = $(pkgdatadir)/python
dist_sfairpython_DATA = contrib/python/sfair.py \
	contrib/python/sfair_lightning.py contrib/python/sfair_submitit.py \
	contrib/python/sfair_torch.py contrib/python/sfair_torchrun.py \
	contrib/python/sfair_transformers.py
dist_check_SCRIPTS += testsuite/unit/test_sfair.py \
	testsuite/unit/test_sfair_store.py \
	testsuite/unit/test_frameworks.py
EXTRA_DIST += testsuite/standin/lightning.py testsuite/standin/submitit.py \
	testsuite/standin/transformers.py
