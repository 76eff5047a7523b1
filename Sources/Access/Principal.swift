public import EventModel

/// Who is asking.
public enum Principal: Sendable, Equatable {
    case machine(MachineGrant)
    case device(DeviceClaims)
    case admin

    /// `nil` for a machine and the operator.
    public var device: DeviceID? {
        guard case .device(let claims) = self else { return nil }
        return claims.device
    }

    public func may(_ scope: Scope) -> Bool {
        switch self {
        case .admin: true
        case .machine: scope == .postEvents
        case .device: scope == .read
        }
    }
}

/// What a caller may do.
public enum Scope: Sendable {
    /// Post events as the key's own machine.
    case postEvents
    /// See and subscribe to events and sessions.
    case read
    /// Keys, devices and settings.
    case administer
}

/// The machine that events are posted for.
public struct MachineGrant: Sendable, Equatable {
    /// `nil` for the operator, who is not limited.
    public var keyID: Int64?
    public var machine: MachineID
    public var machineName: String

    public init(keyID: Int64?, machine: MachineID, machineName: String) {
        self.keyID = keyID
        self.machine = machine
        self.machineName = machineName
    }
}
