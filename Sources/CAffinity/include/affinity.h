#pragma once

// sched_setaffinity(2) and sched_getaffinity(2), which sched.h has for GNU sources alone: Swift sees none of it.

// The cores that the main thread of this process may run on, in rising order. Writes up to `capacity` numbers; returns
// how many, or -1 where the system does not tell (more than 1024 cores).
int affinity_of_process(int *cores, int capacity);

// The calling thread, and threads and processes that it starts from now on, run on these cores alone. 0, or errno.
int affinity_keep_to(const int *cores, int count);
