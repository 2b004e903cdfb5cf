/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	TEXT,
	FLAG,
	U32,
	U32_OR_NULL, /* UINT32_MAX is null */
	ID_OR_NULL,  /* 0 is null */
	U64,
	REAL, /* infinity is "inf" */
	TIME, /* 0 is null */
	TIMING,
};

/* One row a key: what a record's member becomes. */
struct field {
	const char *key;
	enum kind kind;
	size_t offset;
};

#define POOL(kind, member)                                                    \
	{ #member, kind, offsetof(struct astra_report_pool, member) }
#define TENANT(kind, member)                                                  \
	{ #member, kind, offsetof(struct astra_report_tenant, member) }
#define JOB(kind, member)                                                     \
	{ #member, kind, offsetof(struct astra_report_job, member) }
#define DIAG(kind, member)                                                    \
	{ #member, kind, offsetof(struct astra_report_diag, member) }
#define SOCKET(kind, member)                                                  \
	{ #member, kind, offsetof(struct astra_socket_stats, member) }

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
	{ NULL, TEXT, 0 },
};

static const struct field tenant_fields[] = {
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
	{ NULL, TEXT, 0 },
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
	JOB(ID_OR_NULL, rank),
	JOB(U32, ranks),
	JOB(TIME, expected_start_sec),
	JOB(TEXT, reason),
	JOB(TEXT, reason_long),
	{ NULL, TEXT, 0 },
};

static const struct field job_usage_fields[] = {
	JOB(REAL, alloc_gpu_sec),
	JOB(REAL, fair_gpu_sec),
	JOB(REAL, rho),
	{ NULL, TEXT, 0 },
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
	DIAG(TEXT, policy_error),
	{ NULL, TEXT, 0 },
};

static const struct field socket_fields[] = {
	SOCKET(U32, clients),	   SOCKET(U64, answered),
	SOCKET(U64, malformed),	   SOCKET(U64, refused),
	SOCKET(U64, unauthenticated), SOCKET(U64, limited),
	SOCKET(U64, too_large),	   SOCKET(U64, timed_out),
	SOCKET(U64, turned_away),  { NULL, TEXT, 0 },
};

json_t *astra_encode_text(const char *text)
{
	json_t *value = json_string(text ? text : "");
	char *copy;

	if (value)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *at = copy; *at; at++)
		if ((unsigned char) *at >= 0x80)
			*at = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

static json_t *encode_real(double value)
{
	if (isnan(value))
		return json_null();
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	if (value == floor(value) && fabs(value) < 1e15)
		return json_integer((json_int_t) value);
	return json_real(value);
}

static json_t *encode_timing(const struct astra_report_timing *timing)
{
	return json_pack("{s:I,s:I,s:I}", "last_usec",
			 (json_int_t) timing->last_usec, "mean_usec",
			 (json_int_t) timing->mean_usec, "max_usec",
			 (json_int_t) timing->max_usec);
}

static json_t *encode_u32(uint32_t value, uint32_t none, bool nullable)
{
	return nullable && value == none ? json_null() : json_integer(value);
}

static json_t *encode_member(enum kind kind, const void *member)
{
	switch (kind) {
	case TEXT:
		return astra_encode_text(*(const char *const *) member);
	case FLAG:
		return json_boolean(*(const bool *) member);
	case U32:
		return encode_u32(*(const uint32_t *) member, 0, false);
	case U32_OR_NULL:
		return encode_u32(*(const uint32_t *) member, UINT32_MAX, true);
	case ID_OR_NULL:
		return encode_u32(*(const uint32_t *) member, 0, true);
	case U64:
		return json_integer(
			(json_int_t) * (const uint64_t *) member);
	case REAL:
		return encode_real(*(const double *) member);
	case TIME:
		return *(const double *) member > 0 ?
			       encode_real(*(const double *) member) :
			       json_null();
	case TIMING:
		return encode_timing(member);
	}
	return NULL;
}

static int encode_into(json_t *object, const void *record,
		       const struct field *fields)
{
	for (; fields->key; fields++) {
		const void *member = (const char *) record + fields->offset;

		if (json_object_set_new(object, fields->key,
					encode_member(fields->kind,
						      member)) < 0)
			return -1;
	}
	return 0;
}

static json_t *encode(const void *record, const struct field *fields)
{
	json_t *object = json_object();

	if (object && encode_into(object, record, fields) < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *astra_encode_pool(const struct astra_report_pool *pool)
{
	return encode(pool, pool_fields);
}

json_t *astra_encode_tenant(const struct astra_report_tenant *tenant)
{
	return encode(tenant, tenant_fields);
}

json_t *astra_encode_diag(const struct astra_report_diag *diag)
{
	return encode(diag, diag_fields);
}

json_t *astra_encode_socket(const struct astra_socket_stats *stats)
{
	return encode(stats, socket_fields);
}

static int hide_usage(json_t *object)
{
	for (const struct field *f = job_usage_fields; f->key; f++)
		if (json_object_set_new(object, f->key, json_null()) < 0)
			return -1;
	return 0;
}

json_t *astra_encode_job(const struct astra_report_job *job, bool usage)
{
	json_t *object = encode(job, job_fields);
	int rc;

	if (!object)
		return NULL;
	rc = usage ? encode_into(object, job, job_usage_fields) :
		     hide_usage(object);
	if (rc < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}
