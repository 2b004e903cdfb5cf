/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sfair command as users call it, against a server with a made-up report.
 * "test_sfair --serve" keeps that server up, to look at sfair by hand. */
#include <errno.h>
#include <jansson.h>

#include "testsuite/unit/auction_sample.h"
#include "testsuite/unit/sfair_server.h"
#include "testsuite/unit/stranger.h"

static void tables_have_a_row_a_record(void **state)
{
	(void)state;
	assert_int_equal(sfair("tenant"), 0);
	says("Pool gpu: 32 GPUs, 24 usable, 11 free; collected for job 20, "
	     "there in 11:40\n");
	says("physics ");
	assert_int_equal(sfair("job -P -n -o JobID,User,GPUs,Rho"), 0);
	assert_string_equal(output, "10|alice|8|0.833\n"
				    "11|bob|4|inf\n"
				    "20_3|alice|1|1.250\n"
				    "20_[4-9,12-20:4%2]|alice|1|0.000\n");
	assert_int_equal(sfair("lease -p -o jobid,left -u alice"), 0);
	assert_string_equal(output, "JobID|Left|\n10|5:00|\n20_3|0:00|\n");
	assert_int_equal(sfair("tenant -nP -t hours -o Tenant,Alloc"), 0);
	assert_string_equal(output, "physics|3.3\nbio|0.1\n");
}

/* Columns of one object, and two of one key, are one. */
static void only_what_is_shown_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(sfair("job -v -nP -j 10 -o JobID,Done,Total,Left,"
			       "LeaseEnd%20,Rho"),
			 0);
	says(",\"fields\":[\"id_text\",\"progress\",\"lease_end_sec\",\"rho\"],"
	     "\"jobs\":[10]}\n");
	says("\n10|N/A|N/A|5:00|");
	says("|0.833\n");
	assert_int_equal(sfair("lease -v"), 0);
	says(",\"fields\":[\"id_text\",\"user\",");
	assert_int_equal(sfair("tenant -v"), 0);
	says(",\"fields\":[\"pool\",\"name\",");
	assert_int_equal(sfair("job -v --json"), 0);
	lacks("fields");
	says("\"reason_long\": ");
}

