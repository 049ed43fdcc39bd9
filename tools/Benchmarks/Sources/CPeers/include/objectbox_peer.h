// ObjectBox beside us, by its C library, which is loaded at run time: the same rows as flatbuffers.
// Every function that can fail returns a negative number or NULL, after a sentence on standard error.
#ifndef OBJECTBOX_PEER_H
#define OBJECTBOX_PEER_H

#include <stddef.h>
#include <stdint.h>

typedef struct objectbox_peer objectbox_peer;

typedef struct {
  unsigned char bytes[16];
} objectbox_uuid;

// What of a subscription has a fixed size. Times are milliseconds, ObjectBox's dates.
typedef struct {
  objectbox_uuid id;
  double amount;
  int64_t next_billing_date;
  int64_t created_at;
} objectbox_numbers;

// A record where it lies in the map, until the scan moves on. Texts end with a zero; the id is 32 hexadecimal digits.
typedef struct {
  const char *_Nonnull id, *_Nonnull name, *_Nonnull frequency, *_Nonnull category, *_Nonnull notes;
  double amount;
  int64_t next_billing_date;
  int64_t created_at;
} objectbox_view;

// A store in a new or existing folder.
objectbox_peer *_Nullable objectbox_open(const char *_Nonnull library, const char *_Nonnull folder);
void objectbox_close(objectbox_peer *_Nonnull peer);

// A write transaction: what is put between the two is durable when the second returns.
int objectbox_begin(objectbox_peer *_Nonnull peer);
int objectbox_commit(objectbox_peer *_Nonnull peer);
int objectbox_put(
  objectbox_peer *_Nonnull peer, const objectbox_numbers *_Nonnull numbers, const char *_Nonnull name,
  const char *_Nonnull frequency, const char *_Nonnull category, const char *_Nonnull notes);
// A purchase with so many credits, which refer to it by its own id.
int objectbox_put_purchase(
  objectbox_peer *_Nonnull peer, const objectbox_uuid *_Nonnull id, const char *_Nonnull transaction_id,
  const char *_Nonnull product_id, const char *_Nonnull price, int64_t date, int credits);

// All records in turn, in a read transaction. `next` is NULL at the end, and where `end` will say that it failed.
int objectbox_scan_begin(objectbox_peer *_Nonnull peer);
const objectbox_view *_Nullable objectbox_scan_next(objectbox_peer *_Nonnull peer);
int objectbox_scan_end(objectbox_peer *_Nonnull peer);
// The sixteen bytes of such an id.
int objectbox_read_id(const char *_Nonnull text, objectbox_uuid *_Nonnull id);

// Seconds for adding up amounts and lengths of names of all records where they lie.
double objectbox_scan(objectbox_peer *_Nonnull peer, double *_Nonnull sum);
// Seconds for adding up the amounts of the records with these ids, each by a prepared query in its own transaction.
double objectbox_fetch(
  objectbox_peer *_Nonnull peer, const objectbox_uuid *_Nonnull ids, size_t count, double *_Nonnull sum);
// Seconds for as many queries: the first hundred of a category from a date on, the two categories in turn. Adds up the
// dates, in milliseconds.
double objectbox_ranges(
  objectbox_peer *_Nonnull peer, const char *_Nonnull category, const char *_Nonnull other,
  const int64_t *_Nonnull dates, size_t count, double *_Nonnull sum);
// Seconds for the number of records whose amount is greater; and for the sum of all amounts.
double objectbox_count(objectbox_peer *_Nonnull peer, double least, double *_Nonnull count);
double objectbox_sum(objectbox_peer *_Nonnull peer, double *_Nonnull sum);
// Seconds for adding one to all amounts in one transaction. The records' bytes are copied before the clock runs.
double objectbox_update(objectbox_peer *_Nonnull peer);
// Seconds for deleting the purchases with these ids and their credits, one by one, in one transaction.
double objectbox_delete_purchases(objectbox_peer *_Nonnull peer, const objectbox_uuid *_Nonnull ids, size_t count);
// How many purchases and how many credits there are; negative where they cannot be counted.
int64_t objectbox_count_purchases(objectbox_peer *_Nonnull peer);
int64_t objectbox_count_credits(objectbox_peer *_Nonnull peer);

#endif
