/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bugs for the checkers to find: 81-sanitizers.sh loads this into slurmctld, to
 * see that what they say is heard. */
#include <limits.h>
#include <stdlib.h>

static volatile int much = INT_MAX;

__attribute__((constructor)) void astra_planted(void)
{
	char *volatile lost = malloc(77);

	much = much + (lost != NULL);
	lost = NULL;
}
