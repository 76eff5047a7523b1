package import EventModel
internal import Synchronization

/// The sessions that the clients of this process show. The loop updates it at each tick.
package final class ViewerRegistry: Sendable {
    /// Seconds after which an entry that the loop has not renewed is ignored.
    static let staleSeconds = 10.0

    private let latest = Mutex<(viewers: [Viewer], at: Timestamp)?>(nil)

    package init() {}

    package func keep(_ viewers: [Viewer], at now: Timestamp) {
        latest.withLock { $0 = (viewers, now) }
    }

    func report(now: Timestamp) -> PresenceReport {
        guard let (viewers, at) = latest.withLock({ $0 }), now.seconds(since: at) < ViewerRegistry.staleSeconds else {
            return .unknown
        }
        return .viewers(viewers)
    }
}

package struct Viewer: Sendable, Equatable {
    /// `nil` if the client is not a paired device.
    var device: DeviceID?
    /// The session that it shows; `nil` for another page of the app.
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

/// The clients that are in use.
enum PresenceReport: Sendable, Equatable {
    /// Nothing is known, so no person is assumed to be present.
    case unknown
    case viewers([Viewer])
}
