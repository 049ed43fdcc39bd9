// Which key should cluster the records: the global 16-byte id, or a local 8-byte row id with an id map?
//
//   cc -O2 -o clustering clustering.c -llmdb && ./clustering [directory] [records] [runs]
//
// Both layouts hold the same records of 230 bytes with one unique index (22 bytes of text) and one compound index
// (8 + 4 bytes), collected, sorted and put at commit. The layouts take turns; medians are printed.
//
//   ids:  records id -> 230 bytes        unique text -> id       compound (8 + 4 + id) -> nothing
//   rows: records row -> id + 230 bytes  unique text -> row      compound (8 + 4 + row) -> nothing   ids id -> row
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 230, TEXT = 22, RANGE = 100, QUERIES = 1000, MAX_RUNS = 99 };
enum measure { INSERT, COMMIT_DURABLE, BY_TEXT, BY_ID, BY_RANGE, UPDATE, BYTES, MEASURES };
static const char *const titles[MEASURES] = {
  "insert, one transaction, not flushed (ns a record)", "the same, flushed (ns a record)",
  "point fetch by unique text (ns)", "point fetch by id (ns)", "index range of 100, then records (ns a query)",
  "update by id, 10,000 in one transaction (ns a record)", "file (bytes a record)",
};

struct store {
  MDB_env *env;
  MDB_dbi records, unique, compound, ids;
  int by_row;
};

struct entry {
  unsigned char key[40];
  uint8_t length, value_length;
  unsigned char value[16];
};

static int record_count = 100000;
static uint64_t random_state = 0x9e3779b97f4a7c15ull;
static unsigned char (*ids)[16];
static int *shuffled;

static void check(int code, const char *what) {
  if (!code) return;
  fprintf(stderr, "clustering: cannot %s: %s\n", what, mdb_strerror(code));
  exit(1);
}

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void put_big_endian(unsigned char *to, uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; i--, value >>= 8) to[i] = (unsigned char)value;
}

// Spread over the number space, so that neighbours in time are strangers in the index.
static uint64_t mix(uint64_t value) {
  value = (value ^ value >> 33) * 0xff51afd7ed558ccdull;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53ull;
  return value ^ value >> 33;
}

static void make_text(char *text, int number) { snprintf(text, TEXT + 1, "user-%017llx", (unsigned long long)mix(number)); }

static void make_ids(void) {
  ids = malloc((size_t)record_count * 16);
  shuffled = malloc((size_t)record_count * sizeof *shuffled);
  for (int i = 0; i < record_count; i++) {
    put_big_endian(ids[i], 1700000000000ull + i / 50, 6);
    put_big_endian(ids[i] + 6, i % 50, 2);
    put_big_endian(ids[i] + 8, next_random(), 8);
    shuffled[i] = i;
  }
  for (int i = record_count - 1; i > 0; i--) {
    int j = next_random() % (i + 1), kept = shuffled[i];
    shuffled[i] = shuffled[j];
    shuffled[j] = kept;
  }
}

static int compare_entries(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  int order = memcmp(a->key, b->key, a->length < b->length ? a->length : b->length);
  return order ? order : (int)a->length - (int)b->length;
}

static struct store open_store(const char *path, int by_row, unsigned flags) {
  struct store store = { .by_row = by_row };
  char file[512];
  for (int i = 0; i < 2; i++) {
    snprintf(file, sizeof file, "%s/%s", path, i ? "lock.mdb" : "data.mdb");
    unlink(file);
  }
  check(mdb_env_create(&store.env), "create");
  check(mdb_env_set_mapsize(store.env, 16ull << 30), "size");
  check(mdb_env_set_maxdbs(store.env, 8), "count");
  check(mdb_env_open(store.env, path, MDB_NOTLS | MDB_NORDAHEAD | flags, 0600), "open");
  MDB_txn *txn;
  check(mdb_txn_begin(store.env, NULL, 0, &txn), "begin");
  check(mdb_dbi_open(txn, "records", MDB_CREATE, &store.records), "open records");
  check(mdb_dbi_open(txn, "unique", MDB_CREATE, &store.unique), "open unique");
  check(mdb_dbi_open(txn, "compound", MDB_CREATE, &store.compound), "open compound");
  check(mdb_dbi_open(txn, "ids", MDB_CREATE, &store.ids), "open ids");
  check(mdb_txn_commit(txn), "commit");
  return store;
}

