/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair audit. */
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
	SFAIR_AUDIT_JOBS, /* only on request */
	SFAIR_AUDIT_POLICIES,
	SFAIR_AUDIT_POLICY_TENANTS,
	SFAIR_AUDIT_POLICY_SIZES,
	SFAIR_AUDIT_TABLES, /* count of tables; as a choice: all tables */
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
	uint32_t top;	      /* how many of those wronged */
	double interval_sec, cold_start_sec, checkpoint_sec;
	bool lenient, quiet;
};

/* audit_args.c: parses the command line. Returns as astra_cli_parse() does.
 * Destroy the names in show.query in both cases. */
int sfair_audit_parse(int argc, char **argv, struct sfair_audit_args *args,
		      struct astra_error *err);

/* An audit and its results. */
struct sfair_audit {
	const struct sfair_audit_args *args;
	const char *cluster;		/* its name; NULL: a trace */
	struct sfair_accounts accounts; /* if they were asked for */
	unsigned tenant_level;
	bool shares_tree;
	struct astra_record record;
	struct astra_window window;
	struct astra_options options; /* of the policies */
	struct astra_cluster machine;
	struct astra_trace trace; /* all jobs of the window */
	struct astra_sim_result real;
};

/* audit.c: measures what the trace's jobs got in the window. Returns 0, or -1
 * with err set. */
int sfair_audit_measure(const struct sfair_audit *audit,
			const struct astra_trace *trace,
			struct astra_sim_result *result,
			struct astra_error *err);

/* audit_args.c: sets the options of --set. Returns 0, or -1 with err set. */
int sfair_audit_set(struct sfair_audit *audit, struct astra_error *err);

/* accounts.c: read accounts and nodes with Slurm's programs. All return 0, or
 * -1 with err set. */

/* Sets the tenants of the record's jobs: those that the plugin would charge.
 * level: TenantLevel, or 0. */
int sfair_audit_accounts(struct astra_record *record,
			 const struct sfair_accounts *accounts, unsigned level,
			 struct astra_error *err);
/* Sets the weights of the trace's tenants as the plugin would, and adds the
 * tenants without jobs. by_tree: TenantShares=tree. */
int sfair_audit_shares(struct astra_trace *trace,
		       const struct sfair_accounts *accounts, unsigned level,
		       bool by_tree, struct astra_error *err);
/* Sets *gpus to the cluster's count of GPUs at the end of the window. */
int sfair_audit_gpus(const char *cluster, const struct astra_window *window,
		     uint64_t *gpus, struct astra_error *err);

/* audit_json.c: return results as JSON; NULL: out of memory. policy: whose
 * simulation the results are from; NULL: they are of what really happened. */
json_t *sfair_audit_tenants(const struct sfair_audit *audit,
			    const struct astra_sim_result *result,
			    const char *policy);
json_t *sfair_audit_sizes(const struct sfair_audit *audit,
			  const struct astra_sim_result *result,
			  const char *policy);
/* Returns the jobs. top: at most this many of the wronged jobs, the worst
 * first; 0: all jobs, by submission. */
json_t *sfair_audit_jobs(const struct sfair_audit *audit, size_t top);
/* Returns a number as JSON; null for NaN, "inf" for infinity. */
json_t *sfair_real(double value);
/* Returns all metrics of a result. */
json_t *sfair_audit_metrics(const struct astra_sim_result *result,
			    const char *policy);

/* audit_policies.c: simulates each policy, and adds its results to the
 * document. Returns 0, or -1 with err set. */
int sfair_audit_policies(struct sfair_audit *audit, json_t *document,
			 struct astra_error *err);

/* audit_print.c: returns the table's name, on the command line and in the
 * document. */
const char *sfair_audit_table_name(enum sfair_audit_table table);
const struct sfair_table *sfair_audit_table_of(enum sfair_audit_table table);
void sfair_audit_help_format(void);
int sfair_audit_print(const struct sfair_audit *audit, const json_t *document,
		      struct astra_error *err);

#endif