/* Whatever column there is has a key that the plugin knows. */
static void ask_for_every_column(const char *name)
{
	char words[4096], *line, *rest = NULL;
	size_t size = 0;

	snprintf(words, sizeof(words), "%s --helpformat", name);
	assert_int_equal(sfair(words), 0);
	for (line = strtok_r(output, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (*line == ' ' && strncmp(line, "  default:", 10) != 0)
			size += (size_t)snprintf(
				words + size, sizeof(words) - size, "%s%.*s",
				size ? "," : " -nPo ",
				(int)strcspn(line + 2, " "), line + 2);
	assert_true(size > 60 && size < sizeof(words) - 20);
	memmove(words + strlen(name), words, size + 1);
	memcpy(words, name, strlen(name));
	if (sfair(words) != 0)
		fail_msg("%s: %s", words, output);
}

static void every_column_can_be_asked_for(void **state)
{
	(void)state;
	ask_for_every_column("tenant");
	ask_for_every_column("job");
	ask_for_every_column("lease");
	ask_for_every_column("auction");
}

static void widths_pad_and_cut_as_in_slurm(void **state)
{
	(void)state;
	assert_int_equal(sfair("tenant -n -o Tenant%4,Weight%-3,Rho%8"), 0);
	assert_string_equal(output, "phy+ 2      0.750\n bio 1        inf\n");
}

static void a_job_name_cannot_steer_the_terminal(void **state)
{
	(void)state;
	assert_int_equal(sfair("job -nP -j 11 -o JobName"), 0);
	assert_string_equal(output, "esc?[2J?\n");
}

static void why_is_a_paragraph(void **state)
{
	(void)state;
	assert_int_equal(sfair("why 20_5"), 0);
	says("9 array tasks");
	says(" is expected to start in about ");
	says("Needier jobs\nuse up the GPUs.");
	lacks("fair share");
	assert_int_equal(sfair("why -v 20_5"), 0);
	says("divided by the fair share");
	assert_int_equal(sfair("why 4711"), 1);
	says("sfair: error: job 4711: no managed job");
}

/* Root has none in the report. */
static void without_a_job_it_is_of_all_of_mine(void **state)
{
	(void)state;
	assert_int_equal(sfair("why"), 0);
	assert_string_equal(
		output, "None of your jobs waits in a pool of the plugin.\n");
	assert_int_equal(sfair(""), 0);
	assert_string_equal(output, "You have no job in a pool of the plugin. "
				    "See sfair --help.\n");
	assert_int_equal(sfair("why --json"), 0);
	says("\"waiting\": [],");
}

/* Of three tenants and nine jobs all that has no line is counted. */
static void what_an_overview_leaves_out_is_counted(void **state)
{
	static const char *const tenants[] = {"physics", "bio", "chem"};
	struct astra_report *report = sample_report();
	const struct astra_report_tenant chem = {
		.pool = "gpu",
		.of.name = "chem",
		.uid = ASTRA_REPORT_NO_UID,
		.of.weight = 1,
	};

	(void)state;
	astra_report_add_tenant(report, &chem);
	for (uint32_t i = 0; i < 9; i++) {
		const struct astra_report_job job = {
			.pool = "gpu",
			.tenant = tenants[i / 3],
			.of.id = 60 + i,
			.array_task = UINT32_MAX,
			.id_text = "60",
			.of.copies = 1,
			.uid = getuid(),
			.user = "me",
			.of.gpus = 1,
			.state = i ? "PENDING" : "RUNNING",
			.phase = i ? ASTRA_REPORT_WAITING : ASTRA_REPORT_LEASED,
			.reason = "Lease: x",
		};

		astra_report_add_job(report, &job);
	}
	astra_server_publish(report);
	assert_int_equal(sfair(""), 0);
	says("and 1 more tenant: sfair tenant\n");
	says("Your jobs: 1 running, 8 waiting.\n");
	says("and 4 more jobs: sfair job -u $USER\n");
	astra_server_publish(sample_report());
}

/* Job 50 waits, was looked ahead for until a time, and is promised its start by
 * another; 0: not. */
static void when_of(double until_sec, double by_sec, const char *option)
{
	struct astra_report *report = sample_report();
	const struct astra_report_job job = {
		.pool = "gpu",
		.tenant = "physics",
		.of.id = 50,
		.array_task = UINT32_MAX,
		.id_text = "50",
		.of.copies = 1,
		.uid = 1001,
		.user = "alice",
		.account = "physics",
		.of.gpus = 16,
		.state = "PENDING",
		.phase = ASTRA_REPORT_WAITING,
		.forecast_sec = until_sec > 0 ? SAMPLE_NOW - 60 : 0,
		.forecast_until_sec = until_sec,
		.of.reason.bound_sec = by_sec,
		.reason_long = "GPUs are collected for it",
	};
	char words[64];

	astra_report_add_job(report, &job);
	astra_server_publish(report);
	snprintf(words, sizeof(words), "when 50 %s", option);
	setenv("TZ", "UTC", 1);
	assert_int_equal(sfair(words), 0);
	unsetenv("TZ");
	astra_server_publish(sample_report());
	/* Lines are broken by width. */
	for (char *at = output; (at = strchr(at, '\n')); at++)
		*at = ' ';
}

static void a_promised_start_is_expected_by_then(void **state)
{
	(void)state;
	when_of(0, SAMPLE_NOW + 1800, "");
	says("Job 50 is expected to start by 2023-11-14T22:43:20 (in 30:00). ");
	says("GPUs are collected for it.");
	lacks("Job 50 of "); /* one answer */
	lacks("is promised");
	lacks("no expected start");
	when_of(SAMPLE_NOW + 900, SAMPLE_NOW + 1800, "");
	says("is expected to start by 2023-11-14T22:43:20 (in 30:00), but not "
	     "before 2023-11-14T22:28:20, which is as far as was looked. ");
	when_of(0, SAMPLE_NOW + 1800, "--json");
	says("\"bound_sec\": 1700001800");
	says("\"expected_start_sec\": null");
}

static void a_promise_that_nothing_keeps_is_no_expectation(void **state)
{
	(void)state;
	when_of(0, SAMPLE_NOW - 60, "");
	says("Job 50 has no expected start yet. ");
	when_of(SAMPLE_NOW + 3600, SAMPLE_NOW + 1800, "");
	says("is not expected to start before 2023-11-14T23:13:20, ");
	lacks("expected to start by");
	lacks("Job 50 of ");
	when_of(0, 0, "");
	says("Job 50 has no expected start yet. ");
	when_of(0, 0, "--json");
	says("\"bound_sec\": null");
}

static void auctions_are_shown(void **state)
{
	struct astra_report *report = sample_report();

	(void)state;
	assert_int_equal(sfair("auction"), 0);
	says("No pool holds auctions");
	sample_report_auction(report);
	astra_server_publish(report);
	assert_int_equal(sfair("auctions"), 0);
	says("Pool auc: auction 7, 0:20 ago, 4 GPUs for the bids of 1 app\n");
	assert_int_equal(sfair("auction -nP"), 0);
	assert_string_equal(
		output,
		"N/A|31|bio|bob|inf|N/A|0|4|no|estimate|0|0|0|0\n"
		"search|30|physics|alice|2.400|1|2|4|yes|agent|4|1|3|1\n");
	assert_int_equal(sfair("auction -nP -u alice -o App,BidTime,Ideal"), 0);
	assert_int_equal(strncmp(output, "search|20", 9), 0);
	says("|4:10\n");
	assert_int_equal(sfair("auction -nP --pool gpu"), 0);
	assert_string_equal(output, "");
	astra_server_publish(sample_report());
}

static void prices_are_shown_by_slot(void **state)
{
	static const struct astra_report_price prices[] = {
		{"gpu", {100, 200, 0.41421356, 2, 4, 0.0625, 0.01}},
		{"gpu", {200, 300, 0, 0, 4, 0, NAN}},
		{"other", {100, 160, 1, 8, 8, NAN, NAN}},
	};
	struct astra_report *report = sample_report();

	(void)state;
	assert_int_equal(sfair("price"), 0);
	says("No pool sells GPUs");
	for (size_t i = 0; i < ASTRA_COUNT_OF(prices); i++)
		assert_int_equal(astra_report_add_price(report, &prices[i]), 0);
	astra_server_publish(report);
	assert_int_equal(sfair("prices -nP"), 0);
	assert_string_equal(output, "gpu|100|200|0.414|2|4\n"
				    "gpu|200|300|0.000|0|4\n"
				    "other|100|160|1.000|8|8\n");
	assert_int_equal(
		sfair("price -nP --pool gpu -o GPUs,Used,Price,End,Start,Pool"),
		0);
	assert_string_equal(output, "4|2|0.414|200|100|gpu\n"
				    "4|0|0.000|300|200|gpu\n");
	assert_int_equal(sfair("price --json --pool gpu"), 0);
	says("\"gpus_used\": 2");
	says("\"price_gib\": null");
	assert_int_equal(sfair("price -nP -o Price,PriceCPU,PriceGiB"), 0);
	assert_string_equal(output, "0.414|0.062|0.010\n"
				    "0.000|0.000|N/A\n"
				    "1.000|N/A|N/A\n");
	astra_server_publish(sample_report());
}

static void where_nothing_learns_classes_that_is_said(void **state)
{
	(void)state;
	assert_int_equal(sfair("class"), 0);
	says("No pool learns shares of classes: Policy=ogasched does\n");
	assert_int_equal(sfair("classes -nP"), 0);
	assert_string_equal(output, "");
}

static void diag_shows_the_locks(void **state)
{
	(void)state;
	assert_int_equal(sfair("diag"), 0);
	says("Write lock (microseconds)\n\tLast                  30\n");
	says("Configuration error   line 3: Lease=x");
	assert_int_equal(sfair("diag -P"), 0);
	says("Write lock|Max|90\n");
}

static void where_it_asks_is_shown_as_variables(void **state)
{
	char wanted[300];

	(void)state;
	assert_int_equal(sfair("--where"), 0);
	snprintf(wanted, sizeof(wanted), "SFAIR_SOCKET=%s\n", path);
	says(wanted);
	says("SFAIR_MUNGE_SOCKET=");
}

static void json_is_json(void **state)
{
	static const char *const words[] = {
		"tenant --json", "job --json",	"lease --json",
		"why --json 10", "diag --json", "auction --json",
		"price --json",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(words); i++) {
		json_t *reply;

		assert_int_equal(sfair(words[i]), 0);
		reply = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(reply);
		json_decref(reply);
	}
}

static void mistakes_are_one_line_that_names_them(void **state)
{
	static const struct {
		const char *words, *text;
	} cases[] = {
		{"nodes", "unknown command \"nodes\": one of tenant,"},
		{"nodes", "diag, adopt, audit, "},
		{"job -x", "unknown option -x"},
		{"job --colour", "unknown option --colour"},
		{"job --json=yes", "--json=yes: the option takes no value"},
		{"job --jobs", "--jobs needs a value"},
		{"job -j 1,,2", "--jobs=1,,2: names"},
		{"job -j -1", "\"-1\" is no job"},
		{"job -o JobID,Colour", "unknown field \"Colour\""},
		{"job -o JobID%0", "a width is"},
		{"job -t days", "--time=days"},
		{"why 1 2", "give one job"},
		{"-u bob", "--users does not go with"},
		{"tenant -j 1", "--jobs does not go with"},
		{"auction -j 1", "--jobs does not go with"},
		{"price -j 1", "--jobs does not go with"},
		{"price -u bob", "--users does not go with"},
		{"price -A bio", "--accounts does not go with"},
		{"price -o Colour", "unknown field \"Colour\""},
		{"bid", "unknown command \"bid\""},
		{"progress", "unknown command \"progress\""},
		{"job --reset", "--reset does not go with"},
		{"tenant physics", "unknown report \"physics\""},
		{"adopt", "from where? --from-slurmdbd"},
		{"adopt --from-slurmdbd", "from when on? start=TIME"},
		{"adopt --from-slurmdbd start=", "from when on? start=TIME"},
		{"adopt --from-slurmdbd end=now", "unexpected \"end=now\""},
		{"adopt --from-slurmdbd start=now-1days --replace",
		 "--replace goes with -i"},
		{"adopt --from-slurmdbd start=now-1days --pool=a,b",
		 "--pool=a,b: one pool at a time"},
		{"adopt --from-slurmdbd start=now-1days -o Colour",
		 "unknown field \"Colour\""},
		{"adopt -x", "unknown option -x"},
		{"-n adopt", "options of \"adopt\" come after it"},
		{"--json metrics", "options of \"metrics\" come after it"},
		{"-n top", "options of \"top\" come after it"},
		{"-n job Leases", "options of \"job\" come after it"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		assert_int_equal(sfair(cases[i].words), 1);
		says("sfair: error: ");
		says(cases[i].text);
		assert_ptr_equal(strchr(output, '\n'),
				 output + strlen(output) - 1);
	}
}

static void failures_name_the_cause(void **state)
{
	(void)state;
	setenv("SFAIR_SOCKET", "/nonexistent/a.sock", 1);
	assert_int_equal(sfair("job"), 1);
	says("slurmctld is not running on this host");
	setenv("SFAIR_SOCKET", path, 1);
	setenv("MUNGE_SOCKET", "/nonexistent/m.sock", 1);
	assert_int_equal(sfair("job"), 1);
	says("munged does not answer");
	setenv("MUNGE_SOCKET", munged.socket, 1);
	unsetenv("SFAIR_SOCKET");
	setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
	assert_int_equal(sfair("job"), 1);
	says("SLURM_CONF=/nonexistent/slurm.conf: No such file");
	unsetenv("SLURM_CONF");
	setenv("SFAIR_SOCKET", path, 1);
	astra_server_publish(NULL);
	assert_int_equal(sfair("job"), 1);
	says("has not finished its first round");
	astra_server_publish(sample_report());
}

/* A file of nobody else's business, and what is none at all. */
static void what_is_no_socket_is_called_so(void **state)
{
	char file[200];
	pid_t pid;
	int status;

	(void)state;
	setenv("SFAIR_SOCKET", "/", 1);
	assert_int_equal(sfair("job"), 1);
	says("/: is no socket");
	snprintf(file, sizeof(file), "%s/fifo", munged.folder);
	assert_int_equal(mkfifo(file, 0600), 0);
	setenv("SFAIR_SOCKET", file, 1);
	assert_int_equal(sfair("job"), 1);
	says("fifo: is no socket");
	pid = fork();
	if (!pid) { /* who may not even read it */
		struct astra_error err = {""};
		char *text;

		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(2);
		(void)astra_call(file, munged.socket, "{}", &text, &err);
		_exit(strstr(err.text, "is no socket") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	unlink(file);
	setenv("SFAIR_SOCKET", path, 1);
}

/* A report of a plugin that manages nothing. */
static void idle_for(const char *aside, const char *config_error)
{
	struct astra_report *report = astra_report_create();
	const struct astra_report_diag diag = {
		.aside = aside,
		.config_error = config_error,
	};

	report->time_sec = SAMPLE_NOW;
	astra_report_set_cluster(report, "test", "22.05.8");
	astra_report_set_diag(report, &diag);
	astra_server_publish(report);
}

static void where_nothing_is_managed_it_says_why(void **state)
{
	static const struct {
		const char *aside, *config_error, *words;
	} cases[] = {
		{"a job has 9 bytes", "", "stands aside"},
		{"", "line 3: Lease=x", "line 3: Lease=x"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		idle_for(cases[i].aside, cases[i].config_error);
		assert_int_equal(sfair("tenant -nP"), 0);
		says("sfair: warning: the plugin ");
		says(cases[i].words);
		assert_int_equal(sfair("lease"), 0);
		says(cases[i].words);
		assert_int_equal(sfair("top -bn1"), 0);
		says(cases[i].words);
		assert_int_equal(sfair("tenant --json"), 0);
		says("\"idle\": \"the plugin ");
		assert_int_equal(sfair("why 9"), 1);
		says("job 9: the plugin ");
		says(cases[i].words);
		lacks("asks for no GPU");
	}
	astra_server_publish(sample_report());
	assert_int_equal(sfair("tenant --json"), 0);
	lacks("idle");
}

static void write_file(const char *name, const char *text)
{
	char file[200];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", munged.folder, name);
	f = fopen(file, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void write_slurm_conf(void)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "ClusterName=t\nSlurmctldHost=localhost\nSlurmctldPort=1\n"
		 "StateSaveLocation=%s\nAuthInfo=socket=%s\n"
		 "NodeName=n1\nPartitionName=p Nodes=n1\n",
		 munged.folder, munged.socket);
	write_file("slurm.conf", text);
}

static void remove_file(const char *name)
{
	char file[200];

	snprintf(file, sizeof(file), "%s/%s", munged.folder, name);
	unlink(file);
}

/* Where all users may write, one may have put it there. */
static void a_stranger_in_its_place_is_not_asked(void)
{
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	assert_int_equal(sfair("job -n"), 1);
	says("port 1001: ");
	says("and slurmctld does not answer: start it");
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
}

/* Wherever the name of the socket comes from. */
static void who_listens_is_looked_at(void **state)
{
	struct stranger s;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(stranger_start(&s, STRANGER, 0), 0);
	setenv("SFAIR_SOCKET", s.path, 1);
	assert_int_equal(sfair("job"), 1);
	stranger_stop(&s);
	setenv("SFAIR_SOCKET", path, 1);
	says("uid 4712 answers there, who is neither root nor SlurmUser");
}

static void the_configuration_leads_to_the_socket(void **state)
{
	char conf[200], text[300];

	(void)state;
	snprintf(conf, sizeof(conf), "%s/slurm.conf", munged.folder);
	setenv("SLURM_CONF", conf, 1);
	unsetenv("SFAIR_SOCKET");
	unsetenv("MUNGE_SOCKET");
	write_file("slurm.conf", "Nonsense=1\n");
	assert_int_equal(sfair("job"), 1);
	assert_string_equal(output,
			    "sfair: error: Slurm's configuration cannot be "
			    "read on this host: sinfo says why; or set "
			    "SFAIR_SOCKET to the plugin's socket\n");
	write_slurm_conf();
	assert_int_equal(sfair("job"), 1); /* the default name's not there */
	says("/astraea.sock: no such socket");
	snprintf(text, sizeof(text),
		 "# Socket=/nowhere\nPool=gpu Partitions=p\nInclude more\n");
	write_file("astraea.conf", text);
	snprintf(text, sizeof(text), " socket = %s # here\n", path);
	write_file("more", text);
	assert_int_equal(sfair("job -n"), 0);
	a_stranger_in_its_place_is_not_asked();
	remove_file("slurm.conf");
	remove_file("astraea.conf");
	remove_file("more");
	unsetenv("SLURM_CONF");
	setenv("SFAIR_SOCKET", path, 1);
	setenv("MUNGE_SOCKET", munged.socket, 1);
}

static void help_and_version_ask_nobody(void **state)
{
	(void)state;
	assert_int_equal(sfair("--help"), 0);
	says("Usage: sfair");
	assert_int_equal(sfair("-V"), 0);
	says("sfair ");
	assert_int_equal(sfair("--helpformat"), 0);
	says("LeaseEnd");
	assert_int_equal(sfair("tenant --helpformat"), 0);
	says("Quota");
}

static void serve(void)
{
	server_setup(NULL);
	printf("export SFAIR_SOCKET=%s MUNGE_SOCKET=%s\nEnter ends it.\n", path,
	       munged.socket);
	fflush(stdout);
	getchar();
	server_teardown(NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_have_a_row_a_record),
		cmocka_unit_test(only_what_is_shown_is_asked_for),
		cmocka_unit_test(every_column_can_be_asked_for),
		cmocka_unit_test(widths_pad_and_cut_as_in_slurm),
		cmocka_unit_test(a_job_name_cannot_steer_the_terminal),
		cmocka_unit_test(why_is_a_paragraph),
		cmocka_unit_test(without_a_job_it_is_of_all_of_mine),
		cmocka_unit_test(what_an_overview_leaves_out_is_counted),
		cmocka_unit_test(a_promised_start_is_expected_by_then),
		cmocka_unit_test(
			a_promise_that_nothing_keeps_is_no_expectation),
		cmocka_unit_test(auctions_are_shown),
		cmocka_unit_test(prices_are_shown_by_slot),
		cmocka_unit_test(where_nothing_learns_classes_that_is_said),
		cmocka_unit_test(diag_shows_the_locks),
		cmocka_unit_test(where_it_asks_is_shown_as_variables),
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(mistakes_are_one_line_that_names_them),
		cmocka_unit_test(failures_name_the_cause),
		cmocka_unit_test(what_is_no_socket_is_called_so),
		cmocka_unit_test(where_nothing_is_managed_it_says_why),
		cmocka_unit_test(the_configuration_leads_to_the_socket),
		cmocka_unit_test(who_listens_is_looked_at),
		cmocka_unit_test(help_and_version_ask_nobody),
	};
	int rc = 0;

	if (!sfair_can_be_tested())
		return 77;
	if (argc > 1 && !strcmp(argv[1], "--serve"))
		serve();
	else
		rc = cmocka_run_group_tests(tests, server_setup,
					    server_teardown);
	test_munged_stop(&munged);
	return rc;
}
