public import JSON

/// The methods of the WebSocket protocol, as the API's documents show them.
public struct RPCInterface: Sendable {
    public struct Method: Sendable {
        public var name: String
        public var summary: String
        public var access: RouteAccess
        public var parameters: [QueryParameter]
        public var result: SchemaName

        public init(
            name: String,
            summary: String,
            access: RouteAccess,
            parameters: [QueryParameter],
            result: SchemaName
        ) {
            self.name = name
            self.summary = summary
            self.access = access
            self.parameters = parameters
            self.result = result
        }
    }

    /// OpenRPC, as it is given out.
    public var document: [UInt8]
    public var methods: [Method]
    /// Those that the document has under `components/schemas`.
    public var schemas: [(SchemaName, String)]

    public init(document: [UInt8], methods: [Method], schemas: [(SchemaName, String)]) {
        self.document = document
        self.methods = methods
        self.schemas = schemas
    }
}
