internal import CLibwebsockets

/// A libev loop (epoll) that libwebsockets' libev plugin hangs its sockets into: what a turn costs depends on the
/// sockets that have something to say, not on all that are open.
///
/// One thread at a time. The context that uses it is destroyed before it.
@safe final class EventLoop {
    let raw: OpaquePointer
    private let timer: UnsafeMutablePointer<ev_timer>
    private(set) var busyPoll: BusyPoll
    /// Monotonic microseconds at which the turn's first events came; 0: none yet.
    fileprivate var eventsCame: Int64 = 0

    /// `owner` is told of the timer by `loopTimerFired`; it must outlive the loop, which holds its bare address.
    init?(owner: NetworkLoop, busyPoll: BusyPoll) {
        guard let loop = unsafe ev_loop_new(listener_loop_flags) else { return nil }
        unsafe raw = loop
        unsafe timer = .allocate(capacity: 1)
        unsafe timer.initialize(to: ev_timer())
        unsafe listener_timer_init(timer, loopTimerFired, Unmanaged.passUnretained(owner).toOpaque())
        self.busyPoll = busyPoll
        unsafe ev_set_userdata(raw, Unmanaged.passUnretained(self).toOpaque())
        unsafe ev_set_invoke_pending_cb(raw, loopEventsCame)
    }

    deinit {
        unsafe ev_timer_stop(raw, timer)
        unsafe ev_loop_destroy(raw)
        unsafe timer.deallocate()
    }

    /// Waits for the next events, polling for as long as `BusyPoll` finds worth it, and handles them.
    ///
    /// It looks once in any case: behind each event the library's plugin has something to do at once, which says
    /// nothing about how soon the next event comes.
    func turn() {
        eventsCame = 0
        let began = lws_now_usecs()
        if busyPoll.longest > 0 {
            repeat {
                _ = unsafe ev_run(raw, Int32(EVRUN_NOWAIT))
                if eventsCame > 0 { return }
            } while lws_now_usecs() - began < busyPoll.window
        }
        _ = unsafe ev_run(raw, Int32(EVRUN_ONCE))
        if eventsCame > 0 { busyPoll.woken(after: eventsCame - began) }
    }

    /// `loopTimerFired` after so many microseconds, once; replaces what was scheduled.
    ///
    /// Not a timer of libwebsockets: its plugin does not move one forward that is started already.
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