static int make_key(const struct store *store, int number, unsigned char *key) {
  if (store->by_row) put_big_endian(key, (uint64_t)number + 1, 8);
  else memcpy(key, ids[number], 16);
  return store->by_row ? 8 : 16;
}

static double insert_all(struct store *store) {
  struct entry *unique = malloc((size_t)record_count * sizeof *unique);
  struct entry *compound = malloc((size_t)record_count * sizeof *compound);
  double start = now();
  MDB_txn *txn;
  check(mdb_txn_begin(store->env, NULL, 0, &txn), "begin");
  for (int i = 0; i < record_count; i++) {
    unsigned char key_bytes[16];
    int length = make_key(store, i, key_bytes), extra = store->by_row ? 16 : 0;
    MDB_val key = { length, key_bytes }, value = { RECORD + extra, NULL };
    check(mdb_put(txn, store->records, &key, &value, MDB_APPEND | MDB_RESERVE), "put a record");
    if (extra) memcpy(value.mv_data, ids[i], 16);
    memset((char *)value.mv_data + extra, i & 255, RECORD);
    if (store->by_row) {
      MDB_val id = { 16, ids[i] };
      check(mdb_put(txn, store->ids, &id, &key, MDB_APPEND), "put an id");
    }
    char text[TEXT + 1];
    make_text(text, i);
    unique[i].length = TEXT;
    memcpy(unique[i].key, text, TEXT);
    unique[i].value_length = length;
    memcpy(unique[i].value, key_bytes, length);
    put_big_endian(compound[i].key, mix(i + 77) % 1000000, 8);
    put_big_endian(compound[i].key + 8, i % 10, 4);
    memcpy(compound[i].key + 12, key_bytes, length);
    compound[i].length = 12 + length;
    compound[i].value_length = 0;
  }
  struct entry *lists[] = { unique, compound };
  MDB_dbi trees[] = { store->unique, store->compound };
  for (int list = 0; list < 2; list++) {
    qsort(lists[list], record_count, sizeof(struct entry), compare_entries);
    for (int i = 0; i < record_count; i++) {
      struct entry *entry = &lists[list][i];
      MDB_val key = { entry->length, entry->key }, value = { entry->value_length, entry->value };
      check(mdb_put(txn, trees[list], &key, &value, MDB_APPEND), "put an index entry");
    }
  }
  check(mdb_txn_commit(txn), "commit");
  double elapsed = now() - start;
  free(unique);
  free(compound);
  return elapsed / record_count;
}

static volatile uint64_t sink;

static void read_record(const struct store *store, MDB_txn *txn, MDB_val key) {
  MDB_val value;
  check(mdb_get(txn, store->records, &key, &value), "get a record");
  sink += ((unsigned char *)value.mv_data)[100];
}

static double fetch_by_text(const struct store *store) {
  MDB_txn *txn;
  check(mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn), "begin");
  double start = now();
  for (int i = 0; i < record_count; i++) {
    char text[TEXT + 1];
    make_text(text, shuffled[i]);
    MDB_val key = { TEXT, text }, reference;
    check(mdb_get(txn, store->unique, &key, &reference), "get a text");
    read_record(store, txn, reference);
  }
  double elapsed = now() - start;
  mdb_txn_abort(txn);
  return elapsed / record_count;
}

static double fetch_by_id(const struct store *store) {
  MDB_txn *txn;
  check(mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn), "begin");
  double start = now();
  for (int i = 0; i < record_count; i++) {
    MDB_val key = { 16, ids[shuffled[i]] };
    if (store->by_row) {
      MDB_val row;
      check(mdb_get(txn, store->ids, &key, &row), "get an id");
      key = row;
    }
    read_record(store, txn, key);
  }
  double elapsed = now() - start;
  mdb_txn_abort(txn);
  return elapsed / record_count;
}

