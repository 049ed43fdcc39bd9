#ifndef CLOCK_H
#define CLOCK_H
#include <time.h>

static inline double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}
#endif
