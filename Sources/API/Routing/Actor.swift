package import JSON

/// Who did something, in events and answers.
package struct Actor: Sendable, Equatable {
    /// `device`, `api_key`, `machine` or `operator`.
    package var kind: String
    /// The number of the device, or `api_key:` or `key:` and the number of the key.
    package var id: String?
    package var name: String?

    package init(kind: String, id: String? = nil, name: String? = nil) {
        (self.kind, self.id, self.name) = (kind, id, name)
    }

    package static let shape = ObjectShape<Actor> { it in
        it.member("kind") { $0.kind }
        it.member("id") { $0.id }
        it.member("name") { $0.name }
    }
}
