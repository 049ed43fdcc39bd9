// O_DSYNC
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "peers.h"

enum { page_bytes = 4096, frame_head_bytes = 24, data_pages = 1 << 14, log_frames = 1 << 12, most_pages = 512 };

struct device_limit {
  int data;
  // Waits for each write, as LMDB's for the meta page.
  int waiting;
  int log;
  int saves;
  // Where the data file ends, in pages.
  off_t end;
  unsigned random;
  char page[most_pages * page_bytes];
};

static int failed(const char *what) {
  perror(what);
  return -1;
}

static int put(int file, const char *bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset) == (ssize_t)count ? 0 : failed("pwrite");
}

// Every page is on the device, so that no later write makes the file longer.
static int fill(device_limit *limit, int file, int pages) {
  for (int i = 0; i < pages; i++) {
    if (put(file, limit->page, page_bytes, (off_t)i * page_bytes)) return -1;
  }
  return fsync(file) ? failed("fsync") : 0;
}

static int make(const char *folder, const char *name, int *waiting) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) return failed(path);
  if (waiting && (*waiting = open(path, O_WRONLY | O_DSYNC)) < 0) file = failed(path);
  // It lasts as long as it is open.
  unlink(path);
  return file;
}

device_limit *device_limit_create(const char *folder) {
  device_limit *limit = calloc(1, sizeof *limit);
  if (!limit) return NULL;
  limit->data = limit->waiting = limit->log = -1;
  limit->random = 1;
  limit->end = data_pages;
  memset(limit->page, 7, sizeof limit->page);
  limit->data = make(folder, "device.data", &limit->waiting);
  limit->log = make(folder, "device.log", NULL);
  if (limit->data < 0 || limit->waiting < 0 || limit->log < 0 || fill(limit, limit->data, data_pages) ||
      fill(limit, limit->log, log_frames + log_frames / 100)) {
    device_limit_close(limit);
    return NULL;
  }
  return limit;
}

// At free places, each stretch by a call of its own, the last one behind the end of a file that grows; flush; the meta
// page.
static int commit(device_limit *limit, int pages, int ranges, int grows) {
  for (int range = 0; range < ranges; range++) {
    int count = pages * (range + 1) / ranges - pages * range / ranges;
    limit->random = limit->random * 1664525 + 1013904223;
    off_t place = 2 + (limit->random >> 8) % (data_pages - 2 - count);
    if (grows && range == ranges - 1) {
      place = limit->end;
      limit->end += count;
    }
    if (put(limit->data, limit->page, (size_t)count * page_bytes, place * page_bytes)) return -1;
  }
  if (fdatasync(limit->data)) return failed("fdatasync");
  return put(limit->waiting, limit->page, 136, (off_t)(limit->saves & 1) * page_bytes + 16);
}

double device_limit_commit(device_limit *limit, int pages, int ranges, int grows, int saves) {
  if (pages < 2 || pages > most_pages || ranges < 2 || ranges > pages) return -1;
  double begin = seconds_now();
  for (int save = 0; save < saves; save++) {
    limit->saves++;
    memset(limit->page, limit->saves, 64);
    if (commit(limit, pages - 1, ranges - 1, grows)) return -1;
  }
  return seconds_now() - begin;
}

double device_limit_append(device_limit *limit, int frames, int saves) {
  size_t count = page_bytes + frame_head_bytes;
  double begin = seconds_now();
  for (int save = 0; save < saves; save++) {
    limit->saves++;
    memset(limit->page, limit->saves, 64);
    for (int i = 0; i < frames; i++) {
      off_t place = (off_t)(((size_t)limit->saves * frames + i) % log_frames * count);
      if (put(limit->log, limit->page, count, place)) return -1;
    }
    if (fdatasync(limit->log)) return failed("fdatasync");
  }
  return seconds_now() - begin;
}

void device_limit_close(device_limit *limit) {
  if (limit->data >= 0) close(limit->data);
  if (limit->waiting >= 0) close(limit->waiting);
  if (limit->log >= 0) close(limit->log);
  free(limit);
}
