package import API
package import EventModel
package import HTTPModel
package import JSON

/// Tools of another part of the server, at an endpoint of their own. It works as `/mcp`, but has only these tools.
/// Each id in the path has tools of its own.
package struct ToolEndpoint: Sendable {
    /// The result of a call: an object with `content`, `structuredContent` and `isError`.
    package enum Answer: Sendable {
        case result(JSONValue)
        /// The result comes later. The client waits for it, and is told that it must.
        case work(@Sendable () async -> JSONValue)
        /// A call of the registry, by its id, about which a person may be asked.
        case call(String)
    }

    private typealias List = @Sendable (_ id: String, Principal) async throws(APIError) -> [[UInt8]]
    private typealias Call =
        @Sendable (_ id: String, _ tool: String, JSONValue, RouteRequest) async throws(APIError) -> Answer?

    /// The path, with `{id}`, and the capability that its callers need.
    let (path, capability): (String, Capability)
    /// What clients are told of the tools.
    let words: String
    private let lists: List
    private let calls: Call

    package init(
        path: String,
        _ capability: Capability,
        words: String,
        list: @escaping @Sendable (_ id: String, Principal) async throws(APIError) -> [[UInt8]],
        call:
            @escaping @Sendable (_ id: String, _ tool: String, JSONValue, RouteRequest) async throws(APIError) ->
            Answer?
    ) {
        (self.path, self.capability, self.words) = (path, capability, words)
        (lists, calls) = (list, call)
    }

    /// The tools in the protocol's form, always in the same order. Throws 404 for an unknown id.
    package func list(_ id: String, for principal: Principal) async throws(APIError) -> [[UInt8]] {
        try await lists(id, principal)
    }

    /// Returns `nil` if there is no such tool.
    func call(
        _ tool: String,
        _ arguments: JSONValue,
        of id: String,
        _ request: RouteRequest
    ) async throws(APIError) -> Answer? {
        try await calls(id, tool, arguments, request)
    }
}
