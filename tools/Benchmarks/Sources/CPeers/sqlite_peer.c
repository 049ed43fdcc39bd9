#include "peers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

static int failed(sqlite3 *db, int code, const char *what) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return 0;
  fprintf(stderr, "SQLite: cannot %s: %s\n", what, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  return 1;
}

static sqlite3 *opened(const char *path) {
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (!failed(db, code, "open the file") &&
      !failed(db, sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;", 0, 0, 0), "set it up"))
    return db;
  sqlite3_close(db);
  return NULL;
}

double sqlite_query(const char *path, const char *sql, double argument, double *result) {
  sqlite3 *db = opened(path);
  sqlite3_stmt *statement = NULL;
  double seconds = -1;
  if (db && !failed(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), "prepare the query")) {
    if (sqlite3_bind_parameter_count(statement) > 0) sqlite3_bind_double(statement, 1, argument);
    double start = seconds_now(), sum = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) sum += sqlite3_column_double(statement, 0);
    seconds = seconds_now() - start;
    *result = sum;
    if (failed(db, code, "run the query")) seconds = -1;
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return seconds;
}

int sqlite_run(const char *path, const char *statements) {
  sqlite3 *db = opened(path);
  if (!db) return -1;
  int code = sqlite3_exec(db, statements, 0, 0, 0);
  int result = failed(db, code, "run the statements") ? -1 : 0;
  sqlite3_close(db);
  return result;
}

double sqlite_session_export(const char *path, const char *statements, sqlite_changes *changes) {
  sqlite3 *db = opened(path);
  sqlite3_session *session = NULL;
  double seconds = -1;
  if (!db) return -1;
  int code = sqlite3session_create(db, "main", &session);
  if (code == SQLITE_OK) code = sqlite3session_attach(session, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, statements, 0, 0, 0);
  if (!failed(db, code, "make the changes")) {
    double start = seconds_now();
    code = sqlite3session_changeset(session, &changes->bytes, &changes->data);
    seconds = failed(db, code, "make the change set") ? -1 : seconds_now() - start;
  }
  sqlite3session_delete(session);
  sqlite3_close(db);
  return seconds;
}

typedef struct {
  sqlite_resolution resolution;
  int count;
} conflicts_met;

static int resolve(void *context, int kind, sqlite3_changeset_iter *iterator) {
  (void)iterator;
  conflicts_met *met = context;
  met->count++;
  int may_replace = kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT;
  return may_replace && met->resolution == sqlite_replaces ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
}

double sqlite_session_apply(
  const char *path, const sqlite_changes *changes, sqlite_resolution resolution, int *conflicts) {
  sqlite3 *db = opened(path);
  conflicts_met met = {resolution, 0};
  if (!db) return -1;
  double start = seconds_now();
  int code = sqlite3changeset_apply(db, changes->bytes, changes->data, NULL, resolve, &met);
  *conflicts = met.count;
  double seconds = failed(db, code, "apply the change set") ? -1 : seconds_now() - start;
  sqlite3_close(db);
  return seconds;
}

sqlite3_session *sqlite_session_begin(sqlite3 *connection) {
  sqlite3_session *session = NULL;
  int code = sqlite3session_create(connection, "main", &session);
  if (code == SQLITE_OK) code = sqlite3session_attach(session, NULL);
  if (!failed(connection, code, "begin a session")) return session;
  sqlite3session_delete(session);
  return NULL;
}

int sqlite_session_end(sqlite3_session *session, sqlite_changes *changes) {
  int code = sqlite3session_changeset(session, &changes->bytes, &changes->data);
  sqlite3session_delete(session);
  return failed(NULL, code, "make the change set") ? -1 : 0;
}

int sqlite_session_apply_within(sqlite3 *connection, const void *changes, int bytes) {
  conflicts_met met = {sqlite_replaces, 0};
  // The function only reads them, though it does not say so.
  int code = sqlite3changeset_apply(connection, bytes, (void *)changes, NULL, resolve, &met);
  return failed(connection, code, "apply the change set") ? -1 : met.count;
}

void sqlite_changes_free(sqlite_changes *changes) {
  sqlite3_free(changes->data);
  changes->data = NULL;
}
