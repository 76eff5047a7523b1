// Linked into programs that run under ThreadSanitizer. Corrects two things about which ThreadSanitizer and Swift 6.3 on Linux
// disagree.
//
// 1. Synchronization.Mutex. Without contention, it is one atomic operation that is inlined into the instrumented program. With
// contention, the program calls libswiftSynchronization, which is not instrumented. There the kernel hands the lock over (futex(2),
// FUTEX_LOCK_PI and FUTEX_UNLOCK_PI), so every contended critical section looks like a race with the previous one. The two
// functions below override those of the library, and report "acquired" after locking and "released" before unlocking. They hide no
// race.
//
// 2. Accesses to inout arguments. In a function with an opaque or generic inout argument, the compiler passes the address of the
// type's metadata to __tsan_external_write, instead of the address of the argument. The result is a false report or a crash. The
// programs are linked with --wrap, so these calls end here. The loads and stores stay instrumented: a race is reported as "data
// race" instead of "Swift access race".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Synchronization._MutexHandle._lockSlow(UInt32) -> () and _unlockSlow() -> (): part of the library's ABI.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static void *next(const char *name, void **known) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF) {
    static void *known;
    SWIFT void (*lock)(uint32_t, SELF) = next(LOCK_SLOW, &known);
    lock(thread, self);
    __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
    static void *known;
    SWIFT void (*unlock)(SELF) = next(UNLOCK_SLOW, &known);
    __tsan_release(self);
    unlock(self);
}

void __wrap___tsan_external_write(void *address, void *caller, void *tag) {
    (void)address, (void)caller, (void)tag;
}
