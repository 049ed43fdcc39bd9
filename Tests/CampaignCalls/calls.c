// Preloaded into a program, stands between it and the system wherever it deals with files below one folder: keeps a log
// from which the disk can be rebuilt that a power cut leaves, makes one call fail, or pretends. All by environment
// variables; without them it does nothing.
//
//   cc -O2 -shared -fPIC -o calls.so calls.c -ldl
//
//   CAMPAIGN_FOLDER=<path>   the folder, without symbolic links. Calls on other files are left alone and not counted.
//   CAMPAIGN_LOG=<file>      gets an entry for each change below the folder, of all processes that name it.
//   CAMPAIGN_FAULT=<class> <how> <n> [on | <times>]
//                            the nth call of a class fails, and with `on` all that follow, or so many. Classes: open read write
//                            flush truncate map lock name remove folder look memory. How: an errno by name, `short` (half
//                            of the bytes), `after` (what was asked for happens, then EIO), or `kill` (the process
//                            ends by SIGKILL).
//   CAMPAIGN_REPORT=<file>   gets a line for each call that failed for that, and at the end the counts of all classes.
//   CAMPAIGN_FORGET=<text>   flushes of files and folders whose path ends with it succeed and do nothing, as if the
//                            program had none there: a planted defect.
//   CAMPAIGN_STOP=<text>     the process says `stopping` and stops where it has locked a file for writing whose path ends
//                            with it.
//   CAMPAIGN_CLOCK=<seconds> moves the wall clock, also backwards; the program may change it as it runs.
//   CAMPAIGN_MOUNTS=<file>   is read for /proc/self/mountinfo; the number of the folder's file system then is of no
//                            known kind.
//   CAMPAIGN_ARMED=1         calls count from the beginning: for a program that does not speak to this one.
//   CAMPAIGN_PARENT=<pid>    the process ends with the thread that started it.
//
// The program speaks to it by looking for files that do not exist:
//   access("/campaign/arm", F_OK)          from here on calls count; "/campaign/disarm": until here.
//   access("/campaign/begun/<writer>/<number>", F_OK)   before a save; "/campaign/saved/…" once it was acknowledged.
//
// An entry of the log: u32 kind, u32 count of bytes, u64 file (its inode), i64 number, then the bytes. Native byte order.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
  CREATE = 1, WRITE, TRUNCATE, FLUSH_BEGUN, FLUSH_ENDED, FLUSH_FAILED, RENAME, REMOVE, MAKE_FOLDER, FLUSH_FOLDER,
  BEGUN, SAVED
};
enum { MAX_DESCRIPTORS = 8192 };

struct entry {
  uint32_t kind, count;
  uint64_t file;
  int64_t number;
};

// What is known of each descriptor of the program. The path is below the folder, and owned; null for other files.
static struct {
  char *path;
  uint64_t file;
  char is_folder, is_synchronous;
} files[MAX_DESCRIPTORS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1, report_descriptor = -1;
static char folder[PATH_MAX];
static size_t folder_length;

// The fault: what fails, how, from which call on, and from which no more.
static char fault_class[16], fault_how[16];
static long fault_number, fault_end;
static const char *const classes[] = {
  "open", "read", "write", "flush", "truncate", "map", "lock", "name", "remove", "folder", "look", "memory",
};
enum { CLASS_COUNT = sizeof classes / sizeof classes[0] };
static atomic_long counted[CLASS_COUNT];
static atomic_int is_armed;
static const char *forgotten, *stopping, *mounts;

#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, #name)

// The log and the report are written past all that is below.
static int open_for_log(const char *variable) {
  const char *path = getenv(variable);
  if (!path) return -1;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) abort();
  // Out of the way: the program may count its descriptors, and close low ones.
  int high = (int)syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 512);
  if (high < 0) return descriptor;
  syscall(SYS_close, descriptor);
  return high;
}

