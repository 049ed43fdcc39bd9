#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "peers.h"

enum { most_trees = 64, name_bytes = 512, descriptor_bytes = 48 };

// One entry that is put, or deleted where `has_value` is 0. Its bytes lie in the replay's buffer, key before value.
typedef struct {
  size_t place;
  unsigned key_bytes, value_bytes;
  unsigned char has_value;
} change;

typedef struct {
  char name[name_bytes];
  // Of those of all trees, the first one and the one behind the last.
  size_t begin, end;
  // No entry was there before, so that pages fill up in order.
  int was_empty;
} changed_tree;

struct lmdb_replay {
  char *before;
  changed_tree trees[most_trees];
  int tree_count;
  change *changes;
  size_t change_count, change_room;
  unsigned char *bytes;
  size_t byte_count, byte_room;
};

static int failed(int code, const char *what) {
  if (code) fprintf(stderr, "LMDB: cannot %s: %s\n", what, mdb_strerror(code));
  return code;
}

static int open_environment(const char *path, unsigned flags, MDB_env **environment) {
  int code = mdb_env_create(environment);
  if (!code) code = mdb_env_set_mapsize(*environment, (size_t)16 << 30);
  if (!code) code = mdb_env_set_maxdbs(*environment, most_trees);
  if (!code) code = mdb_env_open(*environment, path, MDB_NOSUBDIR | MDB_NOTLS | flags, 0600);
  return code;
}

static int keep(lmdb_replay *replay, const MDB_val *key, const MDB_val *value) {
  size_t count = key->mv_size + (value ? value->mv_size : 0);
  if (replay->change_count == replay->change_room) {
    replay->change_room = replay->change_room * 2 + 1024;
    change *room = realloc(replay->changes, replay->change_room * sizeof *room);
    if (!room) return ENOMEM;
    replay->changes = room;
  }
  if (replay->byte_room - replay->byte_count < count) {
    replay->byte_room = (replay->byte_room + count) * 2;
    unsigned char *room = realloc(replay->bytes, replay->byte_room);
    if (!room) return ENOMEM;
    replay->bytes = room;
  }
  memcpy(replay->bytes + replay->byte_count, key->mv_data, key->mv_size);
  if (value) memcpy(replay->bytes + replay->byte_count + key->mv_size, value->mv_data, value->mv_size);
  replay->changes[replay->change_count++] =
    (change){replay->byte_count, (unsigned)key->mv_size, value ? (unsigned)value->mv_size : 0, value != NULL};
  replay->byte_count += count;
  return 0;
}

// A place in one of the two stores; `code` is MDB_NOTFOUND behind the last entry.
typedef struct {
  MDB_cursor *cursor;
  MDB_val key, value;
  int code;
} walk;

static void step(walk *walk) {
  walk->code = walk->cursor ? mdb_cursor_get(walk->cursor, &walk->key, &walk->value, MDB_NEXT) : MDB_NOTFOUND;
}

static int begin_walk(walk *walk, MDB_txn *transaction, const char *name) {
  MDB_dbi tree;
  walk->cursor = NULL;
  int code = mdb_dbi_open(transaction, name, 0, &tree);
  if (!code) {
    unsigned flags = 0;
    code = mdb_dbi_flags(transaction, tree, &flags);
    if (!code && flags & ~(unsigned)MDB_CREATE) code = MDB_INCOMPATIBLE;
    if (!code) code = mdb_cursor_open(transaction, tree, &walk->cursor);
  }
  if (code && code != MDB_NOTFOUND) return code;
  step(walk);
  return 0;
}

static int compared(const walk *left, const walk *right) {
  if (left->code || right->code) return left->code ? (right->code ? 0 : 1) : -1;
  size_t shorter = left->key.mv_size < right->key.mv_size ? left->key.mv_size : right->key.mv_size;
  int order = memcmp(left->key.mv_data, right->key.mv_data, shorter);
  if (order) return order;
  return left->key.mv_size < right->key.mv_size ? -1 : left->key.mv_size > right->key.mv_size;
}

