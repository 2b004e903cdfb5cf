/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode.h"

#include <stdio.h>
#include <string.h>

#include "src/proto/encode_field.h"

#define POOL(kind, member) ASTRA_FIELD(kind, struct astra_report_pool, member)
#define TENANT(kind, member) \
	ASTRA_FIELD(kind, struct astra_report_tenant, member)
#define JOB(kind, member) ASTRA_FIELD(kind, struct astra_report_job, member)
#define DIAG(kind, member) ASTRA_FIELD(kind, struct astra_report_diag, member)
#define SOCKET(kind, member) \
	ASTRA_FIELD(kind, struct astra_socket_stats, member)

static const struct astra_field pool_fields[] = {
	POOL(TEXT, name),
	POOL(TEXT, partitions),
	POOL(TEXT, policy),
	POOL(TEXT, variant),
	POOL(FLAG, leases),
	POOL(REAL, lease_sec),
	POOL(REAL, lease_min_sec),
	POOL(REAL, lease_max_sec),
	POOL(REAL, round_sec),
	POOL(REAL, grace_sec),
	POOL(REAL, min_run_sec),
	POOL(REAL, half_life_sec),
	POOL(REAL, lead_max_sec),
	POOL(U32, reclaim_max),
	POOL(U64, gpus),
	POOL(U64, gpus_usable),
	POOL(U64, gpus_free),
	POOL(ID_OR_NULL, hold_job),
	POOL(TIME, hold_start_sec),
	POOL(U64, rounds),
	POOL(U64, granted),
	POOL(U64, renewed),
	POOL(U64, revoked),
	POOL(U64, refused),
	POOL(U64, reclaim_capped),
	POOL(U64, lent),
	POOL(U64, first_starts),
	POOL(U64, over_bound),
	POOL(REAL, reward),
	POOL(REAL, slots),
	ASTRA_FIELDS_END,
};

static const struct astra_field tenant_fields[] = {
	TENANT(TEXT, pool),
	TENANT(TEXT, name),
	TENANT(U32_OR_NULL, uid),
	TENANT(FLAG, listed),
	TENANT(REAL, weight),
	TENANT(REAL, quota_gpus),
	TENANT(REAL, demand_gpus),
	TENANT(REAL, alloc_gpus),
	TENANT(REAL, alloc_gpu_sec),
	TENANT(REAL, fair_gpu_sec),
	TENANT(REAL, rho),
	TENANT(U32, jobs_waiting),
	TENANT(U32, jobs_running),
	TENANT(REAL, credits),
	ASTRA_FIELDS_END,
};

static const struct astra_field job_fields[] = {
	JOB(TEXT, pool),
	JOB(TEXT, tenant),
	JOB(U32, id),
	JOB(ID_OR_NULL, array_id),
	JOB(U32_OR_NULL, array_task),
	JOB(TEXT, id_text),
	JOB(U32, copies),
	JOB(U32, uid),
	JOB(TEXT, user),
	JOB(TEXT, account),
	JOB(TEXT, partition),
	JOB(TEXT, name),
	JOB(U32, gpus),
	JOB(TEXT, nodes),
	JOB(TEXT, state),
	JOB(TEXT, phase),
	JOB(FLAG, revocable),
	JOB(TEXT, pinned),
	JOB(TEXT, signal),
	JOB(REAL, weight),
	JOB(TIME, submit_sec),
	JOB(TIME, start_sec),
	JOB(TIME, lease_sec), /* null: no term */
	JOB(TIME, lease_start_sec),
	JOB(TIME, lease_end_sec),
	JOB(REAL, grace_sec),
	JOB(TIME, grace_end_sec),
	JOB(FLAG, lent),
	JOB(U32, leases),
	JOB(U32, revoked),
	JOB(REAL, lost_sec),
	JOB(U32, run),
	JOB(PROGRESS, progress),
	JOB(CHECKPOINT, checkpoint),
	JOB(TEXT, level),
	JOB(TEXT, slowdown),
	JOB(TEXT, speedup),
	JOB(TEXT, advice),
	JOB(ID_OR_NULL, rank),
	JOB(U32, ranks),
	JOB(TIME, expected_start_sec),
	JOB(TIME, bound_sec),
	JOB(TIME, expected_early_sec),
	JOB(TIME, expected_late_sec),
	JOB(TIME, forecast_sec),
	JOB(TIME, forecast_until_sec),
	JOB(TEXT, reason),
	JOB(TEXT, reason_long),
	JOB(REAL, alloc_gpu_sec),
	JOB(REAL, fair_gpu_sec),
	JOB(REAL, rho),
	JOB(REAL, user_rho),
	ASTRA_FIELDS_END,
};

#define JOB_KEYS (sizeof(job_fields) / sizeof(*job_fields) - 1)
/* The last four. */
#define JOB_USAGE (UINT64_C(15) << (JOB_KEYS - 4))

