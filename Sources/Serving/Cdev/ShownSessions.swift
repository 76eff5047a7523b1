internal import CdevDialect
internal import EventModel

/// The session that each device showed last, so that a device that connects again gets the dialogs of that session.
struct ShownSessions {
    /// The maximum number of devices. Beyond it, all are forgotten: a device then gets its dialogs when it next opens a
    /// session.
    private static let maximum = 1000

    private var sessions: [DeviceID: String] = [:]

    /// The session whose dialogs the device must get.
    ///
    /// - Parameter device: `nil` for the operator, whose clients are not told apart.
    mutating func session(of device: DeviceID?, after reminder: CdevReminder) -> String? {
        switch reminder {
        case .lastSession: return device.flatMap { sessions[$0] }
        case .session(let id):
            guard let device else { return id }
            if sessions[device] == nil, sessions.count >= ShownSessions.maximum { sessions = [:] }
            sessions[device] = id
            return id
        }
    }
}
