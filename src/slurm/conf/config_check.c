/* SPDX-License-Identifier: GPL-2.0-or-later */
/* astraea.conf against the partitions that there are. */
#include <string.h>

#include "src/slurm/conf/config_priv.h"

static size_t count_existing(const struct astra_pool_config *pool,
			     astra_part_exists *exists, const void *arg)
{
	size_t count = 0;

	for (size_t i = 0; i < pool->partitions.count; i++)
		count += exists(pool->partitions.name[i], arg);
	return count;
}

int astra_config_check_partitions(const struct astra_config *config,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *err)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		const struct astra_pool_config *pool = &config->pools[i];
		size_t count = pool->partitions.count;

		if (count_existing(pool, exists, arg))
			continue;
		return astra_error_set(
			err, "%s: Partitions=%s: there is no partition %s%s",
			pool->partition_place, pool->partition_text,
			count ? pool->partitions.name[0] : "",
			count > 1 ? ", nor any of the others" : "");
	}
	return 0;
}

void astra_config_warn_partitions(const struct astra_pool_config *pool,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *out)
{
	for (size_t i = 0; i < pool->partitions.count; i++)
		if (!exists(pool->partitions.name[i], arg))
			astra_error_add(out,
					"%s: Partitions=%s: there is no "
					"partition %s",
					pool->partition_place,
					pool->partition_text,
					pool->partitions.name[i]);
}
