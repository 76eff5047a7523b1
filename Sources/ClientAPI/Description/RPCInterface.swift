public import JSON

/// The methods of the WebSocket protocol, for the API's documents.
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

    /// The OpenRPC document as served.
    public var document: [UInt8]
    public var methods: [Method]
    /// The schemas under `components/schemas` of the document.
    public var schemas: [(SchemaName, String)]

    public init(document: [UInt8], methods: [Method], schemas: [(SchemaName, String)]) {
        self.document = document
        self.methods = methods
        self.schemas = schemas
    }
}
