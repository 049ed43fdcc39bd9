#include "objectbox_store.h"

#include <stdio.h>
#include <stdlib.h>

int objectbox_failed(const objectbox_peer *peer, int code, const char *what) {
  if (code) fprintf(stderr, "ObjectBox: cannot %s: %s (%d)\n", what, peer->api->last_error_message(), code);
  return code ? -1 : 0;
}

int objectbox_missing(const objectbox_peer *peer, const void *made, const char *what) {
  if (!made) fprintf(stderr, "ObjectBox: cannot %s: %s\n", what, peer->api->last_error_message());
  return made ? 0 : -1;
}

objectbox_peer *objectbox_open(const char *library, const char *folder) {
  const objectbox_api *api = objectbox_load(library);
  objectbox_peer *peer = api ? calloc(1, sizeof *peer) : NULL;
  if (!peer) return NULL;
  peer->api = api;
  OBX_model *model = objectbox_model(api);
  OBX_options *options = model ? api->opt() : NULL;
  if (options && !api->opt_directory(options, folder) && !api->opt_model(options, model)) {
    api->opt_max_db_size_in_kb(options, (uint64_t)64 << 20);
    // Takes the options and the model with it, also where it fails.
    peer->store = api->store_open(options);
  }
  if (!objectbox_missing(peer, peer->store, "open the store")) return peer;
  free(peer);
  return NULL;
}

void objectbox_close(objectbox_peer *peer) {
  OBX_query *queries[] = {peer->by_id, peer->range, peer->purchase_by_id, peer->credits_of};
  for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
    if (queries[i]) peer->api->query_close(queries[i]);
  }
  if (peer->transaction) peer->api->txn_close(peer->transaction);
  peer->api->store_close(peer->store);
  free(peer);
}

int objectbox_begin_transaction(objectbox_peer *peer, int writes) {
  peer->transaction = writes ? peer->api->txn_write(peer->store) : peer->api->txn_read(peer->store);
  return objectbox_missing(peer, peer->transaction, "begin a transaction");
}

OBX_cursor *objectbox_cursor(objectbox_peer *peer, OBX_cursor **place, uint32_t entity) {
  if (!*place) *place = peer->api->cursor(peer->transaction, entity);
  if (!*place) objectbox_missing(peer, *place, "make a cursor");
  return *place;
}

OBX_cursor *objectbox_subscriptions(objectbox_peer *peer) {
  return objectbox_cursor(peer, &peer->subscriptions, subscription_entity);
}

int objectbox_end_transaction(objectbox_peer *peer, int commits) {
  OBX_cursor **cursors[] = {&peer->subscriptions, &peer->purchases, &peer->credits};
  for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
    if (*cursors[i]) peer->api->cursor_close(*cursors[i]);
    *cursors[i] = NULL;
  }
  OBX_transaction *transaction = peer->transaction;
  peer->transaction = NULL;
  if (!commits) return objectbox_failed(peer, peer->api->txn_close(transaction), "end a transaction");
  return objectbox_failed(peer, peer->api->txn_success(transaction), "commit");
}

int objectbox_begin(objectbox_peer *peer) { return objectbox_begin_transaction(peer, 1); }

int objectbox_commit(objectbox_peer *peer) { return objectbox_end_transaction(peer, 1); }

void objectbox_write_id(char text[33], const objectbox_uuid *id) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 16; i++) {
    text[2 * i] = digits[id->bytes[i] >> 4];
    text[2 * i + 1] = digits[id->bytes[i] & 15];
  }
  text[32] = 0;
}

OBX_builder *objectbox_builder(objectbox_peer *peer, uint32_t entity) {
  OBX_builder *made = peer->api->query_builder(peer->store, entity);
  objectbox_missing(peer, made, "begin a query");
  return made;
}

OBX_query *objectbox_query(objectbox_peer *peer, OBX_builder *builder) {
  OBX_query *made = builder ? peer->api->query(builder) : NULL;
  objectbox_missing(peer, made, "make a query");
  if (builder) peer->api->qb_close(builder);
  return made;
}

OBX_query *objectbox_prepared_by_text(objectbox_peer *peer, OBX_query **place, uint32_t entity, uint32_t property) {
  OBX_builder *made = *place ? NULL : objectbox_builder(peer, entity);
  if (made) {
    peer->api->qb_equals_string(made, property, "", true);
    *place = objectbox_query(peer, made);
  }
  return *place;
}
