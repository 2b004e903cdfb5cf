/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault points: places at which a test makes slurmctld die of SIGKILL, as in a
 * crash, or makes slurmctld slow. They are compiled in only with configure
 * --enable-fault-points. */
#ifndef ASTRA_FAULT_H
#define ASTRA_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "astra_fault_points.h"

#if ASTRA_FAULT_POINTS
#define ASTRA_FAULT(name) astra_fault_here(name)
#define ASTRA_FAULT_REFUSES(name, job) astra_fault_refuses(name, job)

#define ASTRA_FAULT_FOLDER(folder) astra_fault_folder(folder)

/* Set the folder of the file "astraea_fault", which arms a point. The file has
 * one line. "NAME" or "NAME N": slurmctld dies when it reaches the point for
 * the Nth time, and the file is removed then. "NAME N usec": the point takes N
 * microseconds each time. "NAME JOB refuse": the point refuses the job each
 * time. */
void astra_fault_folder(const char *folder);

void astra_fault_here(const char *name);
bool astra_fault_refuses(const char *name, uint32_t job);
#else
#define ASTRA_FAULT(name) ((void)0)
#define ASTRA_FAULT_REFUSES(name, job) ((void)(job), false)
#define ASTRA_FAULT_FOLDER(folder) ((void)(folder))
#endif

#endif
