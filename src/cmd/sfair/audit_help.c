/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/cmd/sfair/audit.h"

void sfair_audit_help(void)
{
	fputs("Usage: sfair audit [TABLE] [start=TIME] [end=TIME] [OPTION]...\n"
	      "\n"
	      "Measure how fairly GPUs were shared, from slurmdbd or a trace.\n"
	      "\n"
	      "Tables, all if none is named: Tenants, Sizes, Wronged, and with --policy\n"
	      "Policies, PolicyTenants, PolicySizes; Jobs only if it is named.\n"
	      "\n"
	      "Which jobs:\n"
	      "      start=TIME, end=TIME    as sacct takes them [the last day]\n"
	      "      accounts=NAME,...       only these (-A, --accounts)\n"
	      "      users=NAME,...          only these (-u, --users)\n"
	      "  -M, --cluster=NAME          another cluster of slurmdbd\n"
	      "      --trace=FILE            a trace with start times instead\n"
	      "      --lenient               go on without its bad lines\n"
	      "\n"
	      "Measured how:\n"
	      "      --nodes=N, --gpus=G     the cluster's nodes and GPUs of each\n"
	      "                              [what slurmdbd knows, 8 a node]\n"
	      "      --weights=FILE          tenants' weights, CSV [sacctmgr's shares]\n"
	      "      --interval=SECONDS      of the tenants' loss [3600]\n"
	      "      --policy=NAME,...|all   what these would have given\n"
	      "      --set=KEY=VALUE         an option of astraea.conf for them\n"
	      "      --cold-start=SECONDS    each of their starts costs [40]\n"
	      "      --checkpoint=SECONDS    ... and each of their stops [10]\n"
	      "\n"
	      "How shown:\n"
	      "      format=FIELD[%[-]N],... columns of the TABLE (-o, --format)\n"
	      "      topcount=N              so many wronged jobs [10]\n"
	      "      --helpformat            the fields that format= knows\n"
	      "      --json                  all of it, for programs\n"
	      "  -n, --noheader              no header\n"
	      "  -p, --parsable              separated and ended by |\n"
	      "  -P, --parsable2             separated by |\n"
	      "  -Q, --quiet                 no warnings\n"
	      "  -t, --time=UNIT             GPU time in Seconds, Minutes (default) or Hours\n"
	      "  -T, --tres=gres/gpu         what is counted; nothing else is\n"
	      "  -h, --help                  this text\n",
	      stdout);
}
