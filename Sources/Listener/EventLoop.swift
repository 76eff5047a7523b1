internal import CLibwebsockets

/// A libev loop (epoll) that libwebsockets' libev plugin adds its sockets to. The cost of a turn depends on the sockets
/// with events, not on all that are open.
///
/// Used by one thread at a time. The context that uses the loop must be destroyed first.
///
/// Safe because loop and timer are freed only in `deinit`, and `ServiceContext` is destroyed before it.
@safe final class EventLoop {
    let raw: OpaquePointer
    private let timer: UnsafeMutablePointer<ev_timer>

    /// The timer calls `owner.timerFired`. `owner` must outlive the loop, which holds its bare address.
    init?(owner: NetworkLoop) {
        guard let loop = unsafe ev_loop_new(listener_loop_flags) else { return nil }
        unsafe raw = loop
        unsafe timer = .allocate(capacity: 1)
        unsafe timer.initialize(to: ev_timer())
        unsafe listener_timer_init(timer, loopTimerFired, Unmanaged.passUnretained(owner).toOpaque())
    }

    deinit {
        unsafe ev_timer_stop(raw, timer)
        unsafe ev_loop_destroy(raw)
        unsafe timer.deallocate()
    }

    /// Waits for the next events and handles them.
    func turn() {
        _ = unsafe ev_run(raw, Int32(EVRUN_ONCE))
    }

    /// Calls `loopTimerFired` once, after the given number of microseconds. Replaces an earlier schedule.
    ///
    /// Does not use a timer of libwebsockets: see `Quirk.doesNotMoveTimersForward`.
    func schedule(after microseconds: Int64) {
        unsafe listener_timer_start(raw, timer, Double(microseconds) / 1_000_000)
    }
}

/// Called by libev on the serving thread when the loop's timer is due. The timer's data is the `NetworkLoop`, which
/// outlives it.
private func loopTimerFired(_ loop: OpaquePointer?, _ timer: UnsafeMutablePointer<ev_timer>?, _ events: Int32) {
    guard let owner = unsafe timer?.pointee.data else { return }
    let loop = unsafe Unmanaged<NetworkLoop>.fromOpaque(owner).takeUnretainedValue()
    loop.assumeIsolated { $0.timerFired() }
}
