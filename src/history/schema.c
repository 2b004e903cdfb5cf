/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks the history's file before SQLite opens it. */

struct sqlite3;

#define FORMATS_AT 18 /* offset in the file */

static const char *file_kind_of(mode_t mode)
{
	return S_ISDIR(mode)			? "a directory"
	       : S_ISFIFO(mode)			? "a FIFO"
	       : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
	       : S_ISSOCK(mode)			? "a socket"
						: "no regular file";
}

/* Checks one file as history_look_at() does. */
static int file_look_at(const char *path, struct stat *st,
			struct astra_error *err)
{
	bool link;

	if (lstat(path, st) < 0)
		return errno == ENOENT ? 1
				       : astra_error_set(err, "%s: %s", path,
							 strerror(errno));
	link = S_ISLNK(st->st_mode);
	if (link && stat(path, st) < 0)
		return astra_error_set(err, "%s is a symbolic link: %s", path,
				       strerror(errno));
	if (!S_ISREG(st->st_mode))
		return astra_error_set(err,
				       "%s is %s%s, and no file to write to",
				       path, link ? "a symbolic link to " : "",
				       file_kind_of(st->st_mode));
	if (link && st->st_uid != geteuid())
		return astra_error_set(
			err, "%s is a symbolic link to another user's file",
			path);
	return 0;
}

/* Checks the file, and the files that SQLite may open beside it. Each must be a
 * regular file, or a symbolic link to a regular file of our own. Opening any
 * other file may block for ever, or reach a device of the host. Returns 0 with
 * *st set, 1 if there is no file, or -1 with err set. */
static int history_look_at(const char *path, struct stat *st,
			   struct astra_error *err)
{
	static const char *const beside[] = {"-journal", "-wal", "-shm"};

	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		char name[4096 + 16];

		snprintf(name, sizeof(name), "%s%s", path, beside[i]);
		if (file_look_at(name, st, err) < 0)
			return -1;
	}
	return file_look_at(path, st, err);
}

/* Reads bytes of an open file, without a lock and through SQLite's own
 * descriptor: closing another descriptor of the file would drop the locks of
 * our connections. Returns 0 or -1. */
static int history_header(sqlite3 *db, unsigned char *out, int from, int bytes)
{
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER,
				 &file) != SQLITE_OK ||
	    !file || !file->pMethods)
		return -1;
	return file->pMethods->xRead(file, out, bytes, from) == SQLITE_OK ? 0
									  : -1;
}

/* Whether a file is in WAL mode. Such a file is not read; the writer converts
 * it while no other process has it open. The reason: processes that have such a
 * file open map a part of it, and slurmctld would die of SIGBUS if that part
 * were truncated. */
bool astra_history_is_wal(sqlite3 *db)
{
	unsigned char formats[2] = {0};

	return history_header(db, formats, FORMATS_AT, sizeof(formats)) == 0 &&
	       (formats[0] == 2 || formats[1] == 2);
}

#define APPLICATION 0x41737472 /* "Astr" */
#define APPLICATION_AT 68      /* offset in the file */
#define BUSY_MSEC 4000	       /* longer than a report may read */
#define READ_BUSY_MSEC 1000
#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x

