internal import Access
internal import EventModel
internal import PushPolicy
internal import Synchronization
internal import WSFanout

/// Who looks at which session, of all loops of this process. Written by each loop once a tick.
final class ViewerBoard: Sendable {
    /// What a loop has not renewed for so long is not known any more: then nobody is taken to look.
    static let staleSeconds = 10.0

    private struct Sighting {
        var viewers: [Viewer]
        var at: Timestamp
    }

    private let sightings = Mutex<[ObjectIdentifier: Sighting]>([:])

    func keep(_ viewers: [Viewer], of loop: ObjectIdentifier, at now: Timestamp) {
        sightings.withLock { $0[loop] = Sighting(viewers: viewers, at: now) }
    }

    func report(now: Timestamp) -> PresenceReport {
        let current = sightings.withLock { $0 }.values
        guard !current.isEmpty, current.allSatisfy({ now.seconds(since: $0.at) < ViewerBoard.staleSeconds }) else {
            return .unknown
        }
        return .viewers(current.flatMap(\.viewers))
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
