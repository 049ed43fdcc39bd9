// Preloaded into a program, logs in order what it does to files named data.mdb and redo.log: every write with its bytes,
// every truncation, every flush, and how the first gets its place. `Replay` rebuilds from it the disks that a power cut
// could leave.
//
//   cc -O2 -shared -fPIC -o write-log.so write-log.c -ldl
//   LD_PRELOAD=./write-log.so POWER_CUT_LOG=log program
//
// The program marks its own progress by looking for files that do not exist: access("/power-cut/begun/7", F_OK)
// before save 7 is begun, access("/power-cut/saved/7", F_OK) once it has been acknowledged.
//
// With POWER_CUT_FAILING=n in the environment, no flush of data.mdb succeeds once save n was begun, with
// POWER_CUT_FAILING_LOG=n none of redo.log; with POWER_CUT_FULL=n there is no room for what is written to redo.log then.
// With POWER_CUT_STOPPING the process says `stopping`, and stops,
// where it opens a lock.mdb.
//
// Entry: u32 kind, u32 file (0 data.mdb, 1 redo.log), i64 offset (or number), i64 length, then, for a write, the bytes.
// Native byte order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, FLUSH = 2, TRUNCATE = 3, BEGUN = 4, SAVED = 5, RENAME = 6, FLUSH_FOLDER = 7 };
enum { MAX_DESCRIPTORS = 4096 };

struct entry {
  uint32_t kind, file;
  int64_t offset, length;
};

// What is known of each descriptor of the program.
static struct {
  // Of an entry, plus one; zero for other files.
  char number;
  char is_synchronous, is_folder;
  off_t position;
} files[MAX_DESCRIPTORS];

// One entry at a time, also when several threads write.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1;
// Where the last data.mdb got its name, or was opened.
static char folder[4096];

#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, #name)

static int is_logged(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && files[descriptor].number;
}

static int is_folder(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && files[descriptor].is_folder;
}

static const char *const names[] = { "/data.mdb", "/redo.log" };

static int has_end(const char *path, const char *name) {
  size_t length = strlen(path), end = strlen(name);
  return length >= end && strcmp(path + length - end, name) == 0;
}

static int has_name(const char *path, int number) { return has_end(path, names[number]); }

static void remember_folder(const char *data_file) {
  size_t length = strlen(data_file) - strlen(names[0]);
  if (length >= sizeof folder) return;
  memcpy(folder, data_file, length);
  folder[length] = 0;
}

static int open_for_real(const char *path, int flags, mode_t mode) {
  NEXT(open);
  return next(path, flags, mode);
}

// In one piece, for several processes may share the log.
static void write_for_real(const struct entry *entry, const void *bytes) {
  NEXT(writev);
  ssize_t length = bytes ? entry->length : 0;
  struct iovec parts[] = { { (void *)entry, sizeof *entry }, { (void *)bytes, length } };
  if (next(log_descriptor, parts, 2) != (ssize_t)sizeof *entry + length) abort();
}

static void note(uint32_t kind, uint32_t file, int64_t offset, int64_t length, const void *bytes) {
  pthread_mutex_lock(&lock);
  if (log_descriptor < 0) {
    const char *path = getenv("POWER_CUT_LOG");
    if (path) log_descriptor = open_for_real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  if (log_descriptor >= 0) {
    struct entry entry = { kind, file, offset, length };
    write_for_real(&entry, bytes);
  }
  pthread_mutex_unlock(&lock);
}

static void note_write(int descriptor, int64_t offset, int64_t length, const void *bytes) {
  uint32_t file = files[descriptor].number - 1;
  note(WRITE, file, offset, length, bytes);
  if (files[descriptor].is_synchronous) note(FLUSH, file, 0, 0, NULL);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (has_end(path, "/lock.mdb") && getenv("POWER_CUT_STOPPING")) {
    dprintf(STDOUT_FILENO, "stopping\n");
    raise(SIGSTOP);
  }
  int descriptor = open_for_real(path, flags, mode);
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) {
    if (has_name(path, 0)) remember_folder(path);
    files[descriptor].number = has_name(path, 0) ? 1 : has_name(path, 1) ? 2 : 0;
    files[descriptor].is_synchronous = (flags & O_DSYNC) != 0;
    files[descriptor].is_folder = (flags & O_DIRECTORY) != 0 && strcmp(path, folder) == 0;
    files[descriptor].position = 0;
  }
  return descriptor;
}

