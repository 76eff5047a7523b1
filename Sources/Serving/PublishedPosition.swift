internal import EventModel
internal import Synchronization
internal import WSFanout

/// How far the log has been passed to the loop, which processes it later. A client that has read an event over REST may
/// subscribe from that event before the loop has processed it. Safe from any thread.
final class PublishedPosition: Sendable {
    private let place = Mutex<StreamPosition?>(nil)

    /// Call before the loop receives the events.
    func reaches(_ position: StreamPosition) {
        place.withLock { place in
            if let place, place.epoch == position.epoch, place.seq >= position.seq { return }
            place = position
        }
    }

    func includes(_ position: StreamPosition) -> Bool {
        place.withLock { $0.map { $0.epoch == position.epoch && $0.seq >= position.seq } ?? false }
    }

    func extending(_ window: StreamWindow) -> StreamWindow {
        var window = window
        if let place = place.withLock({ $0 }), place.epoch == window.epoch { window.shown = place.seq }
        return window
    }
}
