// What the wrapper uses of the C library comes through this module, so that its Swift sources
// need no platform conditions of their own.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include <lmdb.h>

// `errno` is a macro, which Swift does not import from here.
static inline int lastSystemError(void) { return errno; }

// `open` is variadic, which Swift does not import either.
static inline int openFile(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// How many bytes the process may give a file; the greatest number where there is no limit, or the system does not say.
static inline int64_t largestFileBytes(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > (rlim_t)INT64_MAX) return INT64_MAX;
  return (int64_t)limit.rlim_cur;
}

// A new file without a name in a directory, open for writing; negative with `errno` where it cannot be made.
static inline int openNamelessFile(const char *directory) {
  char path[4096];
  // A path that was cut would name another directory.
  if (snprintf(path, sizeof path, "%s/.room-XXXXXX", directory) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  // Puts letters and digits in the place of the X.
  int descriptor = mkstemp(path);
  if (descriptor < 0) return descriptor;
  unlink(path);
  // A program that this process starts shall not keep the space.
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

// Locks or unlocks one byte of a file, for this descriptor alone: closing another one of the same file does not drop the
// lock, and the kernel does when its holder dies. `type` is F_RDLCK, F_WRLCK or F_UNLCK. Returns zero or the system's error,
// without waiting.
static inline int lockByte(int descriptor, int64_t byte, short type) {
#if defined(__linux__) && !defined(F_OFD_SETLK)
  // Reserved for GNU sources by <fcntl.h>.
  enum { set = 37 };
#else
  enum { set = F_OFD_SETLK };
#endif
  struct flock range = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
  for (;;) {
    if (fcntl(descriptor, set, &range) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

// Whether another descriptor has a lock on a byte that excludes one of a type, F_RDLCK or F_WRLCK; also for a file that is
// open for reading only.
static inline bool isByteLocked(int descriptor, int64_t byte, short type) {
#if defined(__linux__) && !defined(F_OFD_GETLK)
  enum { get = 36 };
#else
  enum { get = F_OFD_GETLK };
#endif
  struct flock range = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
  return fcntl(descriptor, get, &range) == 0 && range.l_type != F_UNLCK;
}

// Brings a file's bytes to the device itself; on Apple's systems `fsync` leaves them in its memory (man 2 fsync).
static inline int flushFile(int descriptor) {
#if defined(__APPLE__)
  return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : errno;
#else
  return fdatasync(descriptor) == 0 ? 0 : errno;
#endif
}

// Has the disk keep room for the first bytes of a file, whose length and contents stay as they are. Returns zero or the system's
// error; EOPNOTSUPP or ENOSYS where the file system cannot.
static inline int reserveFile(int descriptor, int64_t count) {
#if defined(__linux__)
  // `fallocate` (man 2 fallocate) is declared for GNU sources alone; FALLOC_FL_KEEP_SIZE is 1.
  return syscall(SYS_fallocate, descriptor, 1, (int64_t)0, count) == 0 ? 0 : errno;
#else
  fstore_t room = { .fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = count };
  return fcntl(descriptor, F_PREALLOCATE, &room) == 0 ? 0 : errno;
#endif
}

// Brings the names in a folder to the device: a new file survives a power cut only then. Returns zero or the system's error.
static inline int flushFolder(const char *path) {
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int code = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return code;
}

// Lets two paths of one file system change places in one step. Returns zero or the system's error; EINVAL or ENOSYS where the
// system or the file system cannot.
static inline int exchangePaths(const char *first, const char *second) {
#if defined(__linux__)
  // `renameat2` (man 2 renameat2) is declared for GNU sources alone; RENAME_EXCHANGE is 2.
  return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 2) == 0 ? 0 : errno;
#else
  return renamex_np(first, second, RENAME_SWAP) == 0 ? 0 : errno;
#endif
}

// The path of an open directory, wherever it was moved, with a zero at its end. False where the system does not say.
static inline bool pathOfDirectory(int descriptor, char path[4096]) {
#if defined(__linux__)
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, 4095);
  if (count <= 0 || count == 4095) return false;
  path[count] = 0;
  return true;
#else
  return fcntl(descriptor, F_GETPATH, path) == 0;
#endif
}

// Whether the file system of a path is mounted for reading only.
static inline bool isMountedReadOnly(const char *path) {
  struct statvfs found;
  return statvfs(path, &found) == 0 && (found.f_flag & ST_RDONLY) != 0;
}

// The calling thread as a number, never zero; `pthread_t` is a number on some systems and a pointer on others.
static inline uintptr_t currentThread(void) { return (uintptr_t)pthread_self(); }

// Tells the processor that memory will be read soon, so that its reader need not wait then. Any address may be named.
static inline void anticipate(const void *address) { __builtin_prefetch(address); }

// When a file came into being, in milliseconds since 1970; 0 where the file system does not say, -1 with `errno` on failure.
static inline int64_t creationOfFile(const char *path) {
#if defined(__linux__)
  // `statx` (man 2 statx) is declared for GNU sources alone, so the system is asked without the C library. Its answer has
  // 256 bytes: a mask of what is filled at 0, the time of creation at 80, in seconds and nanoseconds.
  union { uint32_t mask; struct { char other[80]; int64_t seconds; uint32_t nanoseconds; } creation; char all[256]; } found;
  const uint32_t wanted = 0x800;
  if (syscall(SYS_statx, AT_FDCWD, path, 0, wanted, &found) != 0) return errno == ENOSYS ? 0 : -1;
  if (!(found.mask & wanted)) return 0;
  return found.creation.seconds * 1000 + found.creation.nanoseconds / 1000000;
#else
  struct stat found;
  if (stat(path, &found) != 0) return -1;
  return (int64_t)found.st_birthtimespec.tv_sec * 1000 + found.st_birthtimespec.tv_nsec / 1000000;
#endif
}

// The device and number of a file, whose path begins at an open directory or at AT_FDCWD. Returns zero or the system's error.
//
// On Linux a look at a file's times gives its next write a time of its own (multigrain timestamps, since 6.13), and the flush
// after that write brings the inode to the device too. A save looks at the data file before it writes, so it asks for no
// times: on ext4 without a journal they cost it a tenth of its time, measured.
static inline int identifyFile(int directory, const char *path, uint64_t *device, uint64_t *number) {
#if defined(__linux__)
  // As above: a mask at 0, the number at 32, the device's two parts at 136, in `dev_t` as <sys/sysmacros.h> puts them.
  union { uint32_t mask; struct { char other[32]; uint64_t number; char more[96]; uint32_t major, minor; } file; char all[256]; } found;
  const uint32_t wanted = 0x100;
  if (syscall(SYS_statx, directory, path, 0, wanted, &found) == 0 && (found.mask & wanted)) {
    uint64_t major = found.file.major, minor = found.file.minor;
    *number = found.file.number;
    *device = (major & 0xfffff000) << 32 | (major & 0xfff) << 8 | (minor & 0xffffff00) << 12 | (minor & 0xff);
    return 0;
  }
#endif
  // A system that is older than `statx`, or a container that forbids it.
  struct stat status;
  if (fstatat(directory, path, &status, 0) != 0) return errno;
  *number = status.st_ino;
  *device = status.st_dev;
  return 0;
}

// Whether a page of a map needs no reading. True also where the system does not say.
static inline bool isInMemory(const void *page, size_t count) {
#if defined(__linux__)
  unsigned char found[16] = { 1 };
#else
  char found[16] = { 1 };
#endif
  return count > sizeof(found) * 4096 || mincore((void *)page, count, found) != 0 || (found[0] & 1);
}

// Asks the system to begin reading some bytes of a file, without waiting. A wish, so nobody looks whether it failed.
static inline void beginReading(int descriptor, off_t offset, int count) {
#if defined(__linux__)
  posix_fadvise(descriptor, offset, count, POSIX_FADV_WILLNEED);
#else
  struct radvisory wanted = { .ra_offset = offset, .ra_count = count };
  fcntl(descriptor, F_RDADVISE, &wanted);
#endif
}

// The number by which Linux knows the kind of file system that holds a path (man 2 statfs); 0 elsewhere, and on failure.
static inline int64_t numberOfFileSystem(const char *path) {
#if defined(__linux__)
  struct statfs found;
  return statfs(path, &found) == 0 ? (int64_t)found.f_type : 0;
#else
  return 0;
#endif
}
