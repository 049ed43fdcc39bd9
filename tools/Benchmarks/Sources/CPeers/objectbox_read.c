#include "clock.h"
#include "flatbuffer.h"
#include "objectbox_store.h"

int objectbox_scan_begin(objectbox_peer *peer) {
  peer->has_begun_scan = peer->has_failed_scan = 0;
  if (objectbox_begin_transaction(peer, 0)) return -1;
  return objectbox_subscriptions(peer) ? 0 : -1;
}

// 1 with a record, 0 at the end.
static int next(objectbox_peer *peer, const void **record) {
  size_t size;
  OBX_cursor *scan = peer->subscriptions;
  int code =
    peer->has_begun_scan ? peer->api->cursor_next(scan, record, &size) : peer->api->cursor_first(scan, record, &size);
  peer->has_begun_scan = 1;
  if (code == obx_found_nothing) return 0;
  return objectbox_failed(peer, code, "read a record") ? -1 : 1;
}

const objectbox_view *objectbox_scan_next(objectbox_peer *peer) {
  objectbox_view *view = &peer->view;
  const void *record;
  uint32_t length;
  int found = next(peer, &record);
  peer->has_failed_scan = found < 0;
  if (found != 1) return NULL;
  view->id = flatbuffer_string(record, subscription_id, &length);
  view->name = flatbuffer_string(record, subscription_name, &length);
  view->frequency = flatbuffer_string(record, subscription_frequency, &length);
  view->category = flatbuffer_string(record, subscription_category, &length);
  view->notes = flatbuffer_string(record, subscription_notes, &length);
  view->amount = flatbuffer_double(record, subscription_amount);
  view->next_billing_date = flatbuffer_integer(record, subscription_date);
  view->created_at = flatbuffer_integer(record, subscription_created);
  return view;
}

int objectbox_scan_end(objectbox_peer *peer) {
  return objectbox_end_transaction(peer, 0) || peer->has_failed_scan ? -1 : 0;
}

double objectbox_scan(objectbox_peer *peer, double *sum) {
  const void *record;
  uint32_t length;
  int found;
  double start = seconds_now();
  *sum = 0;
  if (objectbox_scan_begin(peer)) return -1;
  while ((found = next(peer, &record)) == 1) {
    flatbuffer_string(record, subscription_name, &length);
    *sum += flatbuffer_double(record, subscription_amount) + length;
  }
  double seconds = seconds_now() - start;
  return objectbox_end_transaction(peer, 0) || found ? -1 : seconds;
}

static int fetch(objectbox_peer *peer, const objectbox_uuid *id, double *amount) {
  char text[33];
  const void *record;
  size_t size;
  objectbox_write_id(text, id);
  if (objectbox_begin_transaction(peer, 0)) return -1;
  int code = peer->api->query_param_string(peer->by_id, subscription_entity, subscription_id, text);
  if (!code) code = peer->api->query_find_first(peer->by_id, &record, &size);
  if (!code) *amount = flatbuffer_double(record, subscription_amount);
  return objectbox_end_transaction(peer, 0) || objectbox_failed(peer, code, "find a record") ? -1 : 0;
}

double objectbox_fetch(objectbox_peer *peer, const objectbox_uuid *ids, size_t count, double *sum) {
  if (!objectbox_prepared_by_text(peer, &peer->by_id, subscription_entity, subscription_id)) return -1;
  double start = seconds_now(), amount;
  *sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (fetch(peer, &ids[i], &amount)) return -1;
    *sum += amount;
  }
  return seconds_now() - start;
}

static OBX_query *range(objectbox_peer *peer) {
  OBX_builder *made = peer->range ? NULL : objectbox_builder(peer, subscription_entity);
  if (made) {
    peer->api->qb_equals_string(made, subscription_category, "", true);
    peer->api->qb_greater_or_equal_int(made, subscription_date, 0);
    peer->api->qb_order(made, subscription_date, 0);
    peer->range = objectbox_query(peer, made);
  }
  return peer->range;
}

static int find_range(objectbox_peer *peer, const char *category, int64_t date, double *sum) {
  const objectbox_api *api = peer->api;
  if (objectbox_begin_transaction(peer, 0)) return -1;
  int code = api->query_param_string(peer->range, subscription_entity, subscription_category, category);
  if (!code) code = api->query_param_int(peer->range, subscription_entity, subscription_date, date);
  if (!code) code = api->query_limit(peer->range, 100);
  OBX_bytes_array *found = code ? NULL : api->query_find(peer->range);
  for (size_t i = 0; found && i < found->count; i++) {
    *sum += (double)flatbuffer_integer(found->items[i].data, subscription_date);
  }
  int result = objectbox_missing(peer, found, "find a range");
  if (found) api->bytes_array_free(found);
  return objectbox_end_transaction(peer, 0) || result ? -1 : 0;
}

double objectbox_ranges(
  objectbox_peer *peer, const char *category, const char *other, const int64_t *dates, size_t count, double *sum) {
  if (!range(peer)) return -1;
  double start = seconds_now();
  *sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (find_range(peer, i % 2 ? other : category, dates[i], sum)) return -1;
  }
  return seconds_now() - start;
}

double objectbox_count(objectbox_peer *peer, double least, double *count) {
  OBX_builder *made = objectbox_builder(peer, subscription_entity);
  if (made) peer->api->qb_greater_than_double(made, subscription_amount, least);
  OBX_query *greater = objectbox_query(peer, made);
  uint64_t found = 0;
  if (!greater) return -1;
  double start = seconds_now();
  int code = peer->api->query_count(greater, &found);
  double seconds = seconds_now() - start;
  peer->api->query_close(greater);
  *count = (double)found;
  return objectbox_failed(peer, code, "count") ? -1 : seconds;
}

double objectbox_sum(objectbox_peer *peer, double *sum) {
  OBX_query *all = objectbox_query(peer, objectbox_builder(peer, subscription_entity));
  OBX_property_query *amounts = all ? peer->api->query_prop(all, subscription_amount) : NULL;
  int64_t count;
  if (objectbox_missing(peer, amounts, "make a query of a property")) return -1;
  double start = seconds_now();
  int code = peer->api->query_prop_sum(amounts, sum, &count);
  double seconds = seconds_now() - start;
  peer->api->query_prop_close(amounts);
  peer->api->query_close(all);
  return objectbox_failed(peer, code, "add up") ? -1 : seconds;
}
