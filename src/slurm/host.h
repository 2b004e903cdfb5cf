/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's life inside slurmctld: one thread, started by the plugin that is
 * loaded first. It runs a round when something has happened or is due. */
#ifndef ASTRA_HOST_H
#define ASTRA_HOST_H

/* Read astraea.conf and start the thread, unless it runs already. The thread
 * begins its work once slurmctld is ready. Locks: caller holds slurmctld's, or
 * slurmctld is initialising plugins and serves nobody yet. Returns 0, or -1
 * when no thread could be made, which is logged. */
int astra_host_start(void);

/* Stop and join the thread, and give parked jobs back to Slurm. Does nothing if
 * the thread was not started. Locks: caller holds none of slurmctld's; takes
 * job write. */
void astra_host_stop(void);

/* The init and fini of priority/ltgf. Also called in sshare and sprio, where
 * nothing of slurmctld may be touched. */
int astra_priority_init(void);
int astra_priority_fini(void);

/* For the plugins: astra_bell_reconfigure() and astra_bell_ring(). */
void astra_host_reconfigure(void);
void astra_host_wake(void);

#endif