_Static_assert(JOB_KEYS <= 64, "a job's keys fit the bits of a request");

static const struct astra_field diag_fields[] = {
	DIAG(TIME, started_sec),
	DIAG(TIME, reset_sec),
	DIAG(TIME, round_sec),
	DIAG(U64, rounds),
	DIAG(REAL, rounds_per_min),
	DIAG(TIMING, round),
	DIAG(TIMING, decide),
	DIAG(TIMING, snapshot),
	DIAG(TIMING, write_lock),
	DIAG(U32, depth),
	DIAG(U32, queue),
	DIAG(U64, started),
	DIAG(U64, granted),
	DIAG(U64, renewed),
	DIAG(U64, revoked),
	DIAG(U64, refused),
	DIAG(U64, skipped),
	DIAG(U64, state_saves),
	DIAG(TIME, state_saved_sec),
	DIAG(TEXT, state_error),
	DIAG(TIME, config_sec),
	DIAG(TEXT, config_error),
	DIAG(TEXT, config_warning),
	DIAG(TEXT, policy_error),
	DIAG(TEXT, aside),
	ASTRA_FIELDS_END,
};

#define HISTORY(kind, member) \
	ASTRA_FIELD(kind, struct astra_report_history, member)

static const struct astra_field history_fields[] = {
	HISTORY(TEXT, state),	    HISTORY(TEXT, file),
	HISTORY(TEXT, error),	    HISTORY(U64, file_bytes),
	HISTORY(TIME, written_sec), HISTORY(U64, transactions),
	HISTORY(U64, rows),	    HISTORY(U64, rows_dropped),
	HISTORY(U64, reports),	    HISTORY(U64, dropped),
	HISTORY(U64, lost),	    HISTORY(TIMING, note),
	HISTORY(TIMING, write),	    ASTRA_FIELDS_END,
};

static const struct astra_field socket_fields[] = {
	SOCKET(U32, clients),	      SOCKET(U64, answered),
	SOCKET(U64, malformed),	      SOCKET(U64, refused),
	SOCKET(U64, unauthenticated), SOCKET(U64, limited),
	SOCKET(U64, too_large),	      SOCKET(U64, timed_out),
	SOCKET(U64, turned_away),     ASTRA_FIELDS_END,
};

void astra_encode_pool(struct astra_text *out,
		       const struct astra_report_pool *pool)
{
	astra_encode_object(out, pool, pool_fields);
}

void astra_encode_tenant(struct astra_text *out,
			 const struct astra_report_tenant *tenant,
			 uint64_t picked)
{
	astra_encode_picked(out, tenant, tenant_fields, picked, 0);
}

void astra_encode_diag(struct astra_text *out,
		       const struct astra_report_diag *diag)
{
	astra_encode_object(out, diag, diag_fields);
}

void astra_encode_history(struct astra_text *out,
			  const struct astra_report_history *history)
{
	astra_encode_object(out, history, history_fields);
}

void astra_encode_socket(struct astra_text *out,
			 const struct astra_socket_stats *stats)
{
	astra_encode_object(out, stats, socket_fields);
}

void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, uint64_t picked,
		      bool usage)
{
	astra_encode_picked(out, job, job_fields, picked,
			    usage ? 0 : JOB_USAGE);
}

static const struct astra_field *fields_of(enum astra_query_kind kind)
{
	if (kind == ASTRA_QUERY_TENANT)
		return tenant_fields;
	if (kind == ASTRA_QUERY_AUCTION)
		return astra_app_fields;
	if (kind == ASTRA_QUERY_PRICE)
		return astra_price_fields;
	if (kind == ASTRA_QUERY_CLASS)
		return astra_class_fields;
	return job_fields;
}

static enum astra_fault refuse_field(const struct astra_field *fields,
				     const char *name, struct astra_error *err)
{
	char list[sizeof(err->text)] = "";
	size_t size = 0;

	for (; fields->key && size < sizeof(list); fields++)
		size += (size_t)snprintf(list + size, sizeof(list) - size,
					 "%s%s", size ? "," : "", fields->key);
	astra_error_set(err, "\"fields\": \"%.32s\" is none of %s", name, list);
	return ASTRA_FAULT_MALFORMED;
}

enum astra_fault astra_pick(const struct astra_query *query, uint64_t *out,
			    struct astra_error *err)
{
	const struct astra_field *fields = fields_of(query->kind);
	uint64_t picked = 0;

	for (size_t i = 0; i < query->fields.count; i++) {
		const char *name = query->fields.names[i];
		unsigned row = 0;

		while (fields[row].key && strcmp(fields[row].key, name) != 0)
			row++;
		if (!fields[row].key)
			return refuse_field(fields, name, err);
		picked |= UINT64_C(1) << row;
	}
	*out = picked ? picked : ASTRA_PICK_ALL;
	return ASTRA_FAULT_NONE;
}
