package import EventModel
package import JSON

/// Who did something, in events and answers.
package struct Actor: Sendable, Equatable {
    /// `device`, `machine` or `operator`.
    package let kind: String
    /// The number of the device.
    package let id: String?
    package let name: String?

    package init(_ principal: Principal?) {
        switch principal?.holder {
        case .device(let claims, let rights):
            (kind, id, name) = ("device", String(claims.device.rawValue), rights.name)
        case .machine(let grant): (kind, id, name) = ("machine", nil, grant.machineName)
        case .admin, nil: (kind, id, name) = ("operator", nil, nil)
        }
    }

    package static let shape = ObjectShape<Actor> { it in
        it.member("kind") { $0.kind }
        it.member("id") { $0.id }
        it.member("name") { $0.name }
    }
}
