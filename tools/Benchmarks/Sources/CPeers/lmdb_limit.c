#include "peers.h"

#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct lmdb_limit {
  MDB_env *environment;
  MDB_dbi records, unique;
  size_t count;
  unsigned char (*keys)[16];
};

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static int failed(int code, const char *what) {
  if (code) fprintf(stderr, "LMDB: cannot %s: %s\n", what, mdb_strerror(code));
  return code;
}

// Ids rise, as time-ordered ones do.
static void make_id(unsigned char id[16], size_t number) {
  memset(id, 0, 16);
  for (int i = 0; i < 8; i++) id[i] = (unsigned char)(number >> (56 - 8 * i));
}

static int compare_entries(const void *left, const void *right) { return memcmp(left, right, 16); }

static int fill(lmdb_limit *limit, MDB_txn *transaction, size_t record_bytes) {
  unsigned char *record = calloc(1, record_bytes);
  unsigned char(*entries)[32] = malloc(limit->count * 32);
  int code = record && entries ? 0 : ENOMEM;
  for (size_t i = 0; !code && i < limit->count; i++) {
    unsigned char id[16];
    make_id(id, i);
    uint64_t random[2] = {next_random(), next_random()};
    memcpy(limit->keys[i], random, 16);
    memcpy(entries[i], random, 16);
    memcpy(entries[i] + 16, id, 16);
    memcpy(record, id, 16);
    MDB_val key = {16, id}, value = {record_bytes, record};
    code = mdb_put(transaction, limit->records, &key, &value, MDB_APPEND);
  }
  if (!code) qsort(entries, limit->count, 32, compare_entries);
  for (size_t i = 0; !code && i < limit->count; i++) {
    MDB_val key = {16, entries[i]}, value = {16, entries[i] + 16};
    code = mdb_put(transaction, limit->unique, &key, &value, MDB_APPEND);
  }
  free(record);
  free(entries);
  return code;
}

lmdb_limit *lmdb_limit_create(const char *path, size_t count, size_t record_bytes) {
  lmdb_limit *limit = calloc(1, sizeof *limit);
  MDB_txn *transaction = NULL;
  limit->count = count;
  limit->keys = malloc(count * 16);
  int code = mdb_env_create(&limit->environment);
  if (!code) code = mdb_env_set_mapsize(limit->environment, (size_t)16 << 30);
  if (!code) code = mdb_env_set_maxdbs(limit->environment, 2);
  if (!code) code = mdb_env_open(limit->environment, path, MDB_NOSUBDIR | MDB_NOTLS, 0600);
  if (!code) code = mdb_txn_begin(limit->environment, NULL, 0, &transaction);
  if (!code) code = mdb_dbi_open(transaction, "records", MDB_CREATE, &limit->records);
  if (!code) code = mdb_dbi_open(transaction, "unique", MDB_CREATE, &limit->unique);
  if (!code) code = fill(limit, transaction, record_bytes);
  if (!code) code = mdb_txn_commit(transaction);
  if (!failed(code, "make the store")) return limit;
  lmdb_limit_close(limit);
  return NULL;
}

double lmdb_limit_point_fetch(lmdb_limit *limit, const size_t *places, size_t count) {
  MDB_txn *transaction = NULL;
  uint64_t sum = 0;
  unsigned char copy[4096];
  // Side by side before the clock runs, as the other sides have theirs.
  unsigned char(*keys)[16] = malloc(count * 16);
  if (!keys) return -1;
  for (size_t i = 0; i < count; i++) memcpy(keys[i], limit->keys[places[i]], 16);
  int code = mdb_txn_begin(limit->environment, NULL, MDB_RDONLY, &transaction);
  if (!code) mdb_txn_reset(transaction);
  double start = seconds_now();
  for (size_t i = 0; !code && i < count; i++) {
    MDB_val key = {16, keys[i]}, id, record;
    code = mdb_txn_renew(transaction);
    if (!code) code = mdb_get(transaction, limit->unique, &key, &id);
    if (!code) code = mdb_get(transaction, limit->records, &id, &record);
    if (code) break;
    memcpy(copy, record.mv_data, record.mv_size < sizeof copy ? record.mv_size : sizeof copy);
    sum += copy[0];
    mdb_txn_reset(transaction);
  }
  double seconds = seconds_now() - start;
  if (transaction) mdb_txn_abort(transaction);
  free(keys);
  return failed(code, "find a record") || sum == UINT64_MAX ? -1 : seconds;
}

double lmdb_limit_scan(lmdb_limit *limit) {
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  uint64_t sum = 0;
  double start = seconds_now();
  int code = mdb_txn_begin(limit->environment, NULL, MDB_RDONLY, &transaction);
  if (!code) code = mdb_cursor_open(transaction, limit->records, &cursor);
  while (!code && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
    sum += ((unsigned char *)value.mv_data)[value.mv_size - 1];
  }
  double seconds = seconds_now() - start;
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor) mdb_cursor_close(cursor);
  if (transaction) mdb_txn_abort(transaction);
  return failed(code, "read all records") || sum == UINT64_MAX ? -1 : seconds;
}

typedef struct {
  size_t references;
  unsigned char *record;
  unsigned char fields[48];
} object;

// An object's bytes lie behind two words, as those of a class do.
static object *make_object(const MDB_val *value) {
  object *made = malloc(sizeof *made);
  unsigned char *record = malloc(16 + value->mv_size);
  if (!made || !record) return NULL;
  memcpy(record + 16, value->mv_data, value->mv_size);
  *made = (object){1, record, {0}};
  return made;
}

double lmdb_limit_copies(lmdb_limit *limit) {
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  uint64_t sum = 0;
  size_t count = 0;
  object **objects = malloc(limit->count * sizeof *objects);
  double start = seconds_now();
  int code = mdb_txn_begin(limit->environment, NULL, MDB_RDONLY, &transaction);
  if (!code) code = mdb_cursor_open(transaction, limit->records, &cursor);
  while (!code && count < limit->count && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
    if (!(objects[count++] = make_object(&value))) code = ENOMEM;
  }
  for (size_t i = 0; !code && i < count; i++) sum += objects[i]->record[16] + objects[i]->record[80];
  for (size_t i = 0; !code && i < count; i++) {
    free(objects[i]->record);
    free(objects[i]);
  }
  double seconds = seconds_now() - start;
  if (cursor) mdb_cursor_close(cursor);
  if (transaction) mdb_txn_abort(transaction);
  free(objects);
  return failed(code, "copy all records") || sum == UINT64_MAX ? -1 : seconds;
}

void lmdb_limit_close(lmdb_limit *limit) {
  if (limit->environment) mdb_env_close(limit->environment);
  free(limit->keys);
  free(limit);
}
