/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode.h"

#include <stdio.h>
#include <string.h>

enum kind {
	TEXT,
	FLAG,
	U32,
	U32_OR_NULL, /* UINT32_MAX is null */
	ID_OR_NULL,  /* 0 is null */
	U64,
	REAL,  /* infinity is "inf" */
	TIME,  /* 0 is null */
	COUNT, /* the same of a whole number */
	TIMING,
	PROGRESS, /* null where nothing was said */
	CHECKPOINT,
};

/* One row a key: what a record's member becomes. */
struct field {
	const char *key;
	enum kind kind;
	size_t offset;
};

#define POOL(kind, member)                                                \
	{                                                                 \
#member, kind, offsetof(struct astra_report_pool, member) \
	}
#define TENANT(kind, member)                                                \
	{                                                                   \
#member, kind, offsetof(struct astra_report_tenant, member) \
	}
#define JOB(kind, member)                                                \
	{                                                                \
#member, kind, offsetof(struct astra_report_job, member) \
	}
#define DIAG(kind, member)                                                \
	{                                                                 \
#member, kind, offsetof(struct astra_report_diag, member) \
	}
#define SOCKET(kind, member)                                               \
	{                                                                  \
#member, kind, offsetof(struct astra_socket_stats, member) \
	}

static const struct field pool_fields[] = {
	POOL(TEXT, name),
	POOL(TEXT, partitions),
	POOL(TEXT, policy),
	POOL(TEXT, variant),
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
	{NULL, TEXT, 0},
};

static const struct field tenant_fields[] = {
	TENANT(TEXT, pool),	     TENANT(TEXT, name),
	TENANT(U32_OR_NULL, uid),    TENANT(FLAG, listed),
	TENANT(REAL, weight),	     TENANT(REAL, quota_gpus),
	TENANT(REAL, demand_gpus),   TENANT(REAL, alloc_gpus),
	TENANT(REAL, alloc_gpu_sec), TENANT(REAL, fair_gpu_sec),
	TENANT(REAL, rho),	     TENANT(U32, jobs_waiting),
	TENANT(U32, jobs_running),   {NULL, TEXT, 0},
};

#define SAID(kind, member)                                                    \
	{                                                                     \
#member, kind, offsetof(struct astra_report_progress, member) \
	}
#define SAVED(kind, member)                                              \
	{                                                                \
#member, kind,                                           \
			offsetof(struct astra_report_checkpoint, member) \
	}

static const struct field progress_fields[] = {
	SAID(U64, done),  SAID(COUNT, total),	SAID(TIME, iter_sec),
	SAID(REAL, loss), SAID(TIME, time_sec), SAID(U32, run),
	{NULL, TEXT, 0},
};

static const struct field checkpoint_fields[] = {
	SAVED(U64, step),
	SAVED(TIME, time_sec),
	{NULL, TEXT, 0},
};

static const struct field job_fields[] = {
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
	JOB(REAL, lease_sec),
	JOB(TIME, lease_start_sec),
	JOB(TIME, lease_end_sec),
	JOB(REAL, grace_sec),
	JOB(TIME, grace_end_sec),
	JOB(U32, leases),
	JOB(U32, revoked),
	JOB(REAL, lost_sec),
	JOB(U32, run),
	JOB(PROGRESS, progress),
	JOB(CHECKPOINT, checkpoint),
	JOB(TEXT, level),
	JOB(TEXT, slowdown),
	JOB(ID_OR_NULL, rank),
	JOB(U32, ranks),
	JOB(TIME, expected_start_sec),
	JOB(TEXT, reason),
	JOB(TEXT, reason_long),
	{NULL, TEXT, 0},
};

static const struct field job_usage_fields[] = {
	JOB(REAL, alloc_gpu_sec),
	JOB(REAL, fair_gpu_sec),
	JOB(REAL, rho),
	{NULL, TEXT, 0},
};

static const struct field diag_fields[] = {
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
	{NULL, TEXT, 0},
};

static const struct field socket_fields[] = {
	SOCKET(U32, clients),	      SOCKET(U64, answered),
	SOCKET(U64, malformed),	      SOCKET(U64, refused),
	SOCKET(U64, unauthenticated), SOCKET(U64, limited),
	SOCKET(U64, too_large),	      SOCKET(U64, timed_out),
	SOCKET(U64, turned_away),     {NULL, TEXT, 0},
};

