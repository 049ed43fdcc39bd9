// What ObjectBox stores: entities and properties by number, as its records and queries name them.
#ifndef OBJECTBOX_MODEL_H
#define OBJECTBOX_MODEL_H

#include "objectbox_api.h"

enum { subscription_entity = 1, purchase_entity = 2, credit_entity = 3 };

enum {
  subscription_number = 1,
  subscription_id,
  subscription_name,
  subscription_amount,
  subscription_frequency,
  subscription_date,
  subscription_category,
  subscription_created,
  subscription_notes,
};

enum { purchase_number = 1, purchase_id, purchase_transaction, purchase_product, purchase_price, purchase_date };

enum { credit_number = 1, credit_ordinal, credit_purchase };

// NULL where it cannot be made. The options that are given it own it.
OBX_model *objectbox_model(const objectbox_api *api);

#endif
