/// Whose push preferences a stored layer holds.
public struct PushScope: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        case `default`
        case device
        case project
        case session
    }

    public var kind: Kind
    /// Id of the device, project or session; empty for the default.
    public var subject: String

    public init(_ kind: Kind, _ subject: String = "") {
        self.kind = kind
        self.subject = subject
    }
}

/// One stored layer of preferences.
public struct PushPreferenceLayer: Sendable, Equatable {
    public var scope: PushScope
    /// A JSON object.
    public var settings: [UInt8]
    public var updatedAt: Timestamp

    public init(scope: PushScope, settings: [UInt8], updatedAt: Timestamp) {
        self.scope = scope
        self.settings = settings
        self.updatedAt = updatedAt
    }
}
