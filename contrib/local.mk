# SPDX-License-Identifier: GPL-2.0-or-later
# The demonstration, examples and converters: added to EXTRA_DIST.
EXTRA_DIST += contrib/unpark.sh \
	contrib/examples/steps.py contrib/examples/train.sbatch \
	contrib/examples/train-plain.sbatch \
	contrib/demo.sh contrib/demo/astraea.conf contrib/demo/report.py \
	contrib/demo/view.py contrib/demo/watch.py contrib/demo/workload
EXTRA_DIST += contrib/going-back.sh
