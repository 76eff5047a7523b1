internal import EventModel
internal import Synchronization
internal import WSFanout

/// The position of the last event that was passed to the loop. The loop processes it later, so a client may read an
/// event over REST and subscribe from it before the loop has processed it. Safe from any thread.
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
