// A file system of one file, `disk`, on which a loop device and a real file system can be put: every write to it and
// every flush goes to a log in the form of calls.c, from which the disk can be rebuilt that a power cut leaves. Speaks to
// the kernel's FUSE without a library; needs the right to mount.
//
//   cc -O2 -o log-disk log-disk.c
//   ./log-disk <folder> <image> [<log>]
//
// Says `mounted` once it is, and ends with its mount. The image holds the disk's first content, and takes what is written.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <signal.h>
#include <unistd.h>

enum { CREATE = 1, WRITE = 2, FLUSH_BEGUN = 4, FLUSH_ENDED = 5, FLUSH_FOLDER = 10 };
enum { DISK = 2, MAX_WRITE = 1 << 17 };

struct entry {
  uint32_t kind, count;
  uint64_t file;
  int64_t number;
};

static int device, image, log_descriptor = -1;
static uint64_t size;
static int64_t serial;

static void note(uint32_t kind, int64_t number, size_t count, const void *bytes) {
  if (log_descriptor < 0) return;
  struct entry entry = { kind, (uint32_t)count, DISK, number };
  struct iovec parts[] = { { &entry, sizeof entry }, { (void *)bytes, count } };
  if (writev(log_descriptor, parts, 2) != (ssize_t)(sizeof entry + count)) abort();
}

static void note_flush(void) {
  serial++;
  note(FLUSH_BEGUN, serial, 0, NULL);
  note(FLUSH_ENDED, serial, 0, NULL);
}

// What the disk holds in the beginning is safe.
static void note_beginning(void) {
  static char bytes[MAX_WRITE];
  note(CREATE, 0, 4, "disk");
  for (int64_t at = 0; at < (int64_t)size; at += MAX_WRITE) {
    ssize_t count = pread(image, bytes, MAX_WRITE, at);
    if (count > 0) note(WRITE, at, count, bytes);
  }
  note_flush();
  note(FLUSH_FOLDER, 0, 0, "");
}

static void answer(uint64_t unique, int error, const void *bytes, size_t count) {
  struct fuse_out_header header = { sizeof header + (error ? 0 : count), -error, unique };
  struct iovec parts[] = { { &header, sizeof header }, { (void *)bytes, error ? 0 : count } };
  if (writev(device, parts, 2) < 0 && errno != ENOENT) exit(1);
}

static struct fuse_attr attributes(uint64_t node) {
  struct fuse_attr attributes = { .ino = node, .nlink = 1, .blksize = 4096 };
  attributes.mode = node == DISK ? S_IFREG | 0600 : S_IFDIR | 0755;
  if (node == DISK) attributes.size = size, attributes.blocks = size / 512;
  return attributes;
}

static void begin(uint64_t unique, const struct fuse_init_in *asked) {
  struct fuse_init_out init = {
    .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = asked->max_readahead,
    .flags = FUSE_BIG_WRITES, .max_background = 16, .congestion_threshold = 12, .max_write = MAX_WRITE,
  };
  answer(unique, 0, &init, sizeof init);
}

static void look_up(uint64_t unique, const char *name) {
  struct fuse_entry_out found = { .nodeid = DISK, .attr_valid = 3600, .entry_valid = 3600, .attr = attributes(DISK) };
  answer(unique, strcmp(name, "disk") == 0 ? 0 : ENOENT, &found, sizeof found);
}

static void serve_read(uint64_t unique, const struct fuse_read_in *asked) {
  static char bytes[1 << 20];
  size_t count = asked->size < sizeof bytes ? asked->size : sizeof bytes;
  ssize_t got = pread(image, bytes, count, asked->offset);
  answer(unique, got < 0 ? errno : 0, bytes, got < 0 ? 0 : got);
}

static void serve_write(uint64_t unique, const struct fuse_write_in *asked) {
  const char *bytes = (const char *)(asked + 1);
  ssize_t written = pwrite(image, bytes, asked->size, asked->offset);
  if (written > 0) note(WRITE, asked->offset, written, bytes);
  struct fuse_write_out out = { .size = written > 0 ? written : 0 };
  answer(unique, written < 0 ? errno : 0, &out, sizeof out);
}

static void serve(struct fuse_in_header *request) {
  const void *body = request + 1;
  struct fuse_attr_out found = { .attr_valid = 3600, .attr = attributes(request->nodeid) };
  struct fuse_open_out opened = { .fh = request->nodeid };
  struct fuse_statfs_out room = { .st = { .bsize = 4096, .namelen = 255, .frsize = 4096 } };
  switch (request->opcode) {
    case FUSE_INIT: return begin(request->unique, body);
    case FUSE_LOOKUP: return look_up(request->unique, body);
    case FUSE_GETATTR:
    case FUSE_SETATTR: return answer(request->unique, 0, &found, sizeof found);
    case FUSE_OPEN:
    case FUSE_OPENDIR: return answer(request->unique, 0, &opened, sizeof opened);
    case FUSE_READ: return serve_read(request->unique, body);
    case FUSE_WRITE: return serve_write(request->unique, body);
    case FUSE_FSYNC:
      note_flush();
      return answer(request->unique, 0, NULL, 0);
    case FUSE_STATFS: return answer(request->unique, 0, &room, sizeof room);
    case FUSE_READDIR:
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_ACCESS: return answer(request->unique, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET: return;
    case FUSE_MKDIR:
    case FUSE_CREATE:
    case FUSE_MKNOD: return answer(request->unique, EROFS, NULL, 0);
    case FUSE_DESTROY:
      answer(request->unique, 0, NULL, 0);
      exit(0);
    default: return answer(request->unique, ENOSYS, NULL, 0);
  }
}

int main(int count, char **words) {
  if (count < 3) return 64;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  image = open(words[2], O_RDWR | O_CLOEXEC);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (image < 0 || device < 0) return perror(image < 0 ? words[2] : "/dev/fuse"), 1;
  size = lseek(image, 0, SEEK_END);
  if (count > 3) log_descriptor = open(words[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  note_beginning();
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
  if (mount("log-disk", words[1], "fuse.log-disk", 0, options) != 0) return perror("mount"), 1;
  printf("mounted\n");
  fflush(stdout);
  size_t room = sizeof(struct fuse_in_header) + sizeof(struct fuse_write_in) + MAX_WRITE + (1 << 16);
  struct fuse_in_header *request = malloc(room);
  while (1) {
    ssize_t got = read(device, request, room);
    if (got > 0) serve(request);
    else if (errno == ENODEV) return 0;
    else if (errno != EINTR && errno != EAGAIN && errno != ENOENT) return perror("/dev/fuse"), 1;
  }
}
