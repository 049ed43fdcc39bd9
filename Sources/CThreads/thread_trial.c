#include "CThreads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

struct trial {
  pthread_mutex_t lock;
  pthread_cond_t end;
  bool is_over;
};

static void *wait_for_end(void *context) {
  struct trial *trial = context;
  pthread_mutex_lock(&trial->lock);
  while (!trial->is_over) pthread_cond_wait(&trial->end, &trial->lock);
  pthread_mutex_unlock(&trial->lock);
  return NULL;
}

int tandem_try_threads(int count) {
  struct trial trial = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  pthread_t threads[64];
  if (count > 64) count = 64;
  int made = 0, code = 0;
  while (made < count && code == 0) {
    code = pthread_create(&threads[made], NULL, wait_for_end, &trial);
    if (code == 0) made++;
  }
  pthread_mutex_lock(&trial.lock);
  trial.is_over = true;
  pthread_cond_broadcast(&trial.end);
  pthread_mutex_unlock(&trial.lock);
  while (made > 0) pthread_join(threads[--made], NULL);
  return code;
}

bool tandem_has_address_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void tandem_share_heap(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}
