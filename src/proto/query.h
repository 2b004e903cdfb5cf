/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request, once its sender is known: JSON to struct and back. Pure. */
#ifndef ASTRA_QUERY_H
#define ASTRA_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/model/adopted.h"
#include "src/proto/curves.h"
#include "src/proto/wire.h"

enum astra_report_kind {
	ASTRA_CLUSTER_UTILIZATION,
	ASTRA_CLUSTER_FAIRNESS,
	ASTRA_CLUSTER_ROUNDS,
	ASTRA_TENANT_FAIRNESS,
	ASTRA_TENANT_USAGE,
	ASTRA_TENANT_TIMELINE,
	ASTRA_TENANT_LEDGER,
	ASTRA_USER_TOP,
	ASTRA_USER_FAIRNESS,
	ASTRA_JOB_FAIRNESS,
	ASTRA_JOB_LEASES,
	ASTRA_JOB_SLOWDOWN,
	ASTRA_JOB_REQUESTS,
	ASTRA_REPORT_KINDS, /* how many */
};

struct astra_report_row {
	const char *type;   /* "tenant" */
	const char *report; /* "usage" */
	const char *name;   /* "tenant usage", as in a request */
	bool accounts;	    /* whether requests for it may have "accounts" and
			     * "users" */
	bool jobs;	    /* ... "jobs" */
	bool top;	    /* ... "top" */
	const char *help;   /* what the report shows, for users */
};

/* Returns the row of a report; never NULL. */
const struct astra_report_row *astra_report_row(enum astra_report_kind kind);

/* Finds the report of this name in a request. Returns 0 or -1. */
int astra_report_kind_find(const char *name, enum astra_report_kind *out);

/* Writes the names of the reports of a type, or of all types if type is NULL,
 * separated by commas. */
void astra_report_kind_names(const char *type, char *text, size_t size);

#define ASTRA_QUERY_DEPTH_MAX 8	  /* nested arrays and objects */
#define ASTRA_QUERY_NAMES_MAX 500 /* entries of one filter */
#define ASTRA_QUERY_NAME_MAX 256  /* bytes of one name */
#define ASTRA_QUERY_FIELDS_MAX 64 /* entries of "fields" */

enum astra_query_kind {
	ASTRA_QUERY_TENANT,
	ASTRA_QUERY_JOB,
	ASTRA_QUERY_LEASE,
	ASTRA_QUERY_WHY,
	ASTRA_QUERY_DIAG,
	ASTRA_QUERY_REMAINING,	  /* a job asks for its own lease */
	ASTRA_QUERY_PROGRESS,	  /* a job reports its progress */
	ASTRA_QUERY_CHECKPOINTED, /* a job reports a complete checkpoint */
	ASTRA_QUERY_OFFER,	  /* an app's state, for its agent */
	ASTRA_QUERY_BID,	  /* an agent's bid */
	ASTRA_QUERY_AUCTION,	  /* how all apps fared */
	ASTRA_QUERY_METRICS,	  /* numbers for a monitoring system */
	ASTRA_QUERY_RECORD,	  /* a round as JSON, for operators */
	ASTRA_QUERY_REPORT,	  /* a report on past time */
	ASTRA_QUERY_TOP,	  /* all that a live view shows */
	ASTRA_QUERY_ADOPT,	  /* what accounts hold, or what they are to
				   * begin with */
	ASTRA_QUERY_PRICE,	  /* what GPUs cost, slot by slot */
	ASTRA_QUERY_CLASS,	  /* learned shares of classes of jobs */
};

struct astra_names {
	char **names;
	size_t count, room;
};

/* A job as users write it: 12, or 12_3. */
struct astra_job_ref {
	uint32_t id;   /* never 0 */
	uint32_t task; /* UINT32_MAX: the job, or the whole array */
};

struct astra_job_refs {
	struct astra_job_ref *refs;
	size_t count, room;
};

#define ASTRA_COUNT_MAX (UINT64_C(1) << 53) /* of iterations */
#define ASTRA_ITER_SEC_MAX 1e9

/* What a job reports of itself. */
struct astra_said {
	uint32_t run;	 /* how often it was requeued before */
	uint64_t done;	 /* iterations done, including those of earlier runs */
	uint64_t total;	 /* iterations of all its work; 0: not given */
	double iter_sec; /* seconds per iteration; 0: not given */
	double loss;	 /* finite; NAN: not given */
	uint64_t step;	 /* the iteration of the checkpoint */
};

