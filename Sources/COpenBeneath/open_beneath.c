#define _GNU_SOURCE
#include "open_beneath.h"

#include <errno.h>

#ifdef __linux__

#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

// As in <linux/openat2.h>, which older systems lack.
struct how {
  uint64_t flags;
  uint64_t mode;
  uint64_t resolve;
};

enum { no_magic_links = 0x02, beneath = 0x08 };

const int open_path_only = O_PATH;

int is_of_kernel(int descriptor) {
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return -errno;
  return status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC;
}

int open_beneath(int directory, const char *path, int flags) {
  struct how how = {.flags = (uint64_t)(unsigned)flags, .resolve = no_magic_links | beneath};
  long descriptor = syscall(SYS_openat2, directory, path, &how, sizeof how);
  return descriptor < 0 ? -errno : (int)descriptor;
}

#else

const int open_path_only = 0;

int is_of_kernel(int descriptor) {
  (void)descriptor;
  return 0;
}

int open_beneath(int directory, const char *path, int flags) {
  (void)directory, (void)path, (void)flags;
  return -ENOSYS;
}

#endif
