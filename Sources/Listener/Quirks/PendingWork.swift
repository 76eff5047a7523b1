internal import CLibwebsockets

/// Serves the library's due timers and the connections that hold input. See `Quirk.servesHeldWorkOnlyWhenIdle`. Loop
/// thread only; ended by `cancel`, before the context is destroyed.
///
/// Safe because its owner, `ServiceContext`, keeps the context alive until `cancel`, after which no pointer is used.
@safe final class PendingWork {
    private let context: OpaquePointer
    /// A timer that is never due. It knows the context's list of timers, which nothing else gives away.
    private let anchor: UnsafeMutablePointer<lws_sorted_usec_list_t>

    /// Microseconds: some thirty years.
    private static let farAway: Int64 = 1_000_000_000_000_000

    @unsafe init(_ context: OpaquePointer) {
        unsafe self.context = context
        unsafe anchor = .allocate(capacity: 1)
        unsafe anchor.initialize(to: lws_sorted_usec_list_t())
        unsafe lws_sul_schedule(context, 0, anchor, anchorIsDue, Self.farAway)
    }

    deinit {
        unsafe anchor.deallocate()
    }

    /// To be called after each turn of the loop. The library's timers are as exact as the turns; the tick makes one a
    /// second.
    func serve() {
        unsafe listener_serve_pending(context, anchor)
    }

    func cancel() {
        unsafe lws_sul_cancel(anchor)
    }
}

/// Called by libwebsockets never: the timer is thirty years away.
private func anchorIsDue(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {}
