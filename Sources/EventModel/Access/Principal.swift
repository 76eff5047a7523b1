/// Who is asking, and what they may do.
public struct Principal: Sendable, Equatable {
    public enum Holder: Sendable, Equatable {
        case machine(MachineGrant)
        case device(DeviceClaims, DeviceRights)
        case apiKey(APIKeyGrant)
        case admin
    }

    public let holder: Holder

    public init(_ holder: Holder) {
        self.holder = holder
    }

    public static let admin = Principal(.admin)

    public var grants: Grants {
        switch holder {
        case .machine(let grant): Grants([.post], on: .only([grant.machine]))
        case .device(_, let rights): rights.grants
        case .apiKey(let key): key.grants
        case .admin: .everything
        }
    }

    /// - Parameter machine: the machine concerned; `nil` asks whether the capability is granted on any machine.
    public func may(_ capability: Capability, on machine: MachineID? = nil) -> Bool {
        grants.allow(capability, on: machine)
    }

    /// `nil` unless a device asks.
    public var device: DeviceID? {
        guard case .device(let claims, _) = holder else { return nil }
        return claims.device
    }

    /// `nil` unless a program asks.
    public var apiKey: APIKeyGrant? {
        guard case .apiKey(let key) = holder else { return nil }
        return key
    }

    /// Whether the credential is no person's.
    public var isProgram: Bool { apiKey != nil }

    /// `nil` means the operator, who also owns the machines.
    public var owner: String? {
        guard case .device(_, let rights) = holder else { return nil }
        return rights.owner
    }

    /// The name in the audit log.
    public var auditName: String {
        switch holder {
        case .machine(let grant): grant.keyID.map { "key:\($0)" } ?? "admin"
        case .device(let claims, _): "device:\(claims.device.rawValue)"
        case .apiKey(let key): "api_key:\(key.id)"
        case .admin: "admin"
        }
    }

    /// Returns the message that a capability is missing and how to get it.
    public func lacking(_ capability: Capability, on machine: MachineID? = nil) -> String {
        let isElsewhere = machine != nil && may(capability)
        let what = "This needs the capability '\(capability.rawValue)'" + (isElsewhere ? " on this machine" : "")
        switch (holder, capability) {
        case (.machine, _):
            return what + ". A machine key posts events of its machine: use a device or the admin token."
        case (.apiKey, .post), (.apiKey, .respond), (.apiKey, .administer):
            return what + ", which no API key has."
        case (.apiKey, _):
            return what + ", which this API key was not given: monitorctl apikey create NAME --may LIST"
        case (_, .chat), (_, .tools):
            return what + ", which only API keys have: monitorctl apikey create NAME --may \(capability.rawValue)"
        case (_, .post):
            return what + ", which only machine keys have: monitorctl key create NAME"
        case (.device(let claims, _), _):
            let command = "monitorctl device grant \(claims.device.rawValue) \(capability.rawValue)"
            if isElsewhere {
                return what
                    + ", because the device is restricted to other machines. The operator names all its machines: "
                    + "\(command) --machine NAME --machine NAME. Without --machine, the device gets it on all machines."
            }
            return what + ". The operator grants it: \(command)"
        case (.admin, _):
            return what + "."
        }
    }
}

/// The machine for which events are posted.
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

/// The claims of a valid access token.
public struct DeviceClaims: Sendable, Equatable {
    public var device: DeviceID
    /// The time from which the token is refused, including the leeway.
    public var refusedFrom: Timestamp
    /// The end of WebSockets that a ticket opens, if they outlive the token.
    public var socketsEndAt: Timestamp?

    public init(device: DeviceID, refusedFrom: Timestamp, socketsEndAt: Timestamp? = nil) {
        (self.device, self.refusedFrom, self.socketsEndAt) = (device, refusedFrom, socketsEndAt)
    }
}
