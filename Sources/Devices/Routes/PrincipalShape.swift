package import EventModel
package import JSON

extension Principal {
    /// The caller and its capabilities.
    package static let shape = ObjectShape<Principal>("Me") { it in
        it.member("kind", as: JSONSchema.words("device", "machine", "operator")) { principal -> String in
            switch principal.holder {
            case .device: "device"
            case .machine: "machine"
            case .admin: "operator"
            }
        }
        it.member("id") { principal -> String? in
            switch principal.holder {
            case .device(let claims, _): String(claims.device.rawValue)
            case .machine(let grant): String(grant.machine.rawValue)
            case .admin: nil
            }
        }
        it.member("name") { principal -> String? in
            switch principal.holder {
            case .device(_, let rights): rights.name
            case .machine(let grant): grant.machineName
            case .admin: nil
            }
        }
        it.member("owner") { principal -> String? in
            if case .device = principal.holder { principal.owner } else { nil }
        }
        it.member("expires_at") { principal -> Timestamp? in
            if case .device(let claims, _) = principal.holder { claims.refusedFrom } else { nil }
        }
        it.grants { $0.grants }
    }
}
