# SPDX-License-Identifier: GPL-2.0-or-later
# OGASched: online gradient ascent over several resource types.
libastra_policy_la_SOURCES +=
libastra_decide_la_SOURCES +=
