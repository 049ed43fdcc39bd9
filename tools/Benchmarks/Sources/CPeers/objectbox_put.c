#include <stdio.h>
#include <string.h>

#include "flatbuffer.h"
#include "objectbox_store.h"

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
  int code = peer->api->cursor_put_new(cursor, *number, buffer->bytes, buffer->count);
  return objectbox_failed(peer, code, "put a record");
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
  objectbox_write_id(id, &row->id);
  const char *texts[] = {id, name, frequency, category, notes};
  flatbuffer_begin(&buffer, numbers, 4, places, 5);
  flatbuffer_number(&buffer, 1, &row->amount);
  flatbuffer_number(&buffer, 2, &row->next_billing_date);
  flatbuffer_number(&buffer, 3, &row->created_at);
  if (add_texts(&buffer, 4, texts, 5)) return -1;
  return put(peer, objectbox_subscriptions(peer), &buffer, &number);
}

static int put_credit(objectbox_peer *peer, uint64_t purchase, int64_t ordinal) {
  static const uint8_t numbers[] = {credit_number, credit_ordinal, credit_purchase};
  flatbuffer buffer;
  uint64_t number;
  flatbuffer_begin(&buffer, numbers, 3, NULL, 0);
  flatbuffer_number(&buffer, 1, &ordinal);
  flatbuffer_number(&buffer, 2, &purchase);
  return put(peer, objectbox_cursor(peer, &peer->credits, credit_entity), &buffer, &number);
}

int objectbox_put_purchase(
  objectbox_peer *peer, const objectbox_uuid *purchase, const char *transaction_id, const char *product_id,
  const char *price, int64_t date, int credits) {
  static const uint8_t numbers[] = {purchase_number, purchase_date};
  static const uint8_t places[] = {purchase_id, purchase_transaction, purchase_product, purchase_price};
  flatbuffer buffer;
  char id[33];
  uint64_t number;
  objectbox_write_id(id, purchase);
  const char *texts[] = {id, transaction_id, product_id, price};
  flatbuffer_begin(&buffer, numbers, 2, places, 4);
  flatbuffer_number(&buffer, 1, &date);
  if (add_texts(&buffer, 2, texts, 4)) return -1;
  int result = put(peer, objectbox_cursor(peer, &peer->purchases, purchase_entity), &buffer, &number);
  for (int ordinal = 0; !result && ordinal < credits; ordinal++) result = put_credit(peer, number, ordinal);
  return result;
}
