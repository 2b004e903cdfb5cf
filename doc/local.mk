# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages go to dist_man_MANS, all else to dist_doc_DATA.

dist_man_MANS += doc/man1/sfair.1 doc/man1/sfair-agent.1 \
	doc/man1/sfair-audit.1 doc/man1/sfair-reports.1 doc/man1/sfair-report.1 \
	doc/man1/sfair-top.1 doc/man1/sfair-web.1 doc/man1/sfairsim.1 doc/man3/libsfair.3 \
	doc/man5/astraea.conf.5 doc/man7/astraea.7 \
	doc/man8/astraea.8
dist_doc_DATA += README.md NEWS doc/adding-a-policy.md doc/admins.md \
	doc/beside-stock.md \
	doc/choosing-a-policy.md doc/compatibility.md \
	doc/design.md doc/frameworks.md doc/going-back.md \
	doc/glossary.md doc/history.md doc/kubernetes.md doc/managers.md doc/others.md doc/packages.md \
	doc/papers.md doc/programs.md \
	doc/protocol.md doc/questions.md doc/results.md \
	doc/results-simulator.md doc/tutorial.md \
	doc/users.md
papersdir = $(docdir)/papers
dist_papers_DATA = doc/papers/astraea.md doc/papers/defaults.md doc/papers/incentive.md \
	doc/papers/oasis.md doc/papers/ogasched.md doc/papers/themis.md doc/papers/traces.md
picturesdir = $(docdir)/pictures
dist_pictures_DATA = doc/pictures/dashboard-dark.png \
	doc/pictures/dashboard-light.png doc/pictures/report-dark.png doc/pictures/report-light.png \
	doc/pictures/top-dark.png doc/pictures/top-light.png \
	doc/pictures/web-dark.png doc/pictures/web-light.png \
	doc/pictures/beside.svg doc/pictures/fairness.svg \
	doc/pictures/gpus.svg \
	doc/pictures/leases.svg doc/pictures/loss.svg doc/pictures/waits.svg
EXTRA_DIST += doc/releasing.md doc/pictures/beside.py doc/pictures/dashboard.py doc/pictures/pictures.py \
	doc/pictures/screens.py doc/pictures/screens.sh
