// Linked into what runs under ThreadSanitizer: two things that it and Swift 6.3 on Linux do not agree on.
//
// 1. Synchronization.Mutex. Without contention it is one atomic operation inlined into the program, which is
// instrumented. With contention the program calls libswiftSynchronization, which is not: there the lock changes hands in
// the kernel (futex(2), FUTEX_LOCK_PI and FUTEX_UNLOCK_PI), so every contended critical section looks like a race with the
// one before. The two functions below stand before the library's, say "acquired" after the one and "released" before the
// other, and hide nothing.
//
// 2. Accesses to inout arguments. In a function with an opaque or generic inout argument the compiler hands
// __tsan_external_write the address of the type's metadata in place of the argument's: what is reported then is nonsense,
// or a crash. Linked with --wrap, these calls end here. The loads and stores themselves stay instrumented: a race is
// reported as "data race" in place of "Swift access race".
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
