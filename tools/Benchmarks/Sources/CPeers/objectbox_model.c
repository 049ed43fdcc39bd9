#include "objectbox_model.h"

typedef struct {
  const char *name;
  int type;
  int flags;
  // 0 without one; else its number.
  uint32_t index;
} property;

enum { unique_text = obx_is_unique | obx_is_hashed };

// UUIDs are texts: bytes have no index. The dates' index is of one attribute, because none is of two.
static const property subscription[] = {
  {"number", obx_long, obx_is_id, 0},
  {"id", obx_string, unique_text, 1},
  {"name", obx_string, 0, 0},
  {"amount", obx_double, 0, 0},
  {"frequency", obx_string, 0, 0},
  {"nextBillingDate", obx_date, obx_is_indexed, 2},
  {"category", obx_string, 0, 0},
  {"createdAt", obx_date, 0, 0},
  {"notes", obx_string, 0, 0},
};

static const property purchase[] = {
  {"number", obx_long, obx_is_id, 0},
  {"id", obx_string, unique_text, 3},
  {"transactionID", obx_string, unique_text, 4},
  {"productID", obx_string, 0, 0},
  {"price", obx_string, 0, 0},
  {"date", obx_date, 0, 0},
};

static const property credit[] = {
  {"number", obx_long, obx_is_id, 0},
  {"ordinal", obx_long, 0, 0},
  {"purchase", obx_relation, obx_is_indexed, 5},
};

enum { last_index = 5 };

// Every thing of a model has a number that the whole model has once.
static uint64_t unique_number(uint32_t entity, uint32_t property) { return 1000 * (uint64_t)entity + property + 1; }

static int add_property(
  const objectbox_api *api, OBX_model *model, uint32_t entity, uint32_t number, const property *property) {
  uint64_t unique = unique_number(entity, number);
  if (api->model_property(model, property->name, property->type, number, unique)) return -1;
  if (property->type == obx_relation)
    return api->model_property_relation(model, "Purchase", property->index, unique + 500);
  if (property->flags && api->model_property_flags(model, property->flags)) return -1;
  return property->index ? api->model_property_index_id(model, property->index, unique + 500) : 0;
}

static int add_entity(
  const objectbox_api *api, OBX_model *model, const char *name, uint32_t entity, const property *properties,
  uint32_t count) {
  if (api->model_entity(model, name, entity, unique_number(entity, 0))) return -1;
  for (uint32_t i = 0; i < count; i++) {
    if (add_property(api, model, entity, i + 1, &properties[i])) return -1;
  }
  return api->model_entity_last_property_id(model, count, unique_number(entity, count));
}

#define ENTITY(name, number, properties) \
  add_entity(api, model, name, number, properties, sizeof properties / sizeof *properties)

OBX_model *objectbox_model(const objectbox_api *api) {
  OBX_model *model = api->model();
  if (!model) return NULL;
  if (ENTITY("Subscription", subscription_entity, subscription) || ENTITY("Purchase", purchase_entity, purchase) ||
      ENTITY("Credit", credit_entity, credit))
    return NULL;
  api->model_last_entity_id(model, credit_entity, unique_number(credit_entity, 0));
  api->model_last_index_id(model, last_index, unique_number(credit_entity, credit_purchase) + 500);
  return model;
}