/* One transaction: a file has either all tables or none. */
static const char schema[] = "PRAGMA application_id=" TEXT(
	APPLICATION) ";"
		     "BEGIN IMMEDIATE;"
		     "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
		     "CREATE TABLE pool(id INTEGER PRIMARY KEY, name TEXT UNIQUE);"
		     "CREATE TABLE tenant(id INTEGER PRIMARY KEY, pool INT, name TEXT,"
		     " uid INT, weight REAL, UNIQUE(pool,name));"
		     "CREATE TABLE owner(id INTEGER PRIMARY KEY, tenant INT, account TEXT,"
		     " user TEXT, uid INT, UNIQUE(tenant,account,uid));"
		     "CREATE TABLE pool_time(level INT, time INT, pool INT, span_sec REAL,"
		     " total_gpu_sec REAL, used_gpu_sec REAL, down_gpu_sec REAL,"
		     " idle_gpu_sec REAL, wanted_gpu_sec REAL, lost_gpu_sec REAL,"
		     " rounds INT, round_usec INT, round_max_usec INT, granted INT,"
		     " renewed INT, revoked INT, refused INT, capped INT,"
		     " PRIMARY KEY(level,time,pool)) WITHOUT ROWID;"
		     "CREATE TABLE tenant_time(level INT, time INT, tenant INT,"
		     " span_sec REAL, alloc_gpu_sec REAL, fair_gpu_sec REAL,"
		     " lack_gpu_sec REAL, demand_gpu_sec REAL, rho_min REAL, rho_max REAL,"
		     " paid REAL, income REAL,"
		     " PRIMARY KEY(level,time,tenant)) WITHOUT ROWID;"
		     "CREATE TABLE owner_time(level INT, time INT, owner INT,"
		     " used_gpu_sec REAL, wait_gpu_sec REAL, alloc_gpu_sec REAL,"
		     " fair_gpu_sec REAL, started INT, revoked INT, lost_sec REAL,"
		     " PRIMARY KEY(level,time,owner)) WITHOUT ROWID;"
		     "CREATE TABLE job(id INTEGER PRIMARY KEY, job INT, id_text TEXT,"
		     " submit_sec REAL, owner INT, name TEXT, gpus INT, weight REAL,"
		     " start_sec REAL, end_sec REAL, run_sec REAL, alloc_gpu_sec REAL,"
		     " fair_gpu_sec REAL, leases INT, revoked INT, lost_sec REAL,"
		     " state TEXT, UNIQUE(job,submit_sec));"
		     "CREATE INDEX job_end ON job(end_sec);"
		     "CREATE TABLE run(job INT, start_sec REAL, end_sec REAL,"
		     " counted_sec REAL, gpus INT, nodes TEXT,"
		     " PRIMARY KEY(job,start_sec)) WITHOUT ROWID;"
		     "CREATE INDEX run_open ON run(job) WHERE end_sec IS NULL;"
		     "CREATE TABLE lease(job INT, start_sec REAL, end_sec REAL,"
		     " number INT, gpus INT, nodes TEXT, how TEXT,"
		     " PRIMARY KEY(job,start_sec)) WITHOUT ROWID;"
		     "CREATE TABLE counter(kind TEXT, id INT, a REAL, b REAL, c REAL,"
		     " d REAL, e REAL, PRIMARY KEY(kind,id)) WITHOUT ROWID;"
		     "INSERT INTO meta VALUES('version'," TEXT(
			     ASTRA_HISTORY_VERSION) ");"
						    "COMMIT;";

static int sql_error(sqlite3 *db, const char *path, struct astra_error *err)
{
	return astra_error_set(err, "%s: %s", path,
			       db ? sqlite3_errmsg(db) : "out of memory");
}

/* Sets *out to the number that a statement returns, or to `none` if it returns
 * no row. Returns SQLITE_OK or SQLite's error. */
static int ask_number(sqlite3 *db, const char *sql, long long none,
		      long long *out)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

	*out = none;
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int astra_history_set_aside(const char *path, const char *suffix,
			    struct astra_error *note, struct astra_error *err)
{
	char from[4096], to[4096 + 64];

	snprintf(to, sizeof(to), "%s.%s", path, suffix);
	if (rename(path, to) < 0)
		return astra_error_set(err, "%s cannot be renamed to %s: %s",
				       path, to, strerror(errno));
	astra_error_set(note, "%s is kept as %s", path, to);
	for (int i = 0; i < 2; i++) {
		const char *log = i ? "journal" : "wal";

		snprintf(from, sizeof(from), "%s-%s", path, log);
		snprintf(to, sizeof(to), "%s.%s-%s", path, suffix, log);
		if (rename(from, to) < 0)
			unlink(to);
	}
	snprintf(from, sizeof(from), "%s-shm", path);
	unlink(from);
	return 0;
}