__attribute__((constructor)) static void begin(void) {
  const char *parent = getenv("CAMPAIGN_PARENT");
  if (parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != atoi(parent)) _exit(137);
  }
  const char *name = getenv("CAMPAIGN_FOLDER");
  if (!name || strlen(name) >= sizeof folder) return;
  strcpy(folder, name);
  folder_length = strlen(folder);
  log_descriptor = open_for_log("CAMPAIGN_LOG");
  report_descriptor = open_for_log("CAMPAIGN_REPORT");
  forgotten = getenv("CAMPAIGN_FORGET");
  stopping = getenv("CAMPAIGN_STOP");
  mounts = getenv("CAMPAIGN_MOUNTS");
  is_armed = getenv("CAMPAIGN_ARMED") != NULL;
  const char *fault = getenv("CAMPAIGN_FAULT");
  char rest[16] = "";
  if (fault && sscanf(fault, "%15s %15s %ld %15s", fault_class, fault_how, &fault_number, rest) < 3) abort();
  long times = strcmp(rest, "on") == 0 ? LONG_MAX - fault_number : *rest ? atol(rest) : 1;
  fault_end = fault_number + times;
}

// At its end the program says in the report how many calls of each class there were.
__attribute__((destructor)) static void end(void) {
  for (int i = 0; i < CLASS_COUNT && report_descriptor >= 0; i++) {
    char line[64];
    int length = snprintf(line, sizeof line, "count %s %ld\n", classes[i], atomic_load(&counted[i]));
    syscall(SYS_write, report_descriptor, line, length);
  }
}

// MARK: Paths

// The path below the folder, or null.
static const char *below(const char *path) {
  if (!folder_length || !path || strncmp(path, folder, folder_length) != 0) return NULL;
  path += folder_length;
  if (*path && *path != '/') return NULL;
  while (*path == '/') path++;
  return path;
}

static const char *absolute(int directory, const char *path, char *buffer) {
  if (!path || path[0] == '/' || !folder_length) return path;
  char link[64];
  snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return path;
  buffer[length] = 0;
  if (strcmp(path, ".") == 0) return buffer;
  strncat(buffer, "/", PATH_MAX - 1 - strlen(buffer));
  return strncat(buffer, path, PATH_MAX - 1 - strlen(buffer));
}

static int has_end(const char *path, const char *wanted) {
  size_t length = strlen(path), end = wanted ? strlen(wanted) : 0;
  return end > 0 && length >= end && strcmp(path + length - end, wanted) == 0;
}

static int is_ours(int descriptor) {
  return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && files[descriptor].path;
}

static void forget(int descriptor) {
  if (!is_ours(descriptor)) return;
  free(files[descriptor].path);
  files[descriptor].path = NULL;
}

static void remember(int descriptor, const char *path, int flags) {
  if (descriptor < 0 || descriptor >= MAX_DESCRIPTORS) return;
  forget(descriptor);
  if (!path) return;
  struct stat status;
  if (syscall(SYS_fstat, descriptor, &status) != 0) return;
  char *copy = strdup(path);
  size_t length = strlen(copy);
  while (length > 0 && copy[length - 1] == '/') copy[--length] = 0;
  files[descriptor].file = status.st_ino;
  files[descriptor].is_folder = S_ISDIR(status.st_mode);
  files[descriptor].is_synchronous = (flags & O_DSYNC) != 0;
  files[descriptor].path = copy;
}

// MARK: The log

// In one piece, for several processes may share the log.
static void note(uint32_t kind, uint64_t file, int64_t number, size_t count, const void *bytes) {
  if (log_descriptor < 0) return;
  struct entry entry = { kind, (uint32_t)count, file, number };
  struct iovec parts[] = { { &entry, sizeof entry }, { (void *)bytes, count } };
  int before = errno;
  pthread_mutex_lock(&lock);
  if (syscall(SYS_writev, log_descriptor, parts, 2) != (ssize_t)(sizeof entry + count)) abort();
  pthread_mutex_unlock(&lock);
  errno = before;
}