static int is_tree(MDB_txn *transaction, const walk *entry) {
  char name[name_bytes];
  if (entry->value.mv_size != descriptor_bytes || entry->key.mv_size >= name_bytes) return 0;
  memcpy(name, entry->key.mv_data, entry->key.mv_size);
  name[entry->key.mv_size] = 0;
  MDB_dbi tree;
  return !mdb_dbi_open(transaction, name, 0, &tree);
}

// What makes the entries of one tree those of the store after. Descriptors of trees change by themselves.
static int compare_tree(lmdb_replay *replay, MDB_txn *before, MDB_txn *after, const char *name) {
  walk old, new;
  int code = begin_walk(&old, before, name);
  if (!code) code = begin_walk(&new, after, name);
  if (code) return code;
  changed_tree *tree = &replay->trees[replay->tree_count];
  tree->begin = replay->change_count;
  tree->was_empty = old.code == MDB_NOTFOUND;
  while (!code && (!old.code || !new.code)) {
    int order = compared(&old, &new);
    if (!name && ((order <= 0 && !old.code && is_tree(before, &old)) || (order >= 0 && !new.code && is_tree(after, &new)))) {
      // A descriptor.
    } else if (order < 0) {
      code = keep(replay, &old.key, NULL);
    } else if (order > 0 || old.value.mv_size != new.value.mv_size ||
               memcmp(old.value.mv_data, new.value.mv_data, new.value.mv_size)) {
      code = keep(replay, &new.key, &new.value);
    }
    if (order <= 0) step(&old);
    if (order >= 0) step(&new);
  }
  if (!code && old.code != MDB_NOTFOUND) code = old.code;
  if (!code && new.code != MDB_NOTFOUND) code = new.code;
  tree->end = replay->change_count;
  if (tree->end > tree->begin) replay->tree_count++;
  if (old.cursor) mdb_cursor_close(old.cursor);
  if (new.cursor) mdb_cursor_close(new.cursor);
  return code;
}

static int compare_stores(lmdb_replay *replay, MDB_txn *before, MDB_txn *after) {
  walk names;
  int code = begin_walk(&names, after, NULL);
  while (!code && !names.code && replay->tree_count < most_trees - 1) {
    if (is_tree(after, &names)) {
      char *name = replay->trees[replay->tree_count].name;
      memcpy(name, names.key.mv_data, names.key.mv_size);
      name[names.key.mv_size] = 0;
      code = compare_tree(replay, before, after, name);
    }
    step(&names);
  }
  if (names.cursor) mdb_cursor_close(names.cursor);
  if (code) return code;
  replay->trees[replay->tree_count].name[0] = 0;
  return compare_tree(replay, before, after, NULL);
}

lmdb_replay *lmdb_replay_create(const char *before, const char *after) {
  lmdb_replay *replay = calloc(1, sizeof *replay);
  if (!replay) return NULL;
  MDB_env *old = NULL, *new = NULL;
  MDB_txn *old_view = NULL, *new_view = NULL;
  int code = open_environment(after, MDB_RDONLY | MDB_NOLOCK, &new);
  if (!code) code = mdb_txn_begin(new, NULL, MDB_RDONLY, &new_view);
  replay->before = strdup(before);
  if (!code) code = open_environment(before, MDB_RDONLY | MDB_NOLOCK, &old);
  if (!code) code = mdb_txn_begin(old, NULL, MDB_RDONLY, &old_view);
  if (!code) code = compare_stores(replay, old_view, new_view);
  if (old_view) mdb_txn_abort(old_view);
  if (new_view) mdb_txn_abort(new_view);
  if (old) mdb_env_close(old);
  if (new) mdb_env_close(new);
  if (!failed(code, "compare the two stores")) return replay;
  lmdb_replay_close(replay);
  return NULL;
}

