// Tells ThreadSanitizer of the two edges of Swift's Synchronization.Mutex that it cannot see.
//
// Without contention a Mutex is one atomic operation inlined into the program, which is instrumented. With contention the
// program calls libswiftSynchronization, which is not: there the lock changes hands in the kernel (futex(2), FUTEX_LOCK_PI
// and FUTEX_UNLOCK_PI), so every contended critical section looks like a race with the one before. Preloaded into a
// program under test (LD_PRELOAD), this stands before the two functions, says "acquired" after the one and "released"
// before the other, and hides nothing else. In a program without ThreadSanitizer it only passes on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Synchronization._MutexHandle._lockSlow(UInt32) -> () and _unlockSlow() -> (): part of the library's ABI.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

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
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
    static void *known;
    SWIFT void (*unlock)(SELF) = next(UNLOCK_SLOW, &known);
    if (__tsan_release) __tsan_release(self);
    unlock(self);
}
