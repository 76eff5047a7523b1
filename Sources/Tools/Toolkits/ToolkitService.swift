package import API
package import EventModel
package import HTTPModel
package import JSON
internal import Persistence

/// The registry and its calls for the tool router. May be used on any thread.
package struct ToolkitService: Sendable {
    /// Seconds in which a machine can approve a call by its file. After that, the answer says that a person is asked.
    private static let graceSeconds = 1.0
    /// The most tools that a search finds before the conditions of a session are applied.
    private static let mostFound = 1000
    /// Longer than a tool may run.
    private static let longest = 660.0

    let calls: ToolCallService

    package init(_ calls: ToolCallService) { self.calls = calls }

    package func mayRun(_ principal: Principal) -> Bool { calls.ports.reach(of: principal) != nil }

    /// The toolkits of the filter that the caller may use, by their slugs in order.
    ///
    /// - Parameter slugs: only these; `nil` means all.
    package func toolkits(
        _ filter: ToolkitFilter,
        _ slugs: [String]? = nil,
        for principal: Principal
    ) async throws(APIError) -> [Toolkit] {
        guard let reach = calls.ports.reach(of: principal) else { return [] }
        let found = try await calls.database.use { store throws(PersistenceError) in
            try await store.toolkits(reach, filter.toolkits, without: filter.withoutToolkits)
        }
        return slugs.map { slugs in found.filter { slugs.contains($0.slug) } } ?? found
    }

    /// A page of the tools that the caller may run. With words, the best come first, else they are sorted by slug.
    package func tools(
        _ filter: ToolkitFilter,
        words: String? = nil,
        limit: Int,
        offset: Int = 0,
        for principal: Principal
    ) async throws(APIError) -> (tools: [ToolkitTool], total: Int64) {
        guard let reach = calls.ports.reach(of: principal) else { return ([], 0) }
        let found = try await find(words, reach)
        return try await calls.database.use { store throws(PersistenceError) in
            try await store.toolkitTools(filter, reach, found, limit: limit, offset: offset)
        }
    }

    /// The tools that fit words, the best first; `nil` without words.
    private func find(_ words: String?, _ reach: ToolReach) async throws(APIError) -> [ToolKey]? {
        guard let words else { return nil }
        var query = ToolQuery(words, limit: ToolkitService.mostFound)
        (query.machines, query.serverNames, query.isReadyOnly) = (reach.machines, reach.servers, true)
        return try await calls.registry.finder.find(query).keys
    }

    // MARK: Calls

    /// How a call is made.
    package struct Terms: Sendable {
        /// The project in whose directory a machine's tool runs, if its server belongs to the whole machine.
        package var project: String?
        /// Whether a person is asked even if a rule would allow the call.
        package var mustAsk = false
        /// The account whose login at a remote server is used; `nil` for the login that all share.
        package var account: String?

        package init() {}
    }

    /// Begins a call, which goes on by itself. Returns its id.
    package func begin(
        _ tool: ToolkitTool,
        _ arguments: JSONValue,
        _ terms: Terms,
        _ caller: Caller
    ) async throws(APIError) -> String {
        var request = try ToolCallRequest(
            arguments,
            session: nil,
            project: terms.project,
            machine: nil,
            near: ToolCallRequest.Near()
        )
        (request.mustAsk, request.account) = (terms.mustAsk, terms.account)
        let begun = try await calls.begin("\(tool.serverID).\(tool.name)", request, caller, isKept: true)
        Task { await calls.carryOut(begun) }
        return begun.row.id
    }

    /// How far a call has come.
    package enum Progress: Sendable {
        /// An object with `content`, `structuredContent` and `isError`.
        case ended(JSONValue)
        case failed(APIError)
        /// A person is being asked.
        case asking
    }

    /// Waits until the call has ended, or until a person is asked. While the tool runs, waits for its end.
    ///
    /// - Parameter patience: the seconds to wait for a person's answer.
    package func progress(of id: String, patience: Double, for caller: Caller) async throws(APIError) -> Progress {
        guard try await calls.call(id).caller == caller.principal?.auditName else { throw ToolCallRefusal.unknownCall }
        if patience <= 0 {
            let outcome = await calls.open.outcome(
                of: id,
                seconds: ToolkitService.longest,
                isOnlyUntilAsked: true,
                begin: {}
            )
            if let outcome { return ToolkitService.progress(outcome.result, outcome.error) }
        }
        let grace = calls.open.call(id)?.isRemote ?? true ? 0 : ToolkitService.graceSeconds
        var end = try await calls.end(of: id, within: max(patience, grace))
        if end == nil, calls.open.isRunning(id) { end = try await calls.end(of: id, within: ToolkitService.longest) }
        guard let end else { return .asking }
        return ToolkitService.progress(end.result, end.error)
    }

    private static func progress(_ result: JSONValue?, _ error: APIError?) -> Progress {
        if let error { return .failed(error) }
        return .ended(result ?? .object([]))
    }

    /// Ends a call if somebody is still being asked about it. Returns false if it runs or has ended.
    package func cancel(_ id: String) async throws(APIError) -> Bool {
        let now = calls.clock()
        let isOver = try await calls.database.use { store throws(PersistenceError) in
            try await store.abandon(toolCall: id, since: now, at: now)
        }
        if isOver { await calls.withdraw(id) }
        return isOver
    }
}
