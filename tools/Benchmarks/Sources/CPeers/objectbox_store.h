// What the files of ObjectBox's peer share: its store, one transaction at a time, and the parts of queries.
#ifndef OBJECTBOX_STORE_H
#define OBJECTBOX_STORE_H

#include "objectbox_model.h"
#include "objectbox_peer.h"

struct objectbox_peer {
  const objectbox_api *api;
  OBX_store *store;
  // Prepared at first use; they are given their values later.
  OBX_query *by_id, *range, *purchase_by_id, *credits_of;
  OBX_transaction *transaction;
  OBX_cursor *subscriptions, *purchases, *credits;
  objectbox_view view;
  int has_begun_scan, has_failed_scan;
};

// Each says what failed on standard error, and returns -1 then; else 0.
int objectbox_failed(const objectbox_peer *peer, int code, const char *what);
int objectbox_missing(const objectbox_peer *peer, const void *made, const char *what);

int objectbox_begin_transaction(objectbox_peer *peer, int writes);
// Closes the transaction's cursors with it.
int objectbox_end_transaction(objectbox_peer *peer, int commits);
// A cursor of the transaction, made when the first one asks for it.
OBX_cursor *objectbox_cursor(objectbox_peer *peer, OBX_cursor **place, uint32_t entity);
OBX_cursor *objectbox_subscriptions(objectbox_peer *peer);

// 32 hexadecimal digits and a zero.
void objectbox_write_id(char text[33], const objectbox_uuid *id);

OBX_builder *objectbox_builder(objectbox_peer *peer, uint32_t entity);
// The query of a builder, which goes with it.
OBX_query *objectbox_query(objectbox_peer *peer, OBX_builder *builder);
// A query for a text, which it is given later; prepared when the first one asks for it.
OBX_query *objectbox_prepared_by_text(objectbox_peer *peer, OBX_query **place, uint32_t entity, uint32_t property);

#endif
