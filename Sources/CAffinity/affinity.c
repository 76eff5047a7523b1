#define _GNU_SOURCE
#include "affinity.h"
#include <errno.h>
#include <sched.h>
#include <unistd.h>

int affinity_of_process(int *cores, int capacity) {
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof(set), &set) != 0) return -1;
    int count = 0;
    for (int core = 0; core < CPU_SETSIZE && count < capacity; core++) {
        if (CPU_ISSET(core, &set)) cores[count++] = core;
    }
    return count;
}

int affinity_keep_to(const int *cores, int count) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int index = 0; index < count; index++) {
        if (cores[index] < 0 || cores[index] >= CPU_SETSIZE) return EINVAL;
        CPU_SET(cores[index], &set);
    }
    return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : errno;
}
