# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages go to dist_man_MANS, all else to dist_doc_DATA.
