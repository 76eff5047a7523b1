package import JSON

/// Who asked for the call of a tool that a prompt is about, if not the session itself.
package struct PromptCaller: Sendable, Equatable {
    /// The name of the principal in the audit log.
    package var principal: String
    /// The name of the device, the API key or the machine.
    package var name: String?

    package init(principal: String, name: String?) {
        (self.principal, self.name) = (principal, name)
    }

    package enum Kind: String, CaseIterable, Sendable {
        case device
        case apiKey = "api_key"
        case machine
        case `operator`
    }

    package var kind: Kind {
        switch principal.prefix(while: { $0 != ":" }) {
        case "device": .device
        case "api_key": .apiKey
        case "key": .machine
        default: .operator
        }
    }

    package static let shape = ObjectShape<PromptCaller> { it in
        it.word("kind") { $0.kind }
        it.member("id") { $0.principal }
        it.member("name") { $0.name }
    }
}