static double fetch_ranges(const struct store *store) {
  MDB_txn *txn;
  MDB_cursor *cursor;
  check(mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn), "begin");
  check(mdb_cursor_open(txn, store->compound, &cursor), "open a cursor");
  double start = now();
  for (int query = 0; query < QUERIES; query++) {
    unsigned char from[8];
    put_big_endian(from, mix(query) % 900000, 8);
    MDB_val key = { 8, from }, value;
    int code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    for (int i = 0; i < RANGE && !code; i++) {
      read_record(store, txn, (MDB_val){ key.mv_size - 12, (char *)key.mv_data + 12 });
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
  }
  double elapsed = now() - start;
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return elapsed / QUERIES;
}

static double update_some(const struct store *store) {
  int count = record_count < 10000 ? record_count : 10000;
  MDB_txn *txn;
  check(mdb_txn_begin(store->env, NULL, 0, &txn), "begin");
  double start = now();
  for (int i = 0; i < count; i++) {
    MDB_val key = { 16, ids[shuffled[i]] }, old, row;
    if (store->by_row) {
      check(mdb_get(txn, store->ids, &key, &row), "get an id");
      key = row;
    }
    unsigned char record[RECORD + 16];
    check(mdb_get(txn, store->records, &key, &old), "get a record");
    memcpy(record, old.mv_data, old.mv_size);
    record[50]++;
    MDB_val new = { old.mv_size, record };
    check(mdb_put(txn, store->records, &key, &new, 0), "put a record");
  }
  check(mdb_txn_commit(txn), "commit");
  return (now() - start) / count;
}

static void measure(const char *directory, int by_row, double *results) {
  struct store store = open_store(directory, by_row, 0);
  results[COMMIT_DURABLE] = insert_all(&store);
  mdb_env_close(store.env);

  store = open_store(directory, by_row, MDB_NOSYNC);
  results[INSERT] = insert_all(&store);
  MDB_envinfo information;
  mdb_env_info(store.env, &information);
  results[BYTES] = (information.me_last_pgno + 1) * 4096.0 / record_count;
  results[BY_TEXT] = fetch_by_text(&store);
  results[BY_ID] = fetch_by_id(&store);
  results[BY_RANGE] = fetch_ranges(&store);
  results[UPDATE] = update_some(&store);
  mdb_env_close(store.env);
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  const char *directory = count > 1 ? arguments[1] : "clustering-store";
  if (count > 2) record_count = atoi(arguments[2]);
  int runs = count > 3 ? atoi(arguments[3]) : 7;
  if (record_count < 1000 || runs < 1 || runs > MAX_RUNS) {
    fprintf(stderr, "clustering: at least 1000 records, 1 to %d runs\n", MAX_RUNS);
    return 64;
  }
  mkdir(directory, 0700);
  make_ids();
  static double samples[2][MEASURES][MAX_RUNS];
  for (int run = 0; run < runs; run++) {
    for (int turn = 0; turn < 2; turn++) {
      int by_row = (turn + run) % 2;
      double results[MEASURES];
      measure(directory, by_row, results);
      for (int i = 0; i < MEASURES; i++) samples[by_row][i][run] = results[i];
    }
  }
  printf("%d records, medians of %d runs\n%-54s %10s %10s %8s\n", record_count, runs, "", "ids", "rows", "rows/ids");
  for (int i = 0; i < MEASURES; i++) {
    for (int layout = 0; layout < 2; layout++) qsort(samples[layout][i], runs, sizeof(double), compare_doubles);
    double by_id = samples[0][i][runs / 2], by_row = samples[1][i][runs / 2];
    printf("%-54s %10.0f %10.0f %8.2f\n", titles[i], by_id, by_row, by_row / by_id);
  }
  return 0;
}
