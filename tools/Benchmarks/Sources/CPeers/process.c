#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

void process_ends_with_parent(void) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
}

void process_prints_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

static long pages_in_memory(int descriptor, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
  // A map alone reads nothing.
  void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (map == MAP_FAILED) return -1;
  unsigned char *states = malloc(pages);
  long found = states && mincore(map, bytes, (void *)states) == 0 ? 0 : -1;
  for (size_t i = 0; found >= 0 && i < pages; i++) found += states[i] & 1;
  free(states);
  munmap(map, bytes);
  return found;
}

long process_pages_in_memory(const char *path) {
  struct stat status;
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return -1;
  long found = fstat(descriptor, &status) ? -1 : 0;
  if (!found && status.st_size > 0) found = pages_in_memory(descriptor, (size_t)status.st_size);
  close(descriptor);
  return found;
}
