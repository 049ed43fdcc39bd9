// The few bytes of flatbuffers that records need: a table whose scalars and texts are found by a list of places.
//
//   0  u32  where the table begins
//   4  u16  bytes of the list of places, u16 bytes of the table, one u16 a property: its place in the table, 0 if none
//   …  i32  of the table: how far before it the list begins; then its values, texts as u32 how far behind they lie
//   …  u32  length of a text, its bytes, a zero, padding to four
#ifndef FLATBUFFER_H
#define FLATBUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { flatbuffer_most_bytes = 1024 };

typedef struct {
  uint8_t bytes[flatbuffer_most_bytes];
  size_t count;
  size_t table;
} flatbuffer;

// Begins a record: numbers of eight bytes and texts, each by its property's number from 1 on, below 16.
void flatbuffer_begin(flatbuffer *buffer, const uint8_t *numbers, size_t number_count, const uint8_t *texts,
                      size_t text_count);
// The value of the number in that place of the list that the record began with.
static inline void flatbuffer_number(flatbuffer *buffer, size_t place, const void *value) {
  memcpy(buffer->bytes + buffer->table + 4 + 8 * place, value, 8);
}
// The text in that place of the list, after all numbers' places. Negative where it does not fit.
int flatbuffer_text(flatbuffer *buffer, size_t number_count, size_t place, const char *text, size_t length);

// Where a property's value lies in a record; NULL where it has none.
static inline const uint8_t *flatbuffer_value(const void *record, unsigned property) {
  const uint8_t *bytes = record;
  uint32_t root;
  int32_t back;
  uint16_t list_bytes, place;
  memcpy(&root, bytes, 4);
  const uint8_t *table = bytes + root;
  memcpy(&back, table, 4);
  const uint8_t *list = table - back;
  memcpy(&list_bytes, list, 2);
  if (2 + 2 * property >= list_bytes) return NULL;
  memcpy(&place, list + 2 + 2 * property, 2);
  return place ? table + place : NULL;
}

static inline double flatbuffer_double(const void *record, unsigned property) {
  double value = 0;
  const uint8_t *place = flatbuffer_value(record, property);
  if (place) memcpy(&value, place, 8);
  return value;
}

static inline int64_t flatbuffer_integer(const void *record, unsigned property) {
  int64_t value = 0;
  const uint8_t *place = flatbuffer_value(record, property);
  if (place) memcpy(&value, place, 8);
  return value;
}

// Empty where the record has none.
static inline const char *flatbuffer_string(const void *record, unsigned property, uint32_t *length) {
  uint32_t distance;
  const uint8_t *place = flatbuffer_value(record, property);
  *length = 0;
  if (!place) return "";
  memcpy(&distance, place, 4);
  memcpy(length, place + distance, 4);
  return (const char *)place + distance + 4;
}

#endif
