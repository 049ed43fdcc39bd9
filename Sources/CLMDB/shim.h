// What the wrapper uses of the C library comes through this module, so that its Swift sources
// need no platform conditions of their own.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <lmdb.h>

// `errno` is a macro, which Swift does not import from here.
static inline int lastSystemError(void) { return errno; }

// `open` is variadic, which Swift does not import either.
static inline int openFile(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

// The calling thread as a number, never zero; `pthread_t` is a number on some systems and a pointer on others.
static inline uintptr_t currentThread(void) { return (uintptr_t)pthread_self(); }