static void note_path(uint32_t kind, uint64_t file, const char *path) { note(kind, file, 0, strlen(path), path); }

static int64_t flush_serial(void) {
  static atomic_int serial;
  return (int64_t)getpid() << 32 | (uint32_t)atomic_fetch_add(&serial, 1);
}

static void note_write(int descriptor, int64_t offset, size_t count, const void *bytes) {
  note(WRITE, files[descriptor].file, offset, count, bytes);
  if (!files[descriptor].is_synchronous) return;
  int64_t serial = flush_serial();
  note(FLUSH_BEGUN, files[descriptor].file, serial, 0, NULL);
  note(FLUSH_ENDED, files[descriptor].file, serial, 0, NULL);
}

// MARK: Faults

static const struct { const char *name; int code; } codes[] = {
  { "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EINTR", EINTR }, { "EDQUOT", EDQUOT }, { "EMFILE", EMFILE },
  { "ENOMEM", ENOMEM }, { "ENOLCK", ENOLCK }, { "EACCES", EACCES }, { "EROFS", EROFS }, { "after", EIO },
};

static int code_of_fault(void) {
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    if (strcmp(codes[i].name, fault_how) == 0) return codes[i].code;
  }
  return EIO;
}

// Counts a call of a class. True if it must fail; errno is set then.
static int fails(const char *class, const char *call, const char *path) {
  if (!is_armed) return 0;
  int index = 0;
  while (strcmp(classes[index], class) != 0) index++;
  long number = atomic_fetch_add(&counted[index], 1) + 1;
  if (strcmp(class, fault_class) != 0) return 0;
  if (number < fault_number || number >= fault_end) return 0;
  if (report_descriptor >= 0) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %ld %s %s\n", class, number, call, path ? path : "");
    syscall(SYS_write, report_descriptor, line, length);
  }
  if (strcmp(fault_how, "kill") == 0) kill(getpid(), SIGKILL);
  errno = code_of_fault();
  return 1;
}

static int is_short(void) { return strcmp(fault_how, "short") == 0; }
static int comes_after(void) { return strcmp(fault_how, "after") == 0; }

// MARK: Opening

static int open_real(int directory, const char *path, int flags, mode_t mode, const char *call) {
  char buffer[PATH_MAX];
  if (mounts && strcmp(path, "/proc/self/mountinfo") == 0) path = mounts;
  const char *ours = below(absolute(directory, path, buffer));
  if (!ours) {
    int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
    forget(descriptor);
    return descriptor;
  }
  // Room is needed where a file is made.
  if (fails("open", call, ours) && (errno != ENOSPC || (flags & O_CREAT))) return -1;
  int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, directory, path, F_OK) != 0;
  int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
  int after = errno;
  remember(descriptor, ours, flags);
  if (is_ours(descriptor)) {
    uint64_t file = files[descriptor].file;
    if (is_new) note_path(CREATE, file, ours);
    if ((flags & O_TRUNC) && !is_new) note(TRUNCATE, file, 0, 0, NULL);
  }
  errno = after;
  return descriptor;
}

#define MODE \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) { MODE return open_real(AT_FDCWD, path, flags, mode, "open"); }
int open64(const char *path, int flags, ...) { MODE return open_real(AT_FDCWD, path, flags | O_LARGEFILE, mode, "open"); }
int openat(int at, const char *path, int flags, ...) { MODE return open_real(at, path, flags, mode, "openat"); }
int openat64(int at, const char *path, int flags, ...) { MODE return open_real(at, path, flags, mode, "openat"); }

int close(int descriptor) {
  forget(descriptor);
  return (int)syscall(SYS_close, descriptor);
}

static void remember_copy(int from, int to) {
  if (!is_ours(from)) return forget(to);
  remember(to, files[from].path, files[from].is_synchronous ? O_DSYNC : 0);
}

