package import API
internal import JSON

extension Feature {
    /// Tools for programs that speak the Model Context Protocol.
    ///
    /// - Parameter routes: those of the other features. Some of them answer the tools.
    /// - Parameter asking: how the tools ask a person.
    /// - Parameter machines: the tools of machines' MCP servers.
    /// - Parameter endpoints: tools at endpoints of their own.
    package static func mcp(
        _ routes: [Route],
        ports: ToolPorts,
        asking: PersonAsking,
        machines: MachineTools,
        endpoints: [ToolEndpoint] = [],
        serverVersion: String
    ) -> Feature {
        var feature = Feature("mcp")
        let reader = ToolReader(ToolCatalog(routes), ports: ports)
        let main = MCPRoutes(reader: reader, asking: asking, machines: machines, serverVersion: serverVersion)
        feature.routes =
            main.routes(at: "/mcp") + main.routes(at: "/mcp/{profile}")
            + endpoints.flatMap { ToolEndpointRoutes(endpoint: $0, base: main).routes }
        feature.schemas = MCPRoutes.schemas
        return feature
    }
}

extension MCPRoutes {
    fileprivate static let schemas: [(SchemaName, String)] = [
        (
            "MCPMessage",
            JSONSchema.object([
                "jsonrpc": JSONSchema.words("2.0"), "method": JSONSchema.text, "id?": id, "params?": JSONSchema.any,
            ])
        ),
        (
            "MCPResponse",
            JSONSchema.object([
                "jsonrpc": JSONSchema.words("2.0"), "id": JSONSchema.nullable(id), "result?": JSONSchema.any,
                "error?": JSONSchema.any,
            ])
        ),
        (
            "MCPRefusal",
            JSONSchema.either([SchemaName("MCPResponse").reference, SchemaName.failure.reference])
        ),
    ]

    private static let id = #"{"type":["string","integer"]}"#
}
