package import EventModel
package import JSON

extension Principal {
    /// The caller and its capabilities.
    package static let shape = ObjectShape<Principal>("Me") { it in
        it.member("kind", as: JSONSchema.words("device", "machine", "api_key", "operator")) { principal -> String in
            switch principal.holder {
            case .device: "device"
            case .machine: "machine"
            case .apiKey: "api_key"
            case .admin: "operator"
            }
        }
        it.member("id") { principal -> String? in
            switch principal.holder {
            case .device(let claims, _): String(claims.device.rawValue)
            case .machine(let grant): String(grant.machine.rawValue)
            case .apiKey(let key): String(key.id)
            case .admin: nil
            }
        }
        it.member("name") { principal -> String? in
            switch principal.holder {
            case .device(_, let rights): rights.name
            case .machine(let grant): grant.machineName
            case .apiKey(let key): key.name
            case .admin: nil
            }
        }
        it.member("owner") { principal -> String? in
            if case .device = principal.holder { principal.owner } else { nil }
        }
        it.member("expires_at") { principal -> Timestamp? in
            switch principal.holder {
            case .device(let claims, _): claims.refusedFrom
            case .apiKey(let key): key.expiresAt
            case .machine, .admin: nil
            }
        }
        it.grants { $0.grants }
        it.member("models") { $0.apiKey?.models }
        it.member("daily_budget") { $0.apiKey?.dailyBudget }
        it.member("requests_per_minute") { $0.apiKey?.requestsPerMinute }
        it.member("toolkits") { $0.apiKey?.toolkits }
        it.member("shares") { principal in principal.apiKey.flatMap { $0.shares.isEmpty ? nil : $0.shares } }
    }
}
