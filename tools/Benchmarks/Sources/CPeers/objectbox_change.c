#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "flatbuffer.h"
#include "objectbox_store.h"

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} copied;

// Every record's size, then its bytes.
static int copy_records(objectbox_peer *peer, copied *all) {
  const void *record;
  size_t size;
  if (objectbox_begin_transaction(peer, 0) || !objectbox_subscriptions(peer)) return -1;
  int code = peer->api->cursor_first(peer->subscriptions, &record, &size);
  while (!code) {
    if (all->count + sizeof size + size > all->capacity) {
      all->capacity = 2 * all->capacity + sizeof size + size;
      uint8_t *larger = realloc(all->bytes, all->capacity);
      if (!larger) break;
      all->bytes = larger;
    }
    memcpy(all->bytes + all->count, &size, sizeof size);
    memcpy(all->bytes + all->count + sizeof size, record, size);
    all->count += sizeof size + size;
    code = peer->api->cursor_next(peer->subscriptions, &record, &size);
  }
  return objectbox_end_transaction(peer, 0) || code != obx_found_nothing ? -1 : 0;
}

static int add_one(objectbox_peer *peer, copied *all) {
  size_t size;
  for (size_t place = 0; place < all->count; place += sizeof size + size) {
    memcpy(&size, all->bytes + place, sizeof size);
    uint8_t *record = all->bytes + place + sizeof size;
    double amount = flatbuffer_double(record, subscription_amount) + 1;
    memcpy(record + (flatbuffer_value(record, subscription_amount) - record), &amount, sizeof amount);
    uint64_t number = (uint64_t)flatbuffer_integer(record, subscription_number);
    int code = peer->api->cursor_put(peer->subscriptions, number, record, size);
    if (objectbox_failed(peer, code, "update a record")) return -1;
  }
  return 0;
}

double objectbox_update(objectbox_peer *peer) {
  copied all = {NULL, 0, 0};
  double seconds = -1;
  if (!copy_records(peer, &all)) {
    double start = seconds_now();
    int code = objectbox_begin_transaction(peer, 1) || !objectbox_subscriptions(peer) || add_one(peer, &all) ||
      objectbox_end_transaction(peer, 1);
    seconds = code ? -1 : seconds_now() - start;
  }
  free(all.bytes);
  return seconds;
}

static OBX_query *credits_of(objectbox_peer *peer) {
  OBX_builder *made = peer->credits_of ? NULL : objectbox_builder(peer, credit_entity);
  if (made) {
    peer->api->qb_equals_int(made, credit_purchase, 0);
    peer->credits_of = objectbox_query(peer, made);
  }
  return peer->credits_of;
}

// ObjectBox has no rules of deletion: the children first, by the index of what they refer to.
static int delete_purchase(objectbox_peer *peer, const objectbox_uuid *id) {
  const objectbox_api *api = peer->api;
  char text[33];
  uint64_t credits;
  const void *record;
  size_t size;
  objectbox_write_id(text, id);
  int code = api->query_param_string(peer->purchase_by_id, purchase_entity, purchase_id, text);
  if (!code) code = api->query_find_first(peer->purchase_by_id, &record, &size);
  if (objectbox_failed(peer, code, "find a purchase")) return -1;
  int64_t number = flatbuffer_integer(record, purchase_number);
  code = api->query_param_int(peer->credits_of, credit_entity, credit_purchase, number);
  if (!code) code = api->query_remove(peer->credits_of, &credits);
  OBX_cursor *purchases = objectbox_cursor(peer, &peer->purchases, purchase_entity);
  if (!code && purchases) code = api->cursor_remove(purchases, (uint64_t)number);
  return objectbox_failed(peer, code, "delete a purchase");
}

double objectbox_delete_purchases(objectbox_peer *peer, const objectbox_uuid *ids, size_t count) {
  if (!objectbox_prepared_by_text(peer, &peer->purchase_by_id, purchase_entity, purchase_id)) return -1;
  if (!credits_of(peer)) return -1;
  double start = seconds_now();
  if (objectbox_begin_transaction(peer, 1)) return -1;
  int code = 0;
  for (size_t i = 0; !code && i < count; i++) code = delete_purchase(peer, &ids[i]);
  return objectbox_end_transaction(peer, !code) || code ? -1 : seconds_now() - start;
}

static int64_t count_all(objectbox_peer *peer, uint32_t entity) {
  OBX_query *all = objectbox_query(peer, objectbox_builder(peer, entity));
  uint64_t count = 0;
  int code = all ? peer->api->query_count(all, &count) : -1;
  if (all) peer->api->query_close(all);
  return objectbox_failed(peer, code, "count") ? -1 : (int64_t)count;
}

int64_t objectbox_count_purchases(objectbox_peer *peer) { return count_all(peer, purchase_entity); }

int64_t objectbox_count_credits(objectbox_peer *peer) { return count_all(peer, credit_entity); }
