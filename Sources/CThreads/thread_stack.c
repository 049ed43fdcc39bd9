// For pthread_getattr_np.
#define _GNU_SOURCE
#include "CThreads.h"

#include <pthread.h>

// 0: nobody has asked yet. UINTPTR_MAX: the system does not say.
static _Thread_local uintptr_t lowest_address;

static uintptr_t find_lowest_address(void) {
#if defined(__APPLE__)
  pthread_t self = pthread_self();
  return (uintptr_t)pthread_get_stackaddr_np(self) - pthread_get_stacksize_np(self);
#elif defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;
  void *lowest = NULL;
  size_t size = 0;
  int code = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return code == 0 && lowest != NULL ? (uintptr_t)lowest : UINTPTR_MAX;
#else
  return UINTPTR_MAX;
#endif
}

size_t tandem_stack_room(void) {
  // Kept: for a process's first thread the C library reads the list of all that is mapped.
  if (lowest_address == 0) lowest_address = find_lowest_address();
  // Stacks grow towards lower addresses on all systems that are asked.
  uintptr_t here = (uintptr_t)&here;
  return here > lowest_address ? here - lowest_address : 0;
}
