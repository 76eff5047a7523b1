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
    /// Clients that have said which session they show. When a person last did something is when the client last asked
    /// for something.
    var viewers: [Viewer] {
        hub.viewers.map { link, sessionID in
            Viewer(
                device: deviceLinks[link]?.device,
                sessionID: sessionID,
                lastInteractionAt: lastAsked[link] ?? Timestamp(microseconds: 0)
            )
        }
    }
}
