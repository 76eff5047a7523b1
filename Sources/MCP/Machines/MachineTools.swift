package import API
package import EventModel
package import HTTPModel
package import JSON

/// A call of a tool that an MCP server of a machine has.
package struct MachineToolCall: Sendable {
    package var name: String
    /// The name is one of the list. Otherwise it may also be one of the REST interface.
    package var isListed: Bool
    /// An object.
    package var arguments: JSONValue
    /// The session whose process makes the call.
    package var session: String?
    package var project: String?
    package var machine: String?
    /// The session that asks, as the caller says.
    package var nearSession: String?
    /// Claude's id of the call that asks.
    package var toolUseID: String?
    /// The tools to which the caller's endpoint is narrowed; `nil` means all.
    package var only: [String]?

    init(listed name: String, _ arguments: JSONValue) {
        (self.name, isListed, self.arguments) = (name, true, arguments)
    }
}

/// A search in the tools of machines.
package struct MachineToolSearch: Sendable, Equatable {
    package var words: String
    /// The name of a machine.
    package var machine: String?
    package var limit: Int
    /// The tools to which the caller's endpoint is narrowed; `nil` means all.
    package var only: [String]?
}

/// The tools of machines' MCP servers, for callers that may run them. A person approves each call.
package struct MachineTools: Sendable {
    private typealias List = @Sendable (Principal, _ only: [String]?) async throws(APIError) -> [[UInt8]]
    private typealias Search = @Sendable (MachineToolSearch, Principal) async throws(APIError) -> [UInt8]
    private typealias Begin = @Sendable (MachineToolCall, Caller) async throws(APIError) -> String?
    private typealias Profile = @Sendable (_ name: String) async throws(APIError) -> [String]
    private typealias Result = @Sendable (_ call: String, _ caller: String) async throws(APIError) -> JSONValue?

    /// Whether the caller may run any tool.
    let mayRun: @Sendable (Principal) -> Bool
    private let lists: List
    private let searches: Search
    private let begins: Begin
    private let results: Result
    private let profiles: Profile
    /// Whether the tool of a call runs; false while a person is asked.
    let isRunning: @Sendable (_ call: String) -> Bool
    /// A client has come back to wait for a call.
    let returned: @Sendable (_ call: String) async -> Void
    /// The client of a call has gone; it may come back. Does not block.
    let left: @Sendable (_ call: String) -> Void

    package init(
        mayRun: @escaping @Sendable (Principal) -> Bool,
        list: @escaping @Sendable (Principal, _ only: [String]?) async throws(APIError) -> [[UInt8]],
        search: @escaping @Sendable (MachineToolSearch, Principal) async throws(APIError) -> [UInt8],
        begin: @escaping @Sendable (MachineToolCall, Caller) async throws(APIError) -> String?,
        result: @escaping @Sendable (_ call: String, _ caller: String) async throws(APIError) -> JSONValue?,
        isRunning: @escaping @Sendable (_ call: String) -> Bool,
        returned: @escaping @Sendable (_ call: String) async -> Void,
        left: @escaping @Sendable (_ call: String) -> Void,
        profile: @escaping @Sendable (_ name: String) async throws(APIError) -> [String]
    ) {
        (self.mayRun, lists, searches, begins, results) = (mayRun, list, search, begin, result)
        (self.isRunning, self.returned, self.left, profiles) = (isRunning, returned, left, profile)
    }

    /// The names of the tools of a profile. Throws 404 if there is none of the name.
    func profile(_ name: String) async throws(APIError) -> [String] { try await profiles(name) }

    /// The tools as JSON, always in the same order.
    ///
    /// - Parameter only: the names to which they are narrowed; `nil` means all.
    package func list(for principal: Principal, only: [String]?) async throws(APIError) -> [[UInt8]] {
        try await lists(principal, only)
    }

    /// The tools that were found, as a JSON object.
    func search(_ search: MachineToolSearch, for principal: Principal) async throws(APIError) -> [UInt8] {
        try await searches(search, principal)
    }

    /// Begins a call, which goes on by itself. Returns its id, or `nil` if a listed name means no tool for the caller.
    func begin(_ call: MachineToolCall, _ caller: Caller) async throws(APIError) -> String? {
        try await begins(call, caller)
    }

    /// Waits for the result: an object with `content`, `structuredContent` and `isError`. Returns `nil` if the task is
    /// cancelled.
    ///
    /// - Parameter caller: whose call it must be, by its name in the audit log.
    func result(of call: String, for caller: String) async throws(APIError) -> JSONValue? {
        try await results(call, caller)
    }
}