static void put_word(struct astra_text *out, const char *word)
{
	astra_text_add(out, word, strlen(word));
}

static void put_u64(struct astra_text *out, uint64_t value)
{
	char text[24];
	int size =
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

	astra_text_add(out, text, (size_t)size);
}

static void put_u32(struct astra_text *out, uint32_t value, uint32_t none)
{
	if (value == none)
		put_word(out, "null");
	else
		put_u64(out, value);
}

static void put_timing(struct astra_text *out,
		       const struct astra_report_timing *timing)
{
	put_word(out, "{\"last_usec\":");
	put_u64(out, timing->last_usec);
	put_word(out, ",\"mean_usec\":");
	put_u64(out, timing->mean_usec);
	put_word(out, ",\"max_usec\":");
	put_u64(out, timing->max_usec);
	put_word(out, "}");
}

static void put_time(struct astra_text *out, double sec)
{
	if (sec > 0)
		astra_encode_real(out, sec);
	else
		put_word(out, "null");
}

static void put_count(struct astra_text *out, uint64_t count)
{
	if (count)
		put_u64(out, count);
	else
		put_word(out, "null");
}

static void put_object(struct astra_text *out, const void *record,
		       const struct field *fields);

static void put_progress(struct astra_text *out,
			 const struct astra_report_progress *progress)
{
	if (progress->time_sec > 0)
		put_object(out, progress, progress_fields);
	else
		put_word(out, "null");
}

static void put_checkpoint(struct astra_text *out,
			   const struct astra_report_checkpoint *checkpoint)
{
	if (checkpoint->time_sec > 0)
		put_object(out, checkpoint, checkpoint_fields);
	else
		put_word(out, "null");
}

static void put_member(struct astra_text *out, enum kind kind,
		       const void *member)
{
	switch (kind) {
	case TEXT:
		astra_encode_text(out, *(const char *const *)member);
		break;
	case FLAG:
		put_word(out, *(const bool *)member ? "true" : "false");
		break;
	case U32:
		put_u64(out, *(const uint32_t *)member);
		break;
	case U32_OR_NULL:
		put_u32(out, *(const uint32_t *)member, UINT32_MAX);
		break;
	case ID_OR_NULL:
		put_u32(out, *(const uint32_t *)member, 0);
		break;
	case U64:
		put_u64(out, *(const uint64_t *)member);
		break;
	case REAL:
		astra_encode_real(out, *(const double *)member);
		break;
	case TIME:
		put_time(out, *(const double *)member);
		break;
	case COUNT:
		put_count(out, *(const uint64_t *)member);
		break;
	case TIMING:
		put_timing(out, member);
		break;
	case PROGRESS:
		put_progress(out, member);
		break;
	case CHECKPOINT:
		put_checkpoint(out, member);
		break;
	}
}

/* The members of a record, each after the separator given for the first one
 * and a comma for the others. hidden: each is null. */
static void put_members(struct astra_text *out, const void *record,
			const struct field *fields, const char *separator,
			bool hidden)
{
	for (; fields->key; fields++) {
		put_word(out, separator);
		put_word(out, "\"");
		put_word(out, fields->key);
		put_word(out, "\":");
		if (hidden)
			put_word(out, "null");
		else
			put_member(out, fields->kind,
				   (const char *)record + fields->offset);
		separator = ",";
	}
}

static void put_object(struct astra_text *out, const void *record,
		       const struct field *fields)
{
	put_members(out, record, fields, "{", false);
	put_word(out, "}");
}

void astra_encode_pool(struct astra_text *out,
		       const struct astra_report_pool *pool)
{
	put_object(out, pool, pool_fields);
}

void astra_encode_tenant(struct astra_text *out,
			 const struct astra_report_tenant *tenant)
{
	put_object(out, tenant, tenant_fields);
}

void astra_encode_diag(struct astra_text *out,
		       const struct astra_report_diag *diag)
{
	put_object(out, diag, diag_fields);
}

void astra_encode_socket(struct astra_text *out,
			 const struct astra_socket_stats *stats)
{
	put_object(out, stats, socket_fields);
}

void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, bool usage)
{
	put_members(out, job, job_fields, "{", false);
	put_members(out, job, job_usage_fields, ",", !usage);
	put_word(out, "}");
}
