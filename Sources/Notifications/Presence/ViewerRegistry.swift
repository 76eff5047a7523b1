package import EventModel
internal import Synchronization

/// Who looks at which session, on all loops of this process. Each loop renews its part once a tick.
package final class ViewerRegistry: Sendable {
    /// What a loop has not renewed for so long is not known any more: then nobody is taken to look.
    static let staleSeconds = 10.0

    private let sightings = Mutex<[ObjectIdentifier: (viewers: [Viewer], at: Timestamp)]>([:])

    package init() {}

    package func keep(_ viewers: [Viewer], of loop: ObjectIdentifier, at now: Timestamp) {
        sightings.withLock { $0[loop] = (viewers, now) }
    }

    func report(now: Timestamp) -> PresenceReport {
        let current = sightings.withLock { $0 }.values
        guard !current.isEmpty, current.allSatisfy({ now.seconds(since: $0.at) < ViewerRegistry.staleSeconds }) else {
            return .unknown
        }
        return .viewers(current.flatMap(\.viewers))
    }
}

package struct Viewer: Sendable, Equatable {
    /// `nil`: a client that is no paired device.
    var device: DeviceID?
    /// The session that it shows; `nil`: another page of the app.
    var sessionID: String?
    var isVisible = true
    var lastInteractionAt: Timestamp

    package init(device: DeviceID?, sessionID: String?, isVisible: Bool = true, lastInteractionAt: Timestamp) {
        self.device = device
        self.sessionID = sessionID
        self.isVisible = isVisible
        self.lastInteractionAt = lastInteractionAt
    }
}

/// Who has the app open.
enum PresenceReport: Sendable, Equatable {
    /// Nothing is known: nobody is taken to be there.
    case unknown
    case viewers([Viewer])
}
