import Dispatch
import Glibc

/// A counting semaphore whose timeouts use the monotonic clock. On Linux the timeouts of DispatchSemaphore use the
/// wall clock (sem_timedwait(3)): if it is set back by an hour, a wait of a millisecond takes an hour.
///
/// Safe because mutex and condition are private, never move, and are freed only in `deinit`.
/// `@unchecked Sendable` because `count` is read and written only while the mutex is held.
@safe final class MonotonicSemaphore: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var count = 0

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deinitialize(count: 1)
        unsafe condition.deallocate()
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
    }

    /// Lets one waiter continue. Wakes all waiters, because pthread_cond_signal(3) may wake none (glibc bug 25847,
    /// before 2.41).
    func signal() {
        unsafe pthread_mutex_lock(mutex)
        count += 1
        unsafe pthread_mutex_unlock(mutex)
        // After the lock is released, so that the waiter need not wait for it.
        unsafe pthread_cond_broadcast(condition)
    }

    /// Returns false if the deadline has passed. Without a deadline, waits without limit.
    func wait(until deadline: Deadline?) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == 0 {
            if var time = deadline?.time {
                guard unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else { break }
            } else {
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }

    /// A time of the monotonic clock.
    struct Deadline {
        fileprivate var time = timespec()

        init(milliseconds: Int) {
            let nanoseconds = (DispatchTime.now() + .milliseconds(max(0, milliseconds))).uptimeNanoseconds
            time.tv_sec = Int(nanoseconds / 1_000_000_000)
            time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
    }
}
