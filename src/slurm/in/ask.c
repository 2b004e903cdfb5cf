/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/ask.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT_MAX UINT32_MAX /* products of two counts fit into 64 bits */
#define TOKEN_MAX 256

static uint64_t ask_max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t at_least_1(uint32_t n)
{
	return n ? n : 1;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Read a count as Slurm writes it: 8, 2k. Returns 0, or -1 if text is not a
 * count. */
static int parse_count(const char *text, uint64_t *out)
{
	static const char units[] = " kmgtp";
	unsigned long long n;
	const char *unit = units;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	n = strtoull(text, &end, 10);
	if (*end) {
		unit = strchr(units + 1, tolower((unsigned char)*end));
		if (!unit || end[1])
			return -1;
	}
	for (; unit > units && n <= COUNT_MAX; unit--)
		n *= 1024;
	*out = n > COUNT_MAX ? COUNT_MAX : n;
	return 0;
}

bool astra_ask_is_derived(const struct astra_ask *ask)
{
	for (int i = 0; i < ASTRA_PER_COUNT; i++)
		if (ask->count[i])
			return false;
	return true;
}

/* Whether the text names the same GPUs again, as in --gres=gpu:2
 * --gpus-per-node=2. */
static bool ask_is_named(const struct astra_ask *ask, enum astra_ask_per per,
			 const char *type)
{
	return ask->count[per] && !ask->two_types && !strcmp(ask->type, type);
}

static void note_type(struct astra_ask *ask, const char *type)
{
	if (!astra_ask_is_derived(ask) && strcmp(ask->type, type))
		ask->two_types = true;
	if (strlen(type) < sizeof(ask->type))
		strcpy(ask->type, type);
}

/* Add one item: gpu, gpu:COUNT, gpu:TYPE or gpu:TYPE:COUNT, or the same for
 * shard. rest: the item without "gpu" or "shard". Sets *said if the count is
 * not 0. Returns 0, or -1 if the item is invalid. */
static int add_units(struct astra_ask *ask, enum astra_ask_per per, char *rest,
		     bool *said)
{
	uint64_t count = 1;
	const char *type = NULL;
	char *colon;

	if (*rest++ == ':') {
		colon = strchr(rest, ':');
		if (colon) {
			*colon = '\0';
			type = rest;
			rest = colon + 1;
			if (parse_count(rest, &count) < 0)
				return -1;
		} else if (parse_count(rest, &count) < 0) {
			type = rest;
		}
		if (type && (!*type || strlen(type) >= ASTRA_GPU_TYPE_MAX))
			return -1;
	}
	if (!count)
		return 0;
	*said = true;
	type = type ? type : "";
	if (!ask_is_named(ask, per, type))
		count += ask->count[per];
	note_type(ask, type);
	ask->count[per] = count > COUNT_MAX ? COUNT_MAX : count;
	return 0;
}

static bool is_gres(const char *token, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(token, name, len) && (!token[len] || token[len] == ':');
}

static bool ask_is_none(const char *token)
{
	const char *colon = strrchr(token, ':');
	uint64_t count;

	return colon && !parse_count(colon + 1, &count) && !count;
}

static int add_token(struct astra_ask *ask, enum astra_ask_per per, char *token)
{
	char *equals = strchr(token, '=');

	if (equals)
		*equals = ':';
	if (!strncmp(token, "gres:", 5) || !strncmp(token, "gres/", 5))
		token += 5;
	if (is_gres(token, "gpu"))
		return add_units(ask, per, token + 3, &ask->gpus);
	if (is_gres(token, "shard"))
		return add_units(ask, per, token + 5, &ask->shards);
	ask->mps |= is_gres(token, "mps") && !ask_is_none(token);
	return 0;
}

int astra_ask_add(struct astra_ask *ask, enum astra_ask_per per,
		  const char *text, struct astra_error *err)
{
	char token[TOKEN_MAX];

	while (text && *text) {
		size_t len = strcspn(text, ",;");

		if (len >= sizeof(token))
			return astra_error_set(err, "%.40s...: too long", text);
		memcpy(token, text, len);
		token[len] = '\0';
		if (add_token(ask, per, token) < 0)
			return astra_error_set(err,
					       "%.*s: GPUs are given as "
					       "gpu:COUNT, gpu:TYPE or "
					       "gpu:TYPE:COUNT, shards "
					       "likewise",
					       (int)len, text);
		text += len;
		text += strspn(text, ",;");
	}
	return 0;
}

/* Return how many tasks one node must take. If the job names a number of tasks
 * in all, the number per node is only a limit. */
static uint64_t node_tasks(const struct astra_spread *s)
{
	if (!s->tasks)
		return at_least_1(s->tasks_per_node);
	return s->nodes_max ? divide_up(s->tasks, s->nodes_max) : 1;
}

/* Return how many GPUs must be on one node: the most that any of the counts
 * demands. */
static uint64_t ask_node_gpus(const struct astra_ask *ask,
			      const struct astra_spread *s)
{
	const uint64_t *count = ask->count;
	uint64_t most = count[ASTRA_PER_NODE];

	most = ask_max64(most, count[ASTRA_PER_SOCKET] *
				       at_least_1(s->sockets_per_node));
	most = ask_max64(most, count[ASTRA_PER_TASK] * node_tasks(s));
	if (s->nodes_max)
		most = ask_max64(most,
				 divide_up(count[ASTRA_PER_JOB], s->nodes_max));
	return most;
}

struct astra_need astra_ask_need(const struct astra_ask *ask,
				 const struct astra_spread *s)
{
	const uint64_t *count = ask->count;
	struct astra_need need = {0};
	uint64_t nodes = at_least_1(s->nodes_min);

	need.node_gpus = ask_node_gpus(ask, s);
	need.gpus = ask_max64(count[ASTRA_PER_JOB], need.node_gpus);
	need.gpus = ask_max64(need.gpus, count[ASTRA_PER_NODE] * nodes);
	need.gpus = ask_max64(need.gpus, count[ASTRA_PER_SOCKET] * nodes);
	need.gpus = ask_max64(need.gpus,
			      count[ASTRA_PER_TASK] * at_least_1(s->tasks));
	if (!need.gpus && s->tasks_per_gpu)
		need.gpus = s->tasks / s->tasks_per_gpu;
	if (!need.gpus)
		return need;
	need.node_gpus = ask_max64(need.node_gpus, 1);
	need.nodes = (uint32_t)nodes;
	return need;
}
