// What does a small durable save cost before a store has computed anything: a record flushed in a log, and the pages
// of LMDB's trees that each save writes anew and every 64th brings to the device?
//
//   cc -O2 -o flushes flushes.c && ./flushes [directory] [pages]
//
// Rounds of 256 saves of each kind, in turn; prints the medians of the rounds.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { page_bytes = 4096, record_bytes = 1080, saves = 256, rounds = 9, data_pages = 1 << 14, saves_a_checkpoint = 64 };

static char page[page_bytes];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void put(int file, size_t count, off_t offset) {
  if (pwrite(file, page, count, offset) != (ssize_t)count) fail("pwrite");
}

static void flush(int file) {
  if (fdatasync(file) != 0) fail("fdatasync");
}

static int filled(const char *directory, const char *name, int pages) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0) fail(path);
  // It lasts as long as it is open.
  unlink(path);
  for (int i = 0; i < pages; i++) put(file, page_bytes, (off_t)i * page_bytes);
  if (fsync(file) != 0) fail("fsync");
  return file;
}

enum kind { log_only, log_of_pages, pages_apart, pages_in_a_row, kinds };
static const char *names[] = {
    "a record in the log (us a save)", "five pages in the log (us a save)",
    "a record in the log, and pages that lie apart (us a save)", "a record in the log, and pages in a row (us a save)"};

static double run(enum kind kind, int log, int data, int pages) {
  static unsigned random = 1;
  static int next = 0;
  double start = now();
  for (int save = 0; save < saves; save++) {
    memset(page, save, 64);
    if (kind == log_of_pages) {
      for (int i = 0; i < 5; i++) put(log, page_bytes, (off_t)(save * 5 + i) * page_bytes);
    } else {
      put(log, record_bytes, (off_t)save * page_bytes);
    }
    flush(log);
    for (int i = 0; i < pages && kind >= pages_apart; i++) {
      random = random * 1664525 + 1013904223;
      next = (next + 1) % data_pages;
      put(data, page_bytes, (off_t)(kind == pages_apart ? (int)(random >> 18) : next) * page_bytes);
    }
    if (kind >= pages_apart && save % saves_a_checkpoint == saves_a_checkpoint - 1) flush(data);
  }
  return (now() - start) / saves;
}

static int rising(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  const char *directory = count > 1 ? arguments[1] : ".";
  int pages = count > 2 ? atoi(arguments[2]) : 20;
  memset(page, 7, sizeof page);
  int log = filled(directory, "flushes.log", saves * 5), data = filled(directory, "flushes.data", data_pages);
  double times[kinds][rounds];
  for (int round = 0; round < rounds; round++) {
    for (int kind = 0; kind < kinds; kind++) times[kind][round] = run(kind, log, data, pages);
  }
  for (int kind = 0; kind < kinds; kind++) {
    qsort(times[kind], rounds, sizeof(double), rising);
    printf("%-60s %6.0f\n", names[kind], times[kind][rounds / 2]);
  }
}
