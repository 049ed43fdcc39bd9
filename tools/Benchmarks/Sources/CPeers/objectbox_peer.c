#include "objectbox_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "flatbuffer.h"
#include "objectbox_model.h"

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

static int failed(const objectbox_peer *peer, int code, const char *what) {
  if (code) fprintf(stderr, "ObjectBox: cannot %s: %s (%d)\n", what, peer->api->last_error_message(), code);
  return code ? -1 : 0;
}

static int missing(const objectbox_peer *peer, const void *made, const char *what) {
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
  if (!missing(peer, peer->store, "open the store")) return peer;
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

// Transactions

static int begin(objectbox_peer *peer, int writes) {
  peer->transaction = writes ? peer->api->txn_write(peer->store) : peer->api->txn_read(peer->store);
  return missing(peer, peer->transaction, "begin a transaction");
}

// A cursor of the transaction, made when the first one asks for it.
static OBX_cursor *cursor(objectbox_peer *peer, OBX_cursor **place, uint32_t entity) {
  if (!*place) *place = peer->api->cursor(peer->transaction, entity);
  if (!*place) missing(peer, *place, "make a cursor");
  return *place;
}

static OBX_cursor *subscription_cursor(objectbox_peer *peer) {
  return cursor(peer, &peer->subscriptions, subscription_entity);
}

static int end(objectbox_peer *peer, int commits) {
  OBX_cursor **cursors[] = {&peer->subscriptions, &peer->purchases, &peer->credits};
  for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
    if (*cursors[i]) peer->api->cursor_close(*cursors[i]);
    *cursors[i] = NULL;
  }
  OBX_transaction *transaction = peer->transaction;
  peer->transaction = NULL;
  if (!commits) return failed(peer, peer->api->txn_close(transaction), "end a transaction");
  return failed(peer, peer->api->txn_success(transaction), "commit");
}

int objectbox_begin(objectbox_peer *peer) { return begin(peer, 1); }

int objectbox_commit(objectbox_peer *peer) { return end(peer, 1); }

// Puts

static void write_id(char text[33], const objectbox_uuid *id) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 16; i++) {
    text[2 * i] = digits[id->bytes[i] >> 4];
    text[2 * i + 1] = digits[id->bytes[i] & 15];
  }
  text[32] = 0;
}

static int digit(char text) {
  if (text >= '0' && text <= '9') return text - '0';
  return text >= 'a' && text <= 'f' ? text - 'a' + 10 : -1;
}

int objectbox_read_id(const char *text, objectbox_uuid *id) {
  for (int i = 0; i < 16; i++) {
    int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);
    if (low < 0) return -1;
    id->bytes[i] = (unsigned char)(high << 4 | low);
  }
  return 0;
}

// The record's number comes first among its numbers.
static int put(objectbox_peer *peer, OBX_cursor *cursor, flatbuffer *buffer, uint64_t *number) {
  *number = cursor ? peer->api->cursor_id_for_put(cursor, 0) : 0;
  if (!*number) return -1;
  flatbuffer_number(buffer, 0, number);
  return failed(peer, peer->api->cursor_put_new(cursor, *number, buffer->bytes, buffer->count), "put a record");
}

static int add_texts(flatbuffer *buffer, size_t numbers, const char *const *texts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!flatbuffer_text(buffer, numbers, i, texts[i], strlen(texts[i]))) continue;
    fprintf(stderr, "ObjectBox: a record is larger than %d bytes\n", flatbuffer_most_bytes);
    return -1;
  }
  return 0;
}

int objectbox_put(
  objectbox_peer *peer, const objectbox_numbers *row, const char *name, const char *frequency, const char *category,
  const char *notes) {
  static const uint8_t numbers[] = {subscription_number, subscription_amount, subscription_date, subscription_created};
  static const uint8_t places[] = {
    subscription_id, subscription_name, subscription_frequency, subscription_category, subscription_notes};
  flatbuffer buffer;
  char id[33];
  uint64_t number;
  write_id(id, &row->id);
  const char *texts[] = {id, name, frequency, category, notes};
  flatbuffer_begin(&buffer, numbers, 4, places, 5);
  flatbuffer_number(&buffer, 1, &row->amount);
  flatbuffer_number(&buffer, 2, &row->next_billing_date);
  flatbuffer_number(&buffer, 3, &row->created_at);
  if (add_texts(&buffer, 4, texts, 5)) return -1;
  return put(peer, subscription_cursor(peer), &buffer, &number);
}