// The log is opened in its directory.
int openat(int directory, const char *path, int flags, ...) {
  NEXT(openat);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int descriptor = next(directory, path, flags, mode);
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) {
    memset(&files[descriptor], 0, sizeof files[descriptor]);
    if (strcmp(path, "redo.log") == 0) files[descriptor].number = 2;
  }
  return descriptor;
}

int close(int descriptor) {
  NEXT(close);
  if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) files[descriptor].number = files[descriptor].is_folder = 0;
  return next(descriptor);
}

off_t lseek(int descriptor, off_t offset, int whence) {
  NEXT(lseek);
  off_t position = next(descriptor, offset, whence);
  if (is_logged(descriptor)) files[descriptor].position = position;
  return position;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  NEXT(write);
  ssize_t written = next(descriptor, bytes, count);
  if (written > 0 && is_logged(descriptor)) {
    note_write(descriptor, files[descriptor].position, written, bytes);
    files[descriptor].position += written;
  }
  return written;
}

// The last save that was begun.
static long long begun = -1;

// Whether a variable names a save that was begun, and the descriptor is one of the file with this number.
static int must_fail(const char *variable, int descriptor, int number) {
  const char *from = getenv(variable);
  return from && is_logged(descriptor) && files[descriptor].number == number + 1 && begun >= atoll(from);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  NEXT(pwrite);
  if (must_fail("POWER_CUT_FULL", descriptor, 1)) {
    errno = ENOSPC;
    return -1;
  }
  ssize_t written = next(descriptor, bytes, count, offset);
  if (written > 0 && is_logged(descriptor)) note_write(descriptor, offset, written, bytes);
  return written;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  NEXT(writev);
  ssize_t written = next(descriptor, parts, count);
  ssize_t left = is_logged(descriptor) ? written : 0;
  for (int i = 0; i < count && left > 0; i++) {
    ssize_t length = (ssize_t)parts[i].iov_len < left ? (ssize_t)parts[i].iov_len : left;
    note_write(descriptor, files[descriptor].position, length, parts[i].iov_base);
    files[descriptor].position += length;
    left -= length;
  }
  return written;
}

int ftruncate(int descriptor, off_t length) {
  NEXT(ftruncate);
  int code = next(descriptor, length);
  if (code == 0 && is_logged(descriptor)) note(TRUNCATE, files[descriptor].number - 1, length, 0, NULL);
  return code;
}

int fsync(int descriptor) {
  NEXT(fsync);
  int code = next(descriptor);
  if (code == 0 && is_logged(descriptor)) note(FLUSH, files[descriptor].number - 1, 0, 0, NULL);
  if (code == 0 && is_folder(descriptor)) note(FLUSH_FOLDER, 0, 0, 0, NULL);
  return code;
}

int rename(const char *from, const char *to) {
  NEXT(rename);
  int code = next(from, to);
  if (code == 0 && has_name(to, 0)) {
    remember_folder(to);
    note(RENAME, 0, 0, 0, NULL);
  }
  return code;
}

int fdatasync(int descriptor) {
  NEXT(fdatasync);
  if (must_fail("POWER_CUT_FAILING", descriptor, 0) || must_fail("POWER_CUT_FAILING_LOG", descriptor, 1)) {
    errno = EIO;
    return -1;
  }
  int code = next(descriptor);
  if (code == 0 && is_logged(descriptor)) note(FLUSH, files[descriptor].number - 1, 0, 0, NULL);
  return code;
}

int access(const char *path, int mode) {
  NEXT(access);
  if (strncmp(path, "/power-cut/begun/", 17) == 0) begun = atoll(path + 17);
  if (strncmp(path, "/power-cut/begun/", 17) == 0) note(BEGUN, 0, atoll(path + 17), 0, NULL);
  if (strncmp(path, "/power-cut/saved/", 17) == 0) note(SAVED, 0, atoll(path + 17), 0, NULL);
  return next(path, mode);
}
