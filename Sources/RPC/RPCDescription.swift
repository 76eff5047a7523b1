package import EventModel
package import JSON

/// Describes a method: its purpose, parameters and result. It is written next to the method, so both change together.
package struct RPCDescription: Sendable {
    package let summary: String
    package let parameters: [RPCParameter]
    package let result: SchemaName
    /// The schemas of the result and of its parts, unless they are defined elsewhere.
    package let definitions: [(SchemaName, String)]
    /// The capability that the sender needs.
    package let needs: Capability
    /// A smaller capability that suffices too. The method itself checks it for the machine in question.
    package var orNeeds: Capability?
    /// The method's own errors, in addition to those that follow from its parameters and its capability.
    package let errors: [RPCErrorKind]

    /// - Parameter result: a schema that the document defines elsewhere.
    package init(
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as result: SchemaName,
        needs: Capability = .read,
        errors: [RPCErrorKind] = []
    ) {
        self.init(summary, parameters, result, [], needs, errors)
    }

    /// - Parameter shape: the shape of the result. It must have a name.
    package init<Value>(
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as shape: ObjectShape<Value>,
        needs: Capability = .read,
        errors: [RPCErrorKind] = []
    ) {
        guard let name = shape.name else { preconditionFailure("the shape of a result has no name") }
        self.init(summary, parameters, name, shape.definitions, needs, errors)
    }

    private init(
        _ summary: String,
        _ parameters: [RPCParameter],
        _ result: SchemaName,
        _ definitions: [(SchemaName, String)],
        _ needs: Capability,
        _ errors: [RPCErrorKind]
    ) {
        (self.summary, self.parameters, self.result) = (summary, parameters, result)
        (self.definitions, self.needs, self.errors) = (definitions, needs, errors)
    }
}

extension RPCDescription {
    /// Whether the principal has a capability that suffices, on some machine at least.
    package func isAllowed(to principal: Principal) -> Bool {
        principal.may(needs) || orNeeds.map { principal.may($0) } ?? false
    }
}

/// A named error that the descriptions of methods refer to.
package struct RPCErrorKind: Sendable {
    let name: String
    /// The example in the document.
    let example: RPCError

    package init(_ name: String, _ example: RPCError) {
        (self.name, self.example) = (name, example)
    }

    package static let invalidRequest = RPCErrorKind("InvalidRequest", .notInitialized())
    package static let invalidParams = RPCErrorKind("InvalidParams", .invalidParameter("name", "is required"))
    package static let internalError = RPCErrorKind(
        "InternalError",
        .internalError("the database refused the request")
    )
    package static let unavailable = RPCErrorKind("Unavailable", .unavailable())
    package static let notAllowed = RPCErrorKind("NotAllowed", .lacking(.administer, .admin, "session/delete"))
}
