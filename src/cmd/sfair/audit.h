/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair audit's parts among themselves. */
#ifndef SFAIR_AUDIT_H
#define SFAIR_AUDIT_H

#include "src/audit/audit.h"
#include "src/cmd/sfair/accounts.h"
#include "src/cmd/sfair/sfair.h"
#include "src/policies/options.h"

#define SFAIR_SETS_MAX 64

/* The tables, in the order in which they are shown. */
enum sfair_audit_table {
	SFAIR_AUDIT_TENANTS,
	SFAIR_AUDIT_SIZES,
	SFAIR_AUDIT_WRONGED,
	SFAIR_AUDIT_JOBS, /* only where it is asked for */
	SFAIR_AUDIT_POLICIES,
	SFAIR_AUDIT_POLICY_TENANTS,
	SFAIR_AUDIT_POLICY_SIZES,
	SFAIR_AUDIT_TABLES, /* how many; as a choice: all of them */
};

/* Texts are borrowed from argv. */
struct sfair_audit_args {
	struct sfair_args show; /* style, unit, header, names, help */
	enum sfair_audit_table table;
	const char *start, *end; /* NULL: not given */
	const char *cluster;	 /* of Slurm; NULL: this one */
	const char *trace, *weights, *policies;
	const char *sets[SFAIR_SETS_MAX];
	size_t set_count;
	uint32_t nodes, gpus; /* 0: not given */
	uint32_t top;	      /* of those wronged */
	double interval_sec, cold_start_sec, checkpoint_sec;
	bool lenient, quiet;
};

/* audit_args.c. Returns as astra_cli_parse() does. The names in show.query are
 * to be destroyed either way. */
int sfair_audit_parse(int argc, char **argv, struct sfair_audit_args *args,
		      struct astra_error *err);

/* What is audited, and what comes of it. */
struct sfair_audit {
	const struct sfair_audit_args *args;
	const char *cluster;		/* its name; NULL: a trace */
	struct sfair_accounts accounts; /* where they are asked for */
	unsigned tenant_level;
	bool shares_tree;
	struct astra_record record;
	struct astra_window window;
	struct astra_options options; /* of the policies */
	struct astra_cluster machine;
	struct astra_trace trace; /* all that was there in the window */
	struct astra_sim_result real;
};

/* audit.c: what really happened of the trace's jobs in the window. Returns 0,
 * or -1 with err set. */
int sfair_audit_measure(const struct sfair_audit *audit,
			const struct astra_trace *trace,
			struct astra_sim_result *result,
			struct astra_error *err);

/* audit_args.c: have the options as --set says. Returns 0, or -1 with err set.
 */
int sfair_audit_set(struct sfair_audit *audit, struct astra_error *err);

/* accounts.c: what Slurm's programs know. All return 0, or -1 with err set.
 */

/* Who the tenants are: those of the record's jobs become what the plugin would
 * take them for. level: TenantLevel, or 0. */
int sfair_audit_accounts(struct astra_record *record,
			 const struct sfair_accounts *accounts, unsigned level,
			 struct astra_error *err);
/* Give the trace's tenants the weights that they have to the plugin; those
 * without jobs join it. by_tree: TenantShares=tree. */
int sfair_audit_shares(struct astra_trace *trace,
		       const struct sfair_accounts *accounts, unsigned level,
		       bool by_tree, struct astra_error *err);
/* The GPUs that the cluster had at the end of the window. */
int sfair_audit_gpus(const char *cluster, const struct astra_window *window,
		     uint64_t *gpus, struct astra_error *err);

/* audit_json.c: all there is to be said, as JSON; NULL: out of memory.
 * sizes and tenants are of a policy, or, NULL, of what really happened. */
json_t *sfair_audit_tenants(const struct sfair_audit *audit,
			    const struct astra_sim_result *result,
			    const char *policy);
json_t *sfair_audit_sizes(const struct sfair_audit *audit,
			  const struct astra_sim_result *result,
			  const char *policy);
/* The jobs; top: only so many of those wronged, worst first; 0: all, by
 * submission. */
json_t *sfair_audit_jobs(const struct sfair_audit *audit, size_t top);
/* A number; NaN: null, as there is none; infinity: "inf". */
json_t *sfair_real(double value);
/* All metrics of a result. */
json_t *sfair_audit_metrics(const struct astra_sim_result *result,
			    const char *policy);

/* audit_policies.c: add what each policy would have given to the document.
 * Returns 0, or -1 with err set. */
int sfair_audit_policies(struct sfair_audit *audit, json_t *document,
			 struct astra_error *err);

/* audit_print.c: the table's name on the command line and in the document. */
const char *sfair_audit_table_name(enum sfair_audit_table table);
const struct sfair_table *sfair_audit_table_of(enum sfair_audit_table table);
void sfair_audit_help_format(void);
int sfair_audit_print(const struct sfair_audit *audit, const json_t *document,
		      struct astra_error *err);

#endif