static int put_credit(objectbox_peer *peer, uint64_t purchase, int64_t ordinal) {
  static const uint8_t numbers[] = {credit_number, credit_ordinal, credit_purchase};
  flatbuffer buffer;
  uint64_t number;
  flatbuffer_begin(&buffer, numbers, 3, NULL, 0);
  flatbuffer_number(&buffer, 1, &ordinal);
  flatbuffer_number(&buffer, 2, &purchase);
  return put(peer, cursor(peer, &peer->credits, credit_entity), &buffer, &number);
}

int objectbox_put_purchase(
  objectbox_peer *peer, const objectbox_uuid *purchase, const char *transaction_id, const char *product_id,
  const char *price, int64_t date, int credits) {
  static const uint8_t numbers[] = {purchase_number, purchase_date};
  static const uint8_t places[] = {purchase_id, purchase_transaction, purchase_product, purchase_price};
  flatbuffer buffer;
  char id[33];
  uint64_t number;
  write_id(id, purchase);
  const char *texts[] = {id, transaction_id, product_id, price};
  flatbuffer_begin(&buffer, numbers, 2, places, 4);
  flatbuffer_number(&buffer, 1, &date);
  if (add_texts(&buffer, 2, texts, 4)) return -1;
  int result = put(peer, cursor(peer, &peer->purchases, purchase_entity), &buffer, &number);
  for (int ordinal = 0; !result && ordinal < credits; ordinal++) result = put_credit(peer, number, ordinal);
  return result;
}

// Scans

int objectbox_scan_begin(objectbox_peer *peer) {
  peer->has_begun_scan = peer->has_failed_scan = 0;
  if (begin(peer, 0)) return -1;
  return subscription_cursor(peer) ? 0 : -1;
}

// 1 with a record, 0 at the end.
static int next(objectbox_peer *peer, const void **record) {
  size_t size;
  OBX_cursor *scan = peer->subscriptions;
  int code =
    peer->has_begun_scan ? peer->api->cursor_next(scan, record, &size) : peer->api->cursor_first(scan, record, &size);
  peer->has_begun_scan = 1;
  if (code == obx_found_nothing) return 0;
  return failed(peer, code, "read a record") ? -1 : 1;
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

int objectbox_scan_end(objectbox_peer *peer) { return end(peer, 0) || peer->has_failed_scan ? -1 : 0; }

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
  return end(peer, 0) || found ? -1 : seconds;
}

// Queries

static OBX_builder *builder(objectbox_peer *peer, uint32_t entity) {
  OBX_builder *made = peer->api->query_builder(peer->store, entity);
  missing(peer, made, "begin a query");
  return made;
}

static OBX_query *query(objectbox_peer *peer, OBX_builder *builder) {
  OBX_query *made = builder ? peer->api->query(builder) : NULL;
  missing(peer, made, "make a query");
  if (builder) peer->api->qb_close(builder);
  return made;
}

static OBX_query *by_text(objectbox_peer *peer, OBX_query **place, uint32_t entity, uint32_t property) {
  OBX_builder *made = *place ? NULL : builder(peer, entity);
  if (made) {
    peer->api->qb_equals_string(made, property, "", true);
    *place = query(peer, made);
  }
  return *place;
}

static int fetch(objectbox_peer *peer, const objectbox_uuid *id, double *amount) {
  char text[33];
  const void *record;
  size_t size;
  write_id(text, id);
  if (begin(peer, 0)) return -1;
  int code = peer->api->query_param_string(peer->by_id, subscription_entity, subscription_id, text);
  if (!code) code = peer->api->query_find_first(peer->by_id, &record, &size);
  if (!code) *amount = flatbuffer_double(record, subscription_amount);
  return end(peer, 0) || failed(peer, code, "find a record") ? -1 : 0;
}

double objectbox_fetch(objectbox_peer *peer, const objectbox_uuid *ids, size_t count, double *sum) {
  if (!by_text(peer, &peer->by_id, subscription_entity, subscription_id)) return -1;
  double start = seconds_now(), amount;
  *sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (fetch(peer, &ids[i], &amount)) return -1;
    *sum += amount;
  }
  return seconds_now() - start;
}

static OBX_query *range(objectbox_peer *peer) {
  OBX_builder *made = peer->range ? NULL : builder(peer, subscription_entity);
  if (made) {
    peer->api->qb_equals_string(made, subscription_category, "", true);
    peer->api->qb_greater_or_equal_int(made, subscription_date, 0);
    peer->api->qb_order(made, subscription_date, 0);
    peer->range = query(peer, made);
  }
  return peer->range;
}

