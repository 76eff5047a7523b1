package import JSON

/// The methods of the WebSocket protocol, for the API's documents.
package struct RPCInterface: Sendable {
    package struct Method: Sendable {
        package var name: String
        package var summary: String
        package var access: RouteAccess
        package var parameters: [QueryParameter]
        package var result: SchemaName

        package init(
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
    package var document: [UInt8]
    package var methods: [Method]
    /// The schemas under `components/schemas` of the document.
    package var schemas: [(SchemaName, String)]

    package init(document: [UInt8], methods: [Method], schemas: [(SchemaName, String)]) {
        self.document = document
        self.methods = methods
        self.schemas = schemas
    }
}
