// The peers that are written in C: LMDB alone, as the physical limit, and SQLite with its session extension.
// Every function that can fail returns a negative number or NULL, after a sentence on standard error.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "hot_path.h"
#include "objectbox_peer.h"
#include "process.h"

// Records of `record_bytes` bytes under 16-byte ids, with a unique index from 16 random bytes to the id.
typedef struct lmdb_limit lmdb_limit;

lmdb_limit *_Nullable lmdb_limit_create(const char *_Nonnull path, size_t count, size_t record_bytes);
// Seconds for looking up the unique keys of the records with these numbers, each in a read transaction of its own.
double lmdb_limit_point_fetch(lmdb_limit *_Nonnull limit, const size_t *_Nonnull places, size_t count);
// Seconds for reading every record once, by a cursor.
double lmdb_limit_scan(lmdb_limit *_Nonnull limit);
// The same, with what any list of objects takes: two allocations for each, a copy of the record in one of them, a look
// at two of its fields when all are there, and all freed again.
double lmdb_limit_copies(lmdb_limit *_Nonnull limit);
void lmdb_limit_close(lmdb_limit *_Nonnull limit);

// The entries in which two stores differ, and what LMDB alone takes to make the second of the first.
typedef struct lmdb_replay lmdb_replay;

// Both files are read only; nobody writes them meanwhile.
lmdb_replay *_Nullable lmdb_replay_create(const char *_Nonnull before, const char *_Nonnull after);
// Seconds for one durable transaction that makes the changes in a copy of the first store, tree by tree in the order of
// keys. The copy, at this path, is made before the clock runs and goes afterwards.
double lmdb_replay_run(const lmdb_replay *_Nonnull replay, const char *_Nonnull path);
// Whether the changes make of the first store the second one, `after`, in every entry of every tree. Says on the error
// stream where not. The copy is made at `path` and goes.
int lmdb_replay_agrees(const lmdb_replay *_Nonnull replay, const char *_Nonnull path, const char *_Nonnull after);
void lmdb_replay_close(lmdb_replay *_Nonnull replay);

// What the device takes for a small durable save, before a store has computed anything. Two files without names, whose
// pages are all on the device already.
typedef struct device_limit device_limit;

device_limit *_Nullable device_limit_create(const char *_Nonnull folder);
// Seconds for so many commits as LMDB 0.9.24 makes them: pages in so many stretches at free places, the meta page among
// both; flush; the meta page by a descriptor that waits for the device (O_DSYNC). At most 512 pages. Where the file grows,
// the last stretch of each commit makes it longer.
double device_limit_commit(device_limit *_Nonnull limit, int pages, int ranges, int grows, int saves);
// Seconds for so many saves as SQLite makes them in WAL mode with synchronous=FULL: frames one after another in a log;
// flush.
double device_limit_append(device_limit *_Nonnull limit, int frames, int saves);
void device_limit_close(device_limit *_Nonnull limit);

// Seconds of one query that yields numbers, over an open file of SQLite; their sum goes to `result`.
double sqlite_query(const char *_Nonnull path, const char *_Nonnull sql, double argument, double *_Nonnull result);

// A change set as the session extension makes it; `free` it with `sqlite_changes_free`.
typedef struct {
  int bytes;
  void *_Nullable data;
} sqlite_changes;

// Runs `statements` with a session attached, then times the making of the change set.
double sqlite_session_export(
  const char *_Nonnull path, const char *_Nonnull statements, sqlite_changes *_Nonnull changes);
// What becomes of a change that conflicts: it is written all the same, or left out, which is less work.
typedef enum { sqlite_replaces, sqlite_omits } sqlite_resolution;

// Seconds for applying a change set to another file.
double sqlite_session_apply(
  const char *_Nonnull path, const sqlite_changes *_Nonnull changes, sqlite_resolution resolution,
  int *_Nonnull conflicts);
// The same within a connection that is open already: a session records what it changes until the session ends, and a
// change set is applied to it. The last gives the number of conflicts, whose changes replace what is there.
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_session sqlite3_session;
sqlite3_session *_Nullable sqlite_session_begin(sqlite3 *_Nonnull connection);
int sqlite_session_end(sqlite3_session *_Nonnull session, sqlite_changes *_Nonnull changes);
int sqlite_session_apply_within(sqlite3 *_Nonnull connection, const void *_Nonnull changes, int bytes);
int sqlite_run(const char *_Nonnull path, const char *_Nonnull statements);
void sqlite_changes_free(sqlite_changes *_Nonnull changes);

#endif