int dup(int descriptor) {
  int copy = (int)syscall(SYS_dup, descriptor);
  if (copy >= 0) remember_copy(descriptor, copy);
  return copy;
}

int dup2(int descriptor, int wanted) {
  int copy = (int)syscall(SYS_dup2, descriptor, wanted);
  if (copy >= 0 && descriptor != wanted) remember_copy(descriptor, copy);
  return copy;
}

// MARK: Reading and writing

static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

ssize_t read(int descriptor, void *bytes, size_t count) {
  if (is_ours(descriptor) && fails("read", "read", files[descriptor].path)) {
    if (!is_short()) return -1;
    count = half(count);
  }
  return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  if (is_ours(descriptor) && fails("read", "pread", files[descriptor].path)) {
    if (!is_short()) return -1;
    count = half(count);
  }
  return syscall(SYS_pread64, descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) { return pread(descriptor, bytes, count, offset); }

// `offset`: negative where the descriptor's own position counts.
static ssize_t write_real(int descriptor, const struct iovec *parts, int count, off_t offset, const char *call) {
  struct iovec one;
  int must_fail = 0;
  if (is_ours(descriptor) && fails("write", call, files[descriptor].path)) {
    if (!is_short() && !comes_after()) return -1;
    must_fail = comes_after();
    if (is_short()) {
      one = (struct iovec) { parts[0].iov_base, half(parts[0].iov_len) };
      parts = &one;
      count = 1;
    }
  }
  off_t start = offset;
  if (is_ours(descriptor) && offset < 0) {
    int flags = (int)syscall(SYS_fcntl, descriptor, F_GETFL);
    start = syscall(SYS_lseek, descriptor, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
  }
  ssize_t written = offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                               : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  ssize_t left = is_ours(descriptor) ? written : 0;
  for (int i = 0; i < count && left > 0; i++) {
    size_t length = parts[i].iov_len < (size_t)left ? parts[i].iov_len : (size_t)left;
    if (must_fail) note(WRITE, files[descriptor].file, start, length, parts[i].iov_base);
    else note_write(descriptor, start, length, parts[i].iov_base);
    start += length;
    left -= length;
  }
  if (!must_fail) return written;
  note(FLUSH_FAILED, files[descriptor].file, 0, 0, NULL);
  errno = EIO;
  return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  struct iovec part = { (void *)bytes, count };
  return is_ours(descriptor) ? write_real(descriptor, &part, 1, -1, "write") : syscall(SYS_write, descriptor, bytes, count);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  struct iovec part = { (void *)bytes, count };
  return write_real(descriptor, &part, 1, offset, "pwrite");
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) { return pwrite(descriptor, bytes, count, offset); }
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return write_real(descriptor, parts, count, -1, "writev");
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return write_real(descriptor, parts, count, offset, "pwritev");
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) { return pwritev(descriptor, parts, count, offset); }

int ftruncate(int descriptor, off_t length) {
  if (is_ours(descriptor) && fails("truncate", "ftruncate", files[descriptor].path) && !comes_after()) return -1;
  int code = (int)syscall(SYS_ftruncate, descriptor, length);
  if (code == 0 && is_ours(descriptor)) note(TRUNCATE, files[descriptor].file, length, 0, NULL);
  return code;
}
int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

// MARK: Flushing

static int flush(int descriptor, long number, const char *call) {
  if (!is_ours(descriptor)) return (int)syscall(number, descriptor);
  const char *path = files[descriptor].path;
  if (fails("flush", call, path)) {
    note(FLUSH_FAILED, files[descriptor].file, 0, 0, NULL);
    return -1;
  }
  if (has_end(path, forgotten)) return 0;
  int64_t serial = flush_serial();
  if (!files[descriptor].is_folder) note(FLUSH_BEGUN, files[descriptor].file, serial, 0, NULL);
  int code = (int)syscall(number, descriptor);
  if (code != 0) return code;
  if (files[descriptor].is_folder) note_path(FLUSH_FOLDER, 0, path);
  else note(FLUSH_ENDED, files[descriptor].file, serial, 0, NULL);
  return 0;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync, "fsync"); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync, "fdatasync"); }

