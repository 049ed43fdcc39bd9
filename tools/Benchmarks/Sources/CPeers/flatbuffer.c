#include "flatbuffer.h"

static void put16(flatbuffer *buffer, size_t place, size_t value) {
  uint16_t number = (uint16_t)value;
  memcpy(buffer->bytes + place, &number, 2);
}

static void put32(flatbuffer *buffer, size_t place, size_t value) {
  uint32_t number = (uint32_t)value;
  memcpy(buffer->bytes + place, &number, 4);
}

void flatbuffer_begin(
  flatbuffer *buffer, const uint8_t *numbers, size_t number_count, const uint8_t *texts, size_t text_count) {
  size_t list = 4, properties = number_count + text_count, list_bytes = 4 + 2 * properties;
  size_t table_bytes = 4 + 8 * number_count + 4 * text_count;
  // The numbers begin behind the table's first four bytes, and at a multiple of eight.
  buffer->table = (list + list_bytes + 4 + 7) / 8 * 8 - 4;
  buffer->count = buffer->table + table_bytes;
  memset(buffer->bytes, 0, buffer->count);
  put32(buffer, 0, buffer->table);
  put16(buffer, list, list_bytes);
  put16(buffer, list + 2, table_bytes);
  put32(buffer, buffer->table, buffer->table - list);
  for (size_t i = 0; i < number_count; i++) put16(buffer, list + 2 + 2 * numbers[i], 4 + 8 * i);
  for (size_t i = 0; i < text_count; i++) put16(buffer, list + 2 + 2 * texts[i], 4 + 8 * number_count + 4 * i);
}

int flatbuffer_text(flatbuffer *buffer, size_t number_count, size_t place, const char *text, size_t length) {
  size_t field = buffer->table + 4 + 8 * number_count + 4 * place, padded = (4 + length + 1 + 3) / 4 * 4;
  if (buffer->count + padded > flatbuffer_most_bytes) return -1;
  put32(buffer, field, buffer->count - field);
  // The zero and the padding, before the bytes.
  put32(buffer, buffer->count + padded - 4, 0);
  put32(buffer, buffer->count, length);
  memcpy(buffer->bytes + buffer->count + 4, text, length);
  buffer->count += padded;
  return 0;
}
