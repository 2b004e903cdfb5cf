/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/fault.h"

#if ASTRA_FAULT_POINTS
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

/* What the file astraea_fault says about a point. */
struct fault {
	unsigned int number;
	char unit[8];
};

static bool fault_read(const char *name, struct fault *fault)
{
	FILE *f = *path ? fopen(path, "re") : NULL;
	char armed[64] = "";
	int fields;

	*fault = (struct fault){.number = 1};
	if (!f)
		return false;
	fields = fscanf(f, "%63s %u %7s", armed, &fault->number, fault->unit);
	fclose(f);
	return fields >= 1 && !strcmp(armed, name);
}

bool astra_fault_refuses(const char *name, uint32_t job)
{
	struct fault fault;

	return fault_read(name, &fault) && fault.number == job &&
	       !strcmp(fault.unit, "refuse");
}

void astra_fault_here(const char *name)
{
	struct fault fault;

	if (!fault_read(name, &fault) || !strcmp(fault.unit, "refuse"))
		return;
	if (!strcmp(fault.unit, "usec")) {
		(void)usleep(fault.number);
		return;
	}
	if (++reached < fault.number)
		return;
	(void)unlink(path);
	(void)kill(getpid(), SIGKILL);
}
#else
typedef int astra_fault_unused; /* ISO C forbids an empty file */
#endif
