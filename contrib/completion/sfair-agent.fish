# SPDX-License-Identifier: GPL-2.0-or-later
# fish looks for a file of the command's name.
source (status dirname)/sfair.fish
