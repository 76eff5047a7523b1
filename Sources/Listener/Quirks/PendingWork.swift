internal import CLibwebsockets

/// Serves the library's due timers and the connections that hold input. See `Quirk.servesHeldWorkOnlyWhenIdle`. Loop
/// thread only. Call `cancel` before the context is destroyed.
///
/// Safe because its owner, `ServiceContext`, keeps the context alive until `cancel`, after which no pointer is used.
@safe final class PendingWork {
    private let context: OpaquePointer
    /// A timer that is never due. It leads to the context's list of timers, which the library does not expose
    /// otherwise.
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

    /// Call after each turn of the loop. The library's timers are as precise as the turns; the tick causes one turn a
    /// second.
    func serve() {
        unsafe listener_serve_pending(context, anchor)
    }

    func cancel() {
        unsafe lws_sul_cancel(anchor)
    }
}

/// libwebsockets never calls this, because the timer is due in thirty years.
private func anchorIsDue(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {}