// MARK: Maps and locks

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  if (!(flags & MAP_ANONYMOUS) && is_ours(descriptor) && fails("map", "mmap", files[descriptor].path)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  return mmap(address, length, protection, flags, descriptor, offset);
}

static int control(int descriptor, int command, void *argument) {
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
  if (is_lock && is_ours(descriptor) && fails("lock", "fcntl", files[descriptor].path)) return -1;
  int code = (int)syscall(SYS_fcntl, descriptor, command, argument);
  if (is_lock && code == 0 && is_ours(descriptor) && has_end(files[descriptor].path, stopping) &&
      ((struct flock *)argument)->l_type == F_WRLCK) {
    dprintf(STDOUT_FILENO, "stopping\n");
    raise(SIGSTOP);
  }
  if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && code >= 0) remember_copy(descriptor, code);
  return code;
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(descriptor, command, argument);
}

int flock(int descriptor, int operation) {
  if (is_ours(descriptor) && fails("lock", "flock", files[descriptor].path)) return -1;
  return (int)syscall(SYS_flock, descriptor, operation);
}

// MARK: Names

static int rename_real(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  char first[PATH_MAX], second[PATH_MAX];
  const char *ours = below(absolute(from_at, from, first)), *target = below(absolute(to_at, to, second));
  if (ours && target && fails("name", "rename", target) && !comes_after()) return -1;
  int code = (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
  if (code == 0 && ours && target) {
    char both[2 * PATH_MAX];
    int length = snprintf(both, sizeof both, "%s%c%s", ours, 0, target);
    note(RENAME, 0, 0, length, both);
  }
  return code;
}

int rename(const char *from, const char *to) { return rename_real(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_at, const char *from, int to_at, const char *to) { return rename_real(from_at, from, to_at, to, 0); }
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  return rename_real(from_at, from, to_at, to, flags);
}

static int remove_real(int at, const char *path, int flags, const char *call) {
  char buffer[PATH_MAX];
  const char *ours = below(absolute(at, path, buffer));
  if (ours && fails("remove", call, ours)) return -1;
  int code = (int)syscall(SYS_unlinkat, at, path, flags);
  if (code == 0 && ours) note_path(REMOVE, 0, ours);
  return code;
}

int unlink(const char *path) { return remove_real(AT_FDCWD, path, 0, "unlink"); }
int unlinkat(int at, const char *path, int flags) { return remove_real(at, path, flags, "unlinkat"); }
int rmdir(const char *path) { return remove_real(AT_FDCWD, path, AT_REMOVEDIR, "rmdir"); }

static int make_folder(int at, const char *path, mode_t mode) {
  char buffer[PATH_MAX];
  const char *ours = below(absolute(at, path, buffer));
  if (ours && fails("folder", "mkdir", ours)) return -1;
  int code = (int)syscall(SYS_mkdirat, at, path, mode);
  if (code == 0 && ours) note_path(MAKE_FOLDER, 0, ours);
  return code;
}

int mkdir(const char *path, mode_t mode) { return make_folder(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return make_folder(at, path, mode); }

DIR *opendir(const char *path) {
  NEXT(opendir);
  const char *ours = below(path);
  return ours && fails("folder", "opendir", ours) && errno != ENOSPC ? NULL : next(path);
}

// MARK: Looking

static int look(const char *call, const char *path) { return path && fails("look", call, path); }
static const char *path_of(int descriptor) { return is_ours(descriptor) ? files[descriptor].path : NULL; }

int stat(const char *path, struct stat *status) {
  NEXT(stat);
  return look("stat", below(path)) ? -1 : next(path, status);
}
int lstat(const char *path, struct stat *status) {
  NEXT(lstat);
  return look("lstat", below(path)) ? -1 : next(path, status);
}
int fstat(int descriptor, struct stat *status) {
  NEXT(fstat);
  return look("fstat", path_of(descriptor)) ? -1 : next(descriptor, status);
}
int __fxstat(int version, int descriptor, struct stat *status) { (void)version; return fstat(descriptor, status); }
int fstatat(int at, const char *path, struct stat *status, int flags) {
  NEXT(fstatat);
  char buffer[PATH_MAX];
  return look("fstatat", below(absolute(at, path, buffer))) ? -1 : next(at, path, status, flags);
}
int statx(int at, const char *path, int flags, unsigned mask, struct statx *status) {
  NEXT(statx);
  char buffer[PATH_MAX];
  return look("statx", below(absolute(at, path, buffer))) ? -1 : next(at, path, flags, mask, status);
}

int statfs(const char *path, struct statfs *status) {
  NEXT(statfs);
  if (look("statfs", below(path))) return -1;
  int code = next(path, status);
  if (code == 0 && mounts && below(path)) status->f_type = 0x6969;
  return code;
}
int fstatfs(int descriptor, struct statfs *status) {
  NEXT(fstatfs);
  if (look("fstatfs", path_of(descriptor))) return -1;
  int code = next(descriptor, status);
  if (code == 0 && mounts && is_ours(descriptor)) status->f_type = 0x6969;
  return code;
}

static void mark(const char *path) {
  long long writer = 0, number = 0;
  if (strcmp(path, "arm") == 0) is_armed = 1;
  else if (strcmp(path, "disarm") == 0) is_armed = 0;
  else if (sscanf(path, "begun/%lld/%lld", &writer, &number) == 2) note(BEGUN, writer, number, 0, NULL);
  else if (sscanf(path, "saved/%lld/%lld", &writer, &number) == 2) note(SAVED, writer, number, 0, NULL);
}

int access(const char *path, int mode) {
  if (strncmp(path, "/campaign/", 10) == 0) {
    mark(path + 10);
    return 0;
  }
  if (look("access", below(path))) return -1;
  return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

// MARK: Memory that LMDB asks for. The language's own runtime ends the process where it gets none.

static struct { uintptr_t from, to; } lmdb_code;

static int note_lmdb(struct dl_phdr_info *library, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(library->dlpi_name, "liblmdb")) return 0;
  for (int number = 0; number < library->dlpi_phnum; number++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[number];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    lmdb_code.from = library->dlpi_addr + part->p_vaddr;
    lmdb_code.to = lmdb_code.from + part->p_memsz;
  }
  return 1;
}

// The program is linked to it, so it is there from the beginning. Asking `dladdr` each time would walk through all
// symbols of the caller's library.
static void find_lmdb(void) { dl_iterate_phdr(note_lmdb, NULL); }

static int is_for_lmdb(void *caller) {
  if (!is_armed) return 0;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_lmdb);
  uintptr_t place = (uintptr_t)caller;
  return lmdb_code.from <= place && place < lmdb_code.to && fails("memory", "malloc", "");
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t size) { return is_for_lmdb(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return is_for_lmdb(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  return is_for_lmdb(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
int posix_memalign(void **place, size_t alignment, size_t size) {
  NEXT(posix_memalign);
  return is_for_lmdb(__builtin_return_address(0)) ? ENOMEM : next(place, alignment, size);
}

// MARK: Time

static time_t moved(void) {
  const char *seconds = getenv("CAMPAIGN_CLOCK");
  return seconds ? atoll(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int code = (int)syscall(SYS_clock_gettime, clock, time);
  if (code == 0 && folder_length && clock == CLOCK_REALTIME) time->tv_sec += moved();
  return code;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int code = (int)syscall(SYS_gettimeofday, time, zone);
  if (code == 0 && folder_length) time->tv_sec += moved();
  return code;
}
time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}
