internal import CLibwebsockets

/// A libev loop (epoll) that libwebsockets' libev plugin adds its sockets to. The cost of a turn depends on the sockets
/// with events, not on all that are open.
///
/// One thread at a time. The context that uses it must be destroyed first.
@safe final class EventLoop {
    let raw: OpaquePointer
    private let timer: UnsafeMutablePointer<ev_timer>
    /// Monotonic microseconds at which the turn's first events came; 0: none yet.
    fileprivate var eventsCame: Int64 = 0

    /// The timer calls `owner.timerFired`. `owner` must outlive the loop, which holds its bare address.
    init?(owner: NetworkLoop) {
        guard let loop = unsafe ev_loop_new(listener_loop_flags) else { return nil }
        unsafe raw = loop
        unsafe timer = .allocate(capacity: 1)
        unsafe timer.initialize(to: ev_timer())
        unsafe listener_timer_init(timer, loopTimerFired, Unmanaged.passUnretained(owner).toOpaque())
        unsafe ev_set_userdata(raw, Unmanaged.passUnretained(self).toOpaque())
        unsafe ev_set_invoke_pending_cb(raw, loopEventsCame)
    }

    deinit {
        unsafe ev_timer_stop(raw, timer)
        unsafe ev_loop_destroy(raw)
        unsafe timer.deallocate()
    }

    /// Handles the events that are there. False: there were none.
    func look() -> Bool {
        eventsCame = 0
        _ = unsafe ev_run(raw, Int32(EVRUN_NOWAIT))
        return eventsCame > 0
    }

    /// Waits for the next events and handles them. Returns when they came, in monotonic microseconds; nil: the wait
    /// ended without one.
    func wait() -> Int64? {
        eventsCame = 0
        _ = unsafe ev_run(raw, Int32(EVRUN_ONCE))
        return eventsCame > 0 ? eventsCame : nil
    }

    /// Calls `loopTimerFired` once, after so many microseconds. Replaces what was scheduled.
    ///
    /// Not a timer of libwebsockets: see `Quirk.doesNotMoveTimersForward`.
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

/// Called by libev on the serving thread when it has looked for events, before they are handled. The loop's user data
/// is the `EventLoop`, which lives as long as the loop.
private func loopEventsCame(_ loop: OpaquePointer?) {
    if unsafe ev_pending_count(loop) > 0, let owner = unsafe ev_userdata(loop) {
        let owner = unsafe Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue()
        if owner.eventsCame == 0 { owner.eventsCame = lws_now_usecs() }
    }
    unsafe ev_invoke_pending(loop)
}