/* The result of looking at a file. */
enum verdict { GOOD, EMPTY, OLDER, DAMAGED, REFUSED };

/* Whether a damaged file was a history: it has our mark, or a name that no
 * other program would choose. */
static bool was_ours(sqlite3 *db, const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned char b[4] = {0};
	uint32_t application;

	if (!strcmp(slash ? slash + 1 : path, ASTRA_HISTORY_FILE))
		return true;
	if (history_header(db, b, APPLICATION_AT, sizeof(b)) < 0)
		return false;
	application = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
		      (uint32_t)b[2] << 8 | b[3];
	return application == APPLICATION;
}

static enum verdict schema_refuse(sqlite3 *db, int rc, const char *path,
				  struct astra_error *err)
{
	bool damaged = rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;

	if (damaged && !was_ours(db, path)) {
		astra_error_set(err,
				"%s is not a history file: remove it, or name "
				"another one",
				path);
		return REFUSED;
	}
	sql_error(db, path, err);
	return damaged ? DAMAGED : REFUSED;
}

static enum verdict schema_judge(sqlite3 *db, const char *path,
				 struct astra_error *err)
{
	long long tables, application, version;
	int rc = ask_number(db, "SELECT count(*) FROM sqlite_master", 0,
			    &tables);

	if (rc == SQLITE_OK)
		rc = ask_number(db, "PRAGMA application_id", 0, &application);
	if (rc != SQLITE_OK)
		return schema_refuse(db, rc, path, err);
	if (!tables)
		return EMPTY;
	if (application != APPLICATION) {
		astra_error_set(err, "%s is another program's database", path);
		return REFUSED;
	}
	rc = ask_number(db, "SELECT value FROM meta WHERE key='version'", 0,
			&version);
	if (rc != SQLITE_OK)
		return schema_refuse(db, rc, path, err);
	if (version == ASTRA_HISTORY_VERSION)
		return GOOD;
	astra_error_set(err, "%s has version %lld, this is for version %d",
			path, version, ASTRA_HISTORY_VERSION);
	return version > ASTRA_HISTORY_VERSION ? REFUSED : OLDER;
}

/* Makes the file if it is missing, and sets its mode to 0600; SQLite gives its
 * other files the same mode. Does not open an existing file, since closing it
 * would drop the locks of our own connections. Returns 0, or -1 with err
 * set. */
