#include "objectbox_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int find(void *library, const char *name, void *place) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "obx_%s", name);
  void *found = dlsym(library, symbol);
  if (!found) fprintf(stderr, "ObjectBox: the library has no function %s\n", symbol);
  // A function's address is no object's in C: its bytes are copied, as POSIX has it.
  memcpy(place, &found, sizeof found);
  return found ? 0 : -1;
}

const objectbox_api *objectbox_load(const char *library) {
  static objectbox_api api;
  static int is_loaded;
  if (is_loaded) return &api;
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "ObjectBox: %s\n", dlerror());
    return NULL;
  }
#define OBJECTBOX_FIND(name, result, parameters) \
  if (find(handle, #name, &api.name)) return NULL;
  OBJECTBOX_FUNCTIONS(OBJECTBOX_FIND)
  int major = 0, minor = 0, patch = 0;
  api.version(&major, &minor, &patch);
  if (major != 4 || minor != 0) {
    fprintf(stderr, "ObjectBox: the library is version %d.%d.%d, the peer is written for 4.0\n", major, minor, patch);
    return NULL;
  }
  is_loaded = 1;
  return &api;
}
