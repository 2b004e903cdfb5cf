/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/number.h"
#include "src/placement/space_priv.h"

static uint64_t room_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

struct astra_share astra_request_share(const struct astra_request *request,
				       uint32_t node, uint32_t gpus)
{
	struct astra_share share = {.node = node, .gpus = gpus};
	uint64_t cpus = 0, mem;

	if (request->cpus && request->gpus)
		cpus = astra_div_up((uint64_t)request->cpus * gpus,
				    request->gpus);
	if (cpus < request->cpus_per_node)
		cpus = request->cpus_per_node;
	share.cpus = cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
	share.mem_mib = request->mem_node_mib;
	mem = room_times(request->mem_gpu_mib, gpus);
	if (mem > share.mem_mib)
		share.mem_mib = mem;
	mem = room_times(request->mem_cpu_mib, cpus);
	if (mem > share.mem_mib)
		share.mem_mib = mem;
	return share;
}

struct astra_request astra_request_sized(const struct astra_request *q,
					 uint32_t gpus)
{
	struct astra_request sized = *q;
	uint32_t nodes = q->gpus_per_node ? gpus / q->gpus_per_node : gpus;

	sized.gpus = gpus;
	sized.cpus =
		(uint32_t)(((uint64_t)q->cpus * gpus + q->gpus - 1) / q->gpus);
	sized.charge = q->charge * gpus / q->gpus;
	if (sized.nodes_min > nodes)
		sized.nodes_min = nodes;
	return sized;
}

/* GPUs that one job can have. */
static uint32_t room_gpus(const struct astra_room *room)
{
	return room->gpus - astra_min32(room->gpus, room->scattered);
}

bool astra_room_has(const struct astra_room *room,
		    const struct astra_share *share)
{
	return room->cpus && share->gpus <= room_gpus(room) &&
	       share->cpus <= room->cpus && share->mem_mib <= room->mem_mib;
}

static bool hosts(const struct astra_room *room,
		  const struct astra_request *request, uint32_t gpus)
{
	struct astra_share share = astra_request_share(request, 0, gpus);

	return astra_room_has(room, &share);
}

uint32_t astra_room_fits_at_most(const struct astra_room *room,
				 const struct astra_request *request)
{
	uint32_t quantum = astra_request_quantum(request);

	if (request->gpus_per_node)
		return room->gpus >= quantum ? quantum : 0;
	return astra_min32(room->gpus, request->gpus) / quantum * quantum;
}

uint32_t astra_room_fits(const struct astra_room *room,
			 const struct astra_request *request)
{
	uint32_t quantum = astra_request_quantum(request);
	uint32_t most = astra_min32(astra_room_fits_at_most(room, request),
				    room_gpus(room) / quantum * quantum);
	uint32_t low = 0, high = most / quantum;

	/* A node without a CPU left is another job's alone. */
	if (!most || !room->cpus || (request->whole_node && !room->whole))
		return 0;
	if (hosts(room, request, most))
		return most;
	while (low + 1 < high) { /* low fits (or is 0), high does not */
		uint32_t middle = low + (high - low) / 2;

		if (hosts(room, request, middle * quantum))
			low = middle;
		else
			high = middle;
	}
	return low * quantum;
}
