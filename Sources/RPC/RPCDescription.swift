public import EventModel
public import JSON

/// What a method is for, what it takes and what it answers. It stands beside the method: the two change together.
public struct RPCDescription: Sendable {
    public let summary: String
    public let parameters: [RPCParameter]
    public let result: SchemaName
    /// The schemas of the result and of what it holds, unless they are named elsewhere.
    public let definitions: [(SchemaName, String)]
    /// What the sender must be allowed to do.
    public let needs: Capability
    /// Errors of its own, besides those that follow from its parameters and its capability.
    public let errors: [RPCErrorKind]

    /// - Parameter result: a schema that the document has from elsewhere.
    public init(
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as result: SchemaName,
        needs: Capability = .read,
        errors: [RPCErrorKind] = []
    ) {
        self.init(summary, parameters, result, [], needs, errors)
    }

    /// - Parameter shape: of the result; it has a name.
    public init<Value>(
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
        self.summary = summary
        self.parameters = parameters
        self.result = result
        self.definitions = definitions
        self.needs = needs
        self.errors = errors
    }
}

/// An error that methods document, under a name.
public struct RPCErrorKind: Sendable {
    let name: String
    /// The example that the document shows.
    let example: RPCError

    public init(_ name: String, _ example: RPCError) {
        (self.name, self.example) = (name, example)
    }

    public static let invalidRequest = RPCErrorKind("InvalidRequest", .notInitialized())
    public static let invalidParams = RPCErrorKind("InvalidParams", .invalidParameter("name", "is required"))
    public static let internalError = RPCErrorKind(
        "InternalError",
        .internalError("the database refused the request")
    )
    public static let unavailable = RPCErrorKind("Unavailable", .unavailable())
    public static let notAllowed = RPCErrorKind("NotAllowed", .lacking(.administer, .admin, "session/delete"))
}
