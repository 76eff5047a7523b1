#ifndef OPEN_BENEATH_H
#define OPEN_BENEATH_H

/// Opens a path below a directory by openat2(2) with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS. Returns a descriptor, or
/// a negative error number; -ENOSYS where the system has no openat2.
int open_beneath(int directory, const char *path, int flags);

/// Whether a descriptor is of a file in /proc or /sys: 1 or 0, or a negative error number.
int is_of_kernel(int descriptor);

/// O_PATH, which Swift's Glibc module lacks.
extern const int open_path_only;

#endif