#define ASTRA_BID_JOBS_MAX 4096 /* entries of the order of jobs */

/* What an app's agent bids. */
struct astra_query_bid {
	struct astra_curves rho;     /* empty: not given */
	double rho_now;		     /* may be infinite; < 0: not given */
	struct astra_job_refs order; /* the jobs that get GPUs first, in order;
				      * no array tasks */
};

#define ASTRA_PAST_SEC_MAX INT64_C(253402300799) /* the year 9999 */
#define ASTRA_PAST_TOP_MAX 10000

/* Which report, and the window of time that it covers. */
struct astra_query_past {
	enum astra_report_kind report;
	int64_t start_sec, end_sec; /* 0 <= start < end */
	uint32_t top;		    /* rows at most; 0: not given */
};

#define ASTRA_ADOPT_MAX 10000 /* tenants and users of a request */
#define ASTRA_ADOPT_GPU_SEC_MAX 1e15

/* The usage that accounts are to begin with. */
struct astra_query_adopt {
	bool given;   /* usage is given; else the accounts are asked for */
	bool replace; /* replace accounts that are in use, too */
	struct astra_adopted *list;
	size_t count, room;
};

/* A request. An empty filter lets everything pass. */
struct astra_query {
	enum astra_query_kind kind;
	struct astra_names users;    /* names, or numeric ids */
	struct astra_names accounts; /* accounts, or tenants */
	struct astra_names pools;
	struct astra_names fields; /* TENANT, JOB, LEASE, AUCTION, PRICE, CLASS:
				    * reply only with these keys */
	struct astra_job_refs jobs; /* a job's own requests: one job; WHY: one
				     * job, or mine; OFFER and BID: one job, or
				     * app */
	uint64_t ticket; /* RECORD, ADOPT: which order is meant; 0: a new one */
	bool mine;	 /* WHY: all jobs of the sender */
	bool reset;	 /* DIAG: reset the counts */
	bool public; /* TOP, REPORT: reply only with what any user may see */
	struct astra_said said; /* PROGRESS and CHECKPOINTED */
	char *app;		/* OFFER and BID: --app; else NULL */
	char *user; /* owner of app: name or uid; NULL: the sender */
	struct astra_query_bid bid;	/* BID */
	struct astra_query_past past;	/* REPORT */
	struct astra_query_adopt adopt; /* ADOPT */
};

/* Parses "12" or "12_3"; "12_[3-9%2]" is 12. Returns 0, or -1 if text is not a
 * job. */
int astra_job_ref_parse(const char *text, struct astra_job_ref *out);

/* Appends a name. Returns 0, or -1 if out of memory. */
int astra_names_add(struct astra_names *names, const char *name, size_t size);

/* Appends an account. tenant and user are copied. Returns 0, or -1 if out of
 * memory. */
int astra_adopt_add(struct astra_query_adopt *adopt, const char *tenant,
		    const char *user, struct astra_usage usage);

/* Frees the contents. Afterwards the list is empty and can be used again. */
void astra_adopt_clear(struct astra_query_adopt *adopt);

/* Frees the names, and names->names. */
void astra_names_clear(struct astra_names *names);

int astra_job_refs_add(struct astra_job_refs *refs, struct astra_job_ref ref);

/* Return the name of a kind, as in a request; find the kind of a name (returns
 * 0 or -1). */
const char *astra_query_kind_name(enum astra_query_kind kind);
int astra_query_kind_find(const char *name, enum astra_query_kind *out);

/* Checks and parses a request. Every bound is checked before memory is used for
 * it.
 * out: destroy it with astra_query_destroy(); unchanged on failure.
 * Returns ASTRA_FAULT_NONE, or a fault, with err naming the key. */
enum astra_fault astra_query_decode(const char *text, size_t size,
				    struct astra_query *out,
				    struct astra_error *err);

/* Returns the JSON of a request; free() it. NULL if out of memory. */
char *astra_query_encode(const struct astra_query *query);

/* Whether a job reports something about itself by this request. */
static inline bool astra_query_says(const struct astra_query *query)
{
	return query->kind == ASTRA_QUERY_PROGRESS ||
	       query->kind == ASTRA_QUERY_CHECKPOINTED;
}

void astra_query_destroy(struct astra_query *query);

#endif
