/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault points: places at which a test makes slurmctld die by SIGKILL, as by a
 * crash, or makes it slow. Compiled in only by configure --enable-fault-points.
 */
#ifndef ASTRA_FAULT_H
#define ASTRA_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "astra_fault_points.h"

#if ASTRA_FAULT_POINTS
#define ASTRA_FAULT(name) astra_fault_here(name)
#define ASTRA_FAULT_REFUSES(name, job) astra_fault_refuses(name, job)

#define ASTRA_FAULT_FOLDER(folder) astra_fault_folder(folder)

/* Where the file "astraea_fault" arms a point: one line, "NAME" or "NAME N" for
 * the N-th time it is reached. It is removed as the point goes off. "NAME N
 * usec" makes it take so long each time. "NAME JOB refuse" makes it refuse the
 * job each time. */
void astra_fault_folder(const char *folder);

void astra_fault_here(const char *name);
bool astra_fault_refuses(const char *name, uint32_t job);
#else
#define ASTRA_FAULT(name) ((void)0)
#define ASTRA_FAULT_REFUSES(name, job) ((void)(job), false)
#define ASTRA_FAULT_FOLDER(folder) ((void)(folder))
#endif

#endif
