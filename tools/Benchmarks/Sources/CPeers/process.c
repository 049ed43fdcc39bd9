// strsep
#define _GNU_SOURCE
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "clock.h"

extern char **environ;

void process_ends_with_parent(void) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
}

void process_prints_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

static int run(const char *program, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  pid_t process;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  int code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!code) code = posix_spawn(&process, program, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code || waitpid(process, &status, 0) != process ? -1 : status;
}

double process_run(const char *program, const char *arguments) {
  enum { most = 16 };
  char *lines = strdup(arguments), *list[most + 2] = {(char *)program}, *rest = lines;
  int count = 1;
  while (lines && rest && count <= most) list[count++] = strsep(&rest, "\n");
  double begin = seconds_now();
  int status = lines && !rest ? run(program, list) : -1;
  double seconds = seconds_now() - begin;
  free(lines);
  return status ? -1 : seconds;
}

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
