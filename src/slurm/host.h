/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's life inside slurmctld: one thread, started by whichever plugin
 * comes first, that holds a round when something happened or is due.
 */
#ifndef ASTRA_HOST_H
#define ASTRA_HOST_H

/* Read astraea.conf and start the thread, unless it runs already. It begins
 * once slurmctld is ready.
 * Locks: caller holds slurmctld's, or slurmctld serves nobody yet: it
 * initialises plugins.
 * Returns 0, or -1 when no thread could be made; already logged. */
int astra_host_start(void);

/* Stop and join the thread, give the parked jobs back to Slurm. Does nothing
 * when it was not started.
 * Locks: caller holds none of slurmctld's; takes job write. */
void astra_host_stop(void);

/* Read astraea.conf again in the next round, which comes at once. */
void astra_host_reconfigure(void);

/* Something happened that may let a job start. Any thread, any locks held. */
void astra_host_wake(void);

/* The same, and somebody waits at the terminal for it: the next round comes
 * at once, if rounds have not taken more than a tenth of the time. */
void astra_host_wake_now(void);

/* Begin the numbers of `sfair diag` anew with the next round. Any thread. */
void astra_host_reset_diag(void);

#endif
