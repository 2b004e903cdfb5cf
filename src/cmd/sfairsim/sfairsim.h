/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of sfairsim. A command gets the arguments after its name, and
 * returns the exit status. */
#ifndef ASTRA_SFAIRSIM_H
#define ASTRA_SFAIRSIM_H

/* Prints "sfairsim: error: …" on stderr. Returns 1. */
int sfairsim_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Decides one round, from JSON on stdin to JSON on stdout. */
int sfairsim_decide(int argc, char **argv);
int sfairsim_options(int argc, char **argv);

/* Simulate one policy, several policies for comparison, or several values of an
 * option. */
int sfairsim_run(int argc, char **argv);
int sfairsim_compare(int argc, char **argv);
int sfairsim_tune(int argc, char **argv);

/* Replays a trace on a live cluster. */
int sfairsim_replay(int argc, char **argv);

#endif