static int find_range(objectbox_peer *peer, const char *category, int64_t date, double *sum) {
  const objectbox_api *api = peer->api;
  if (begin(peer, 0)) return -1;
  int code = api->query_param_string(peer->range, subscription_entity, subscription_category, category);
  if (!code) code = api->query_param_int(peer->range, subscription_entity, subscription_date, date);
  if (!code) code = api->query_limit(peer->range, 100);
  OBX_bytes_array *found = code ? NULL : api->query_find(peer->range);
  for (size_t i = 0; found && i < found->count; i++) {
    *sum += (double)flatbuffer_integer(found->items[i].data, subscription_date);
  }
  int result = missing(peer, found, "find a range");
  if (found) api->bytes_array_free(found);
  return end(peer, 0) || result ? -1 : 0;
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
  OBX_builder *made = builder(peer, subscription_entity);
  if (made) peer->api->qb_greater_than_double(made, subscription_amount, least);
  OBX_query *greater = query(peer, made);
  uint64_t found = 0;
  if (!greater) return -1;
  double start = seconds_now();
  int code = peer->api->query_count(greater, &found);
  double seconds = seconds_now() - start;
  peer->api->query_close(greater);
  *count = (double)found;
  return failed(peer, code, "count") ? -1 : seconds;
}

double objectbox_sum(objectbox_peer *peer, double *sum) {
  OBX_query *all = query(peer, builder(peer, subscription_entity));
  OBX_property_query *amounts = all ? peer->api->query_prop(all, subscription_amount) : NULL;
  int64_t count;
  if (missing(peer, amounts, "make a query of a property")) return -1;
  double start = seconds_now();
  int code = peer->api->query_prop_sum(amounts, sum, &count);
  double seconds = seconds_now() - start;
  peer->api->query_prop_close(amounts);
  peer->api->query_close(all);
  return failed(peer, code, "add up") ? -1 : seconds;
}

// Updates

typedef struct {
  uint8_t *bytes;
  size_t count, capacity;
} copied;

// Every record's size, then its bytes.
static int copy_records(objectbox_peer *peer, copied *all) {
  const void *record;
  size_t size;
  if (begin(peer, 0) || !subscription_cursor(peer)) return -1;
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
  return end(peer, 0) || code != obx_found_nothing ? -1 : 0;
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
    if (failed(peer, code, "update a record")) return -1;
  }
  return 0;
}

double objectbox_update(objectbox_peer *peer) {
  copied all = {NULL, 0, 0};
  double seconds = -1;
  if (!copy_records(peer, &all)) {
    double start = seconds_now();
    int code = begin(peer, 1) || !subscription_cursor(peer) || add_one(peer, &all) || end(peer, 1);
    seconds = code ? -1 : seconds_now() - start;
  }
  free(all.bytes);
  return seconds;
}

// Deletes

static OBX_query *credits_of(objectbox_peer *peer) {
  OBX_builder *made = peer->credits_of ? NULL : builder(peer, credit_entity);
  if (made) {
    peer->api->qb_equals_int(made, credit_purchase, 0);
    peer->credits_of = query(peer, made);
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
  write_id(text, id);
  int code = api->query_param_string(peer->purchase_by_id, purchase_entity, purchase_id, text);
  if (!code) code = api->query_find_first(peer->purchase_by_id, &record, &size);
  if (failed(peer, code, "find a purchase")) return -1;
  int64_t number = flatbuffer_integer(record, purchase_number);
  code = api->query_param_int(peer->credits_of, credit_entity, credit_purchase, number);
  if (!code) code = api->query_remove(peer->credits_of, &credits);
  OBX_cursor *purchases = cursor(peer, &peer->purchases, purchase_entity);
  if (!code && purchases) code = api->cursor_remove(purchases, (uint64_t)number);
  return failed(peer, code, "delete a purchase");
}

double objectbox_delete_purchases(objectbox_peer *peer, const objectbox_uuid *ids, size_t count) {
  if (!by_text(peer, &peer->purchase_by_id, purchase_entity, purchase_id) || !credits_of(peer)) return -1;
  double start = seconds_now();
  if (begin(peer, 1)) return -1;
  int code = 0;
  for (size_t i = 0; !code && i < count; i++) code = delete_purchase(peer, &ids[i]);
  return end(peer, !code) || code ? -1 : seconds_now() - start;
}

static int64_t count_all(objectbox_peer *peer, uint32_t entity) {
  OBX_query *all = query(peer, builder(peer, entity));
  uint64_t count = 0;
  int code = all ? peer->api->query_count(all, &count) : -1;
  if (all) peer->api->query_close(all);
  return failed(peer, code, "count") ? -1 : (int64_t)count;
}

int64_t objectbox_count_purchases(objectbox_peer *peer) { return count_all(peer, purchase_entity); }

int64_t objectbox_count_credits(objectbox_peer *peer) { return count_all(peer, credit_entity); }
