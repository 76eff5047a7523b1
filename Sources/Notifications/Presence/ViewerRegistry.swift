package import EventModel
internal import Synchronization

/// Who looks at which session, on this process. Written by the loop once a tick.
package final class ViewerRegistry: Sendable {
    /// A sighting that the loop has not renewed for so long no longer counts.
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
