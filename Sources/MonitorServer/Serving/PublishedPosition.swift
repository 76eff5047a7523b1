internal import EventModel
internal import Synchronization
internal import WSFanout

/// How far the log has been given to the loop, which passes it on in its own time. A client that has read an event by
/// REST may subscribe after it before the loop has come to it. Any thread.
final class PublishedPosition: Sendable {
    private let place = Mutex<StreamPosition?>(nil)

    /// To be called before the loop hears of it.
    func reaches(_ position: StreamPosition) {
        place.withLock { place in
            if let place, place.epoch == position.epoch, place.seq >= position.seq { return }
            place = position
        }
    }

    func extending(_ window: StreamWindow) -> StreamWindow {
        var window = window
        if let place = place.withLock({ $0 }), place.epoch == window.epoch { window.shown = place.seq }
        return window
    }
}
