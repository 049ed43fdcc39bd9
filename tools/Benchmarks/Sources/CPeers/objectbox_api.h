// The part of ObjectBox's C interface, 4.0, that the peer uses, declared anew: its library is loaded at run time.
#ifndef OBJECTBOX_API_H
#define OBJECTBOX_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OBX_model OBX_model;
typedef struct OBX_options OBX_options;
typedef struct OBX_store OBX_store;
typedef struct OBX_transaction OBX_transaction;
typedef struct OBX_cursor OBX_cursor;
typedef struct OBX_builder OBX_builder;
typedef struct OBX_query OBX_query;
typedef struct OBX_property_query OBX_property_query;

typedef struct {
  const void *data;
  size_t size;
} OBX_bytes;

typedef struct {
  OBX_bytes *items;
  size_t count;
} OBX_bytes_array;

typedef struct {
  uint64_t *ids;
  size_t count;
} OBX_id_array;

enum { obx_found_nothing = 404 };
enum { obx_long = 6, obx_double = 8, obx_string = 9, obx_date = 10, obx_relation = 11 };
enum { obx_is_id = 1, obx_is_indexed = 8, obx_is_unique = 32, obx_is_hashed = 2048 };

// Name, result, parameters of each function.
#define OBJECTBOX_FUNCTIONS(f)                                                                          \
  f(version, void, (int *, int *, int *))                                                               \
  f(last_error_message, const char *, (void))                                                           \
  f(model, OBX_model *, (void))                                                                         \
  f(model_entity, int, (OBX_model *, const char *, uint32_t, uint64_t))                                 \
  f(model_property, int, (OBX_model *, const char *, int, uint32_t, uint64_t))                          \
  f(model_property_flags, int, (OBX_model *, int))                                                      \
  f(model_property_index_id, int, (OBX_model *, uint32_t, uint64_t))                                    \
  f(model_property_relation, int, (OBX_model *, const char *, uint32_t, uint64_t))                      \
  f(model_entity_last_property_id, int, (OBX_model *, uint32_t, uint64_t))                              \
  f(model_last_entity_id, void, (OBX_model *, uint32_t, uint64_t))                                      \
  f(model_last_index_id, void, (OBX_model *, uint32_t, uint64_t))                                       \
  f(opt, OBX_options *, (void))                                                                         \
  f(opt_directory, int, (OBX_options *, const char *))                                                  \
  f(opt_max_db_size_in_kb, void, (OBX_options *, uint64_t))                                             \
  f(opt_model, int, (OBX_options *, OBX_model *))                                                       \
  f(store_open, OBX_store *, (OBX_options *))                                                           \
  f(store_close, int, (OBX_store *))                                                                    \
  f(txn_read, OBX_transaction *, (OBX_store *))                                                         \
  f(txn_write, OBX_transaction *, (OBX_store *))                                                        \
  f(txn_success, int, (OBX_transaction *))                                                              \
  f(txn_close, int, (OBX_transaction *))                                                                \
  f(cursor, OBX_cursor *, (OBX_transaction *, uint32_t))                                                \
  f(cursor_close, int, (OBX_cursor *))                                                                  \
  f(cursor_id_for_put, uint64_t, (OBX_cursor *, uint64_t))                                              \
  f(cursor_put, int, (OBX_cursor *, uint64_t, const void *, size_t))                                    \
  f(cursor_put_new, int, (OBX_cursor *, uint64_t, const void *, size_t))                                \
  f(cursor_first, int, (OBX_cursor *, const void **, size_t *))                                         \
  f(cursor_next, int, (OBX_cursor *, const void **, size_t *))                                          \
  f(cursor_remove, int, (OBX_cursor *, uint64_t))                                                       \
  f(query_builder, OBX_builder *, (OBX_store *, uint32_t))                                              \
  f(qb_equals_string, int, (OBX_builder *, uint32_t, const char *, bool))                               \
  f(qb_equals_int, int, (OBX_builder *, uint32_t, int64_t))                                             \
  f(qb_greater_or_equal_int, int, (OBX_builder *, uint32_t, int64_t))                                   \
  f(qb_greater_than_double, int, (OBX_builder *, uint32_t, double))                                     \
  f(qb_order, int, (OBX_builder *, uint32_t, int))                                                      \
  f(qb_close, int, (OBX_builder *))                                                                     \
  f(query, OBX_query *, (OBX_builder *))                                                                \
  f(query_close, int, (OBX_query *))                                                                    \
  f(query_param_string, int, (OBX_query *, uint32_t, uint32_t, const char *))                           \
  f(query_param_int, int, (OBX_query *, uint32_t, uint32_t, int64_t))                                   \
  f(query_limit, int, (OBX_query *, size_t))                                                            \
  f(query_find, OBX_bytes_array *, (OBX_query *))                                                       \
  f(query_find_first, int, (OBX_query *, const void **, size_t *))                                      \
  f(query_find_ids, OBX_id_array *, (OBX_query *))                                                      \
  f(query_count, int, (OBX_query *, uint64_t *))                                                        \
  f(query_remove, int, (OBX_query *, uint64_t *))                                                       \
  f(query_prop, OBX_property_query *, (OBX_query *, uint32_t))                                          \
  f(query_prop_sum, int, (OBX_property_query *, double *, int64_t *))                                   \
  f(query_prop_close, int, (OBX_property_query *))                                                      \
  f(bytes_array_free, void, (OBX_bytes_array *))                                                        \
  f(id_array_free, void, (OBX_id_array *))

#define OBJECTBOX_POINTER(name, result, parameters) result(*name) parameters;
typedef struct {
  OBJECTBOX_FUNCTIONS(OBJECTBOX_POINTER)
} objectbox_api;

// The functions of the library at this path; NULL after a sentence on standard error. It stays loaded.
const objectbox_api *objectbox_load(const char *library);

#endif
