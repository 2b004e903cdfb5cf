/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/topology.h"

#include "src/slurm/in/gpus.h"

/* Nodes with more GPUs or sockets count as unknown. */
#define LINKED_MAX 64
#define SOCKETS_MAX 64

/* Return those GPUs of `left` that links connect with the GPU `from`, also over
 * other GPUs. */
static uint64_t linked_to(const gres_node_state_t *g, int from, uint64_t left)
{
	uint64_t found = UINT64_C(1) << from, next = found;

	while (next) {
		int i = __builtin_ctzll(next);

		next &= next - 1;
		for (int j = 0; j < g->link_len; j++) {
			uint64_t bit = UINT64_C(1) << j;

			if (!(left & bit & ~found) || g->links_cnt[i][j] <= 0)
				continue;
			found |= bit;
			next |= bit;
		}
	}
	return found;
}

static bool has_links(const gres_node_state_t *g)
{
	if (!g->links_cnt || g->link_len < 2 || g->link_len > LINKED_MAX)
		return false;
	for (int i = 0; i < g->link_len; i++)
		if (!g->links_cnt[i])
			return false;
	return true;
}

/* Return the size of the smallest group of linked GPUs; 0: there are no
 * links. */
static uint32_t least_linked(const gres_node_state_t *g)
{
	uint64_t left = UINT64_MAX >> (64 - g->link_len);
	int least = g->link_len, most = 0;

	while (left) {
		uint64_t group = linked_to(g, __builtin_ctzll(left), left);
		int size = __builtin_popcountll(group);

		left &= ~group;
		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	return most > 1 ? (uint32_t)least : 0;
}

/* Return the socket of these cores, or -1 if they are not all on one socket. */
static int socket_of(const node_record_t *node, bitstr_t *cores)
{
	int each, first;

	if (!cores || bit_size(cores) != node->tot_cores ||
	    (first = (int)bit_ffs(cores)) < 0)
		return -1;
	each = node->tot_cores / node->tot_sockets;
	if ((int)bit_fls(cores) / each != first / each)
		return -1;
	return first / each;
}

/* Return the fewest GPUs of any socket that has GPUs; 0: unknown. */
static uint32_t least_at_socket(const node_record_t *node,
				const gres_node_state_t *g)
{
	uint64_t at[SOCKETS_MAX] = {0}, least = UINT32_MAX;

	if (!g->topo_cnt || !g->topo_core_bitmap || !g->topo_gres_cnt_avail ||
	    !node->tot_sockets || node->tot_sockets > SOCKETS_MAX ||
	    node->tot_cores < node->tot_sockets)
		return 0;
	for (int i = 0; i < g->topo_cnt; i++) {
		int socket = socket_of(node, g->topo_core_bitmap[i]);

		if (socket < 0 || socket >= SOCKETS_MAX)
			return 0;
		at[socket] += g->topo_gres_cnt_avail[i];
	}
	for (int i = 0; i < node->tot_sockets; i++)
		if (at[i] && at[i] < least)
			least = at[i];
	return least == UINT32_MAX ? 0 : (uint32_t)least;
}

uint32_t astra_slot_gpus(const node_record_t *node)
{
	const gres_node_state_t *g = astra_node_gpus(node);
	uint32_t least = 0;

	if (!g)
		return 0;
	if (has_links(g))
		least = least_linked(g);
	if (!least)
		least = least_at_socket(node, g);
	return least < g->gres_cnt_avail ? least : 0;
}
