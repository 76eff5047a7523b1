internal import EventModel

/// The scope of a stored layer of push preferences.
package struct PushScope: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case `default`
        case device
        case project
        case session
    }

    var kind: Kind
    /// Id of the device, project or session; empty for the default.
    var subject: String

    init(_ kind: Kind, _ subject: String = "") {
        self.kind = kind
        self.subject = subject
    }

    /// The layers that can apply to these devices, projects and sessions.
    static func all(of devices: [DeviceID], _ projects: [String?], _ sessions: [String?]) -> [PushScope] {
        [PushScope(.default)] + Set(devices).map { PushScope(.device, String($0.rawValue)) }
            + Set(projects.compactMap(\.self)).map { PushScope(.project, $0) }
            + Set(sessions.compactMap(\.self)).map { PushScope(.session, $0) }
    }
}

/// One stored layer of preferences.
struct PushPreferenceLayer: Sendable, Equatable {
    var scope: PushScope
    /// A JSON object.
    var settings: [UInt8]
    var updatedAt: Timestamp
}
