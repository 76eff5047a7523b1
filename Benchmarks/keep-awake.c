// usage: keep-awake CORE
//
// Runs on that core whenever nothing else wants to (SCHED_IDLE), so that it never sleeps: in a virtual machine waking it
// is the host's work, and takes as long as the host likes. Ends with whoever started it.

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    pid_t starter = getppid();
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &cores);
    const struct sched_param none = {0};
    if (sched_setaffinity(0, sizeof cores, &cores) || sched_setscheduler(0, SCHED_IDLE, &none)) {
        perror("keep-awake");
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != starter) return 0;
    for (;;) {
    }
}
