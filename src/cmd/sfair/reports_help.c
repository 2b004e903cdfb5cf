/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "src/cmd/sfair/reports.h"

static void put_name(const struct astra_report_row *row, char *text,
		     size_t size)
{
	snprintf(text, size, "%c%s", toupper((unsigned char)*row->report),
		 row->report + 1);
}

static void put_reports(const char *type)
{
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		const struct astra_report_row *row =
			astra_report_row((enum astra_report_kind)i);
		char name[32];

		if (strcmp(row->type, type) != 0)
			continue;
		put_name(row, name, sizeof(name));
		printf("  %-21s %s\n", name, row->help ? row->help : "");
	}
}

void sfair_report_help(const char *type)
{
	bool live = !strcmp(type, "tenant") || !strcmp(type, "job");

	printf("Usage: sfair %s REPORT [KEY=VALUE]... [OPTION]...\n\n"
	       "Report on past time, from the plugin's history.\n",
	       type ? type : "");
	if (live)
		printf("Without a REPORT: how it is now, see sfair --help.\n");
	puts("\nReports:");
	put_reports(type);
	fputs("\n"
	      "Which:\n"
	      "      --start=TIME          as sacct takes it: start= [yesterday]\n"
	      "      --end=TIME            the same: end= [last midnight]\n"
	      "  -A, --accounts=NAME,...   accounts or tenants: accounts=\n"
	      "  -u, --users=NAME,...      users, by name or number: users=\n"
	      "  -j, --jobs=ID,...         with job reports: jobs=\n"
	      "      --pool=NAME,...       pools: pool=\n"
	      "      --topcount=N          the first ones only: topcount= [10 of user Top]\n"
	      "  -M, --cluster=NAME        this cluster; no other is asked\n"
	      "\n"
	      "How shown:\n"
	      "  -o, --format=FIELD[%[-]N],...  these columns: format=\n"
	      "      --helpformat          the fields that --format knows\n"
	      "      --json                the plugin's reply, for programs\n"
	      "  -n, --noheader            no header\n"
	      "  -p, --parsable            separated and ended by |\n"
	      "  -P, --parsable2           separated by |\n"
	      "  -Q, --quiet               no warnings\n"
	      "  -t, --time=UNIT           GPU time in Seconds, Minutes, Hours, Percent, SecPer,\n"
	      "                            MinPer or HourPer [Minutes]\n"
	      "  -T, --tres=gres/gpu       what is counted; nothing else is\n"
	      "      --tree                tenant Usage with sums: tree\n"
	      "\n"
	      "Others:\n"
	      "  -h, --help                this text\n"
	      "  -v, --verbose             say whom it asks\n"
	      "  -V, --version             the version\n",
	      stdout);
}

void sfair_report_help_format(const struct sfair_report_args *args)
{
	for (int i = 0; i < ASTRA_REPORT_KINDS; i++) {
		enum astra_report_kind kind = (enum astra_report_kind)i;
		const struct astra_report_row *row = astra_report_row(kind);
		char name[32], title[64];

		if (strcmp(row->type, args->type) != 0 ||
		    (args->named && kind != args->show.query.past.report))
			continue;
		put_name(row, name, sizeof(name));
		snprintf(title, sizeof(title), "%s %s", row->type, name);
		sfair_list_fields(title, sfair_report_table(kind));
	}
}
