/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/fault.h"

#ifdef ASTRA_FAULT_POINTS
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[PATH_MAX];
static unsigned int reached;

void astra_fault_folder(const char *folder)
{
	snprintf(path, sizeof(path), "%s/astraea_fault", folder);
}

void astra_fault_here(const char *name)
{
	FILE *f = *path ? fopen(path, "re") : NULL;
	char armed[64] = "", unit[8] = "";
	unsigned int times = 1;
	int fields;

	if (!f)
		return;
	fields = fscanf(f, "%63s %u %7s", armed, &times, unit);
	fclose(f);
	if (fields < 1 || strcmp(armed, name))
		return;
	if (!strcmp(unit, "usec")) {
		(void)usleep(times);
		return;
	}
	if (++reached < times)
		return;
	(void)unlink(path);
	(void)kill(getpid(), SIGKILL);
}
#else
typedef int astra_fault_unused; /* ISO C forbids an empty file */
#endif
