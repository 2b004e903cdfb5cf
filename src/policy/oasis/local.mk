# SPDX-License-Identifier: GPL-2.0-or-later
# OASiS: primal-dual admission of elastic jobs.
libastra_policy_la_SOURCES +=
libastra_decide_la_SOURCES +=