static int make_file(const char *path, struct astra_error *err)
{
	struct stat st;
	int fd, rc = history_look_at(path, &st, err);

	if (rc < 0)
		return -1;
	if (!rc) {
		if ((st.st_mode & 077) && st.st_uid == geteuid())
			(void)chmod(path, 0600);
		return 0;
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

/* Demands exclusive locks for a file in WAL mode before its first read, so that
 * SQLite need not map a part of it. Returns 0, or -1 with err set. */
static int be_alone(sqlite3 *db, const char *path, struct astra_error *err)
{
	sqlite3_busy_timeout(db, BUSY_MSEC);
	if (!astra_history_is_wal(db) ||
	    sqlite3_exec(db, "PRAGMA locking_mode=EXCLUSIVE;", NULL, NULL,
			 NULL) == SQLITE_OK)
		return 0;
	return sql_error(db, path, err);
}

static int set_up(sqlite3 *db, const char *path, struct astra_error *err)
{
	if (sqlite3_exec(db,
			 "PRAGMA journal_mode=TRUNCATE;"
			 "PRAGMA locking_mode=NORMAL;"
			 "PRAGMA mmap_size=0;"
			 "PRAGMA synchronous=FULL;"
			 "SELECT 1 FROM sqlite_master;",
			 NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(db, path, err);
	return 0;
}

/* Tables and indexes added after version 1. Older files get them, too. */
static const char additions[] =
	"CREATE TABLE IF NOT EXISTS start_time(level INT, time INT, pool INT,"
	" first_starts INT, over_bound INT,"
	" PRIMARY KEY(level,time,pool)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS slot_time(level INT, time INT, pool INT,"
	" reward REAL, slots INT, PRIMARY KEY(level,time,pool)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS job_ask(job INTEGER PRIMARY KEY,"
	" ready_sec REAL, limit_sec REAL, nodes INT, unprepared INT,"
	" leasable INT);"
	"CREATE TABLE IF NOT EXISTS watch(pool INTEGER PRIMARY KEY,"
	" since_sec REAL);"
	"CREATE INDEX IF NOT EXISTS job_time ON job(submit_sec,job);"
	"CREATE INDEX IF NOT EXISTS job_over ON job(end_sec,submit_sec);"
	"CREATE INDEX IF NOT EXISTS job_text ON job(id_text);";

static int name_cluster(sqlite3 *db, const char *path, const char *cluster,
			struct astra_error *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(
		db, "INSERT OR REPLACE INTO meta VALUES('cluster',?1)", -1, &s,
		NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, cluster, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : sql_error(db, path, err);
}

/* Opens the file once, and makes its tables if needed. Sets *verdict in all
 * cases. Returns 0, or -1 with err set. */
static int try_open(const char *path, const char *cluster, sqlite3 **db,
		    enum verdict *verdict, struct astra_error *err)
{
	*db = NULL;
	*verdict = REFUSED;
	if (make_file(path, err) < 0)
		return -1;
	if (sqlite3_open_v2(path, db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return sql_error(*db, path, err);
	if (be_alone(*db, path, err) < 0)
		return -1;
	*verdict = schema_judge(*db, path, err);
	if (*verdict > EMPTY || set_up(*db, path, err) < 0)
		return -1;
	if (*verdict == EMPTY &&
	    sqlite3_exec(*db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(*db, path, err);
	if (sqlite3_exec(*db, additions, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(*db, path, err);
	return name_cluster(*db, path, cluster, err);
}

int astra_history_open(const char *path, const char *cluster,
		       struct sqlite3 **db, struct astra_error *note,
		       struct astra_error *err)
{
	enum verdict verdict;

	*note = (struct astra_error){""};
	for (int tries = 0;; tries++) {
		if (try_open(path, cluster, db, &verdict, err) == 0)
			return 0;
		astra_history_close(*db);
		*db = NULL;
		if (tries || (verdict != OLDER && verdict != DAMAGED))
			return -1;
		if (astra_history_set_aside(
			    path, verdict == OLDER ? "old" : "damaged", note,
			    err) < 0)
			return -1;
		*err = (struct astra_error){""};
	}
}

/* Whether the error is temporary: a lock, or a journal that the writer has to
 * roll back. */
static bool will_pass(sqlite3 *db)
{
	int rc = sqlite3_errcode(db);

	return rc == SQLITE_BUSY || rc == SQLITE_READONLY;
}

static int open_to_read(const char *path, sqlite3 **db, struct astra_error *err)
{
	if (sqlite3_open_v2(path, db,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return sql_error(*db, path, err);
	if (astra_history_is_wal(*db))
		return 1;
	sqlite3_busy_timeout(*db, READ_BUSY_MSEC);
	switch (schema_judge(*db, path, err)) {
	case GOOD:
		return 0;
	case EMPTY:
		return astra_error_set(err, "%s is empty", path);
	case OLDER:
	case DAMAGED:
	case REFUSED:
		break;
	}
	return will_pass(*db) ? 1 : -1;
}

int astra_history_open_read(const char *path, struct sqlite3 **db,
			    struct astra_error *err)
{
	struct stat st;
	int rc;

	*db = NULL;
	if (history_look_at(path, &st, err) < 0)
		return -1;
	rc = open_to_read(path, db, err);
	if (rc) {
		astra_history_close(*db);
		*db = NULL;
	}
	return rc;
}

void astra_history_close(struct sqlite3 *db)
{
	sqlite3_close_v2(db);
}