static int make_tree(const lmdb_replay *replay, const changed_tree *tree, MDB_txn *transaction, MDB_dbi handle) {
  MDB_cursor *cursor;
  int code = mdb_cursor_open(transaction, handle, &cursor);
  if (code) return code;
  for (size_t i = tree->begin; !code && i < tree->end; i++) {
    const change *change = &replay->changes[i];
    MDB_val key = {change->key_bytes, replay->bytes + change->place};
    MDB_val value = {change->value_bytes, replay->bytes + change->place + change->key_bytes};
    if (change->has_value) {
      code = mdb_cursor_put(cursor, &key, &value, tree->was_empty ? MDB_APPEND : 0);
    } else {
      MDB_val found;
      code = mdb_cursor_get(cursor, &key, &found, MDB_SET_KEY);
      if (!code) code = mdb_cursor_del(cursor, 0);
    }
  }
  mdb_cursor_close(cursor);
  return code;
}

static int copy_store(const char *from, const char *to) {
  MDB_env *environment;
  int code = open_environment(from, MDB_RDONLY | MDB_NOLOCK, &environment);
  if (!code) code = mdb_env_copy(environment, to);
  mdb_env_close(environment);
  return code;
}

// Leaves the copy with the changes at `path`.
static int make_changes(const lmdb_replay *replay, const char *path, double *seconds) {
  MDB_env *environment = NULL;
  MDB_txn *transaction = NULL;
  MDB_dbi handles[most_trees];
  int code = copy_store(replay->before, path);
  if (!code) code = open_environment(path, 0, &environment);
  // Trees are there already, as in a store that was opened.
  if (!code) code = mdb_txn_begin(environment, NULL, 0, &transaction);
  for (int i = 0; !code && i < replay->tree_count; i++) {
    const char *name = replay->trees[i].name;
    code = mdb_dbi_open(transaction, *name ? name : NULL, *name ? MDB_CREATE : 0, &handles[i]);
  }
  if (!code) code = mdb_txn_commit(transaction);
  double begin = seconds_now();
  if (!code) code = mdb_txn_begin(environment, NULL, 0, &transaction);
  for (int i = 0; !code && i < replay->tree_count; i++) {
    code = make_tree(replay, &replay->trees[i], transaction, handles[i]);
  }
  if (!code) code = mdb_txn_commit(transaction);
  *seconds = seconds_now() - begin;
  if (environment) mdb_env_close(environment);
  return failed(code, "make the changes");
}

static void remove_copy(const char *path) {
  char lock[4096];
  snprintf(lock, sizeof lock, "%s-lock", path);
  unlink(lock);
  unlink(path);
}

double lmdb_replay_run(const lmdb_replay *replay, const char *path) {
  double seconds;
  int code = make_changes(replay, path, &seconds);
  remove_copy(path);
  return code ? -1 : seconds;
}

// The number of trees that one store has otherwise than another; says which, or -1.
static int count_differences(const char *found, const char *expected) {
  lmdb_replay *differences = lmdb_replay_create(found, expected);
  if (!differences) return -1;
  for (int i = 0; i < differences->tree_count; i++) {
    const changed_tree *tree = &differences->trees[i];
    fprintf(stderr, "LMDB alone leaves %zu entries of %s otherwise than our work did\n", tree->end - tree->begin,
            *tree->name ? tree->name : "the list of trees");
  }
  int count = differences->tree_count;
  lmdb_replay_close(differences);
  return count;
}

int lmdb_replay_agrees(const lmdb_replay *replay, const char *path, const char *after) {
  double seconds;
  // In both directions, for trees that only one of them has.
  int agrees = !make_changes(replay, path, &seconds) && !count_differences(path, after) && !count_differences(after, path);
  remove_copy(path);
  return agrees;
}

void lmdb_replay_close(lmdb_replay *replay) {
  free(replay->before);
  free(replay->changes);
  free(replay->bytes);
  free(replay);
}
