internal import Access
internal import EventModel
internal import PushPolicy
internal import Synchronization
internal import WSFanout

/// Who looks at which session, on this process. Written by the loop once a tick.
final class ViewerBoard: Sendable {
    /// A sighting that the loop has not renewed for so long no longer counts.
    static let staleSeconds = 10.0

    private struct Sighting {
        var viewers: [Viewer]
        var at: Timestamp
    }

    private let latest = Mutex<Sighting?>(nil)

    func keep(_ viewers: [Viewer], at now: Timestamp) {
        latest.withLock { $0 = Sighting(viewers: viewers, at: now) }
    }

    func report(now: Timestamp) -> PresenceReport {
        guard let sighting = latest.withLock({ $0 }), now.seconds(since: sighting.at) < ViewerBoard.staleSeconds else {
            return .unknown
        }
        return .viewers(sighting.viewers)
    }
}

extension LoopHandler {
    /// The hub's clock does not jump, so that an interaction stays as long ago as it was.
    func viewers(now: Timestamp) -> [Viewer] {
        hub.viewers.map { channel, sessionID, idleSeconds in
            Viewer(
                device: deviceChannels[channel]?.device,
                sessionID: sessionID,
                lastInteractionAt: now.adding(seconds: -idleSeconds)
            )
        }
    }
}
