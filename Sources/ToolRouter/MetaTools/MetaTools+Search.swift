internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing
internal import Tools

/// `COMPOSIO_SEARCH_TOOLS`: finds tools for what a user wants to do.
extension MetaTools {
    private static let mostQueries = 20
    private static let mostWords = 1024
    /// The numbers of tools in the answer to one query: those that fit best, and others.
    private static let (mostPrimary, mostRelated) = (3, 5)

    private struct Query {
        var useCase: String
        var tools: [ToolkitTool]

        var primary: ArraySlice<ToolkitTool> { tools.prefix(mostPrimary) }
        var related: ArraySlice<ToolkitTool> { tools.dropFirst(mostPrimary) }
        /// The toolkits of the tools, in the order of the tools.
        var toolkits: [String] {
            var seen: Set<String> = []
            return tools.map(\.toolkit).filter { seen.insert($0).inserted }
        }
    }

    /// Returns a JSON object.
    func search(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller
    ) async throws(APIError) -> [UInt8] {
        guard let given = arguments["queries"]?.array, (1...MetaTools.mostQueries).contains(given.count) else {
            throw RouterFault.badRequest("'queries' must be 1 to 20 queries.", param: "queries")
        }
        var queries: [Query] = []
        for one in given {
            guard let words = one["use_case"]?.string ?? one.string,
                (1...MetaTools.mostWords).contains(words.utf8.count)
            else {
                throw RouterFault.badRequest("A query has a 'use_case' of 1 to 1024 bytes.", param: "queries")
            }
            let found = try await router.toolkits.tools(
                session.config.filter,
                words: words,
                limit: MetaTools.mostPrimary + MetaTools.mostRelated,
                for: caller.principal
            )
            queries.append(Query(useCase: words, tools: found.tools))
        }
        let names = Array(Set(queries.flatMap(\.toolkits)))
        let toolkits =
            names.isEmpty ? [] : try await SessionTools(router: router).toolkits(of: session, names, caller)
        return write(queries, toolkits, arguments["session"])
    }

    private func write(_ queries: [Query], _ toolkits: [SessionToolkit], _ session: JSONValue?) -> [UInt8] {
        let known = Dictionary(toolkits.map { ($0.toolkit.slug, $0) }) { first, _ in first }
        var writer = JSONWriter(reserving: 16_384)
        writer.beginObject()
        writer.field("success", true)
        writer.null("error")
        writer.beginArray("results")
        for (index, query) in queries.enumerated() { write(query, index + 1, known, to: &writer) }
        writer.endArray()
        writer.beginObject("tool_schemas")
        var seen: Set<String> = []
        for tool in queries.flatMap(\.tools) where seen.insert(tool.slug).inserted {
            writer.key(named: tool.slug)
            FoundTool(tool).write(to: &writer, isCut: true)
        }
        writer.endObject()
        writer.beginArray("toolkit_connection_statuses")
        for toolkit in toolkits { toolkit.writeStatus(to: &writer) }
        writer.endArray()
        writer.strings("next_steps_guidance", guidance(queries, toolkits))
        writeSession(session, to: &writer)
        writeTime(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(
        _ query: Query,
        _ index: Int,
        _ known: [String: SessionToolkit],
        to writer: inout JSONWriter
    ) {
        let toolkits = query.toolkits.compactMap { known[$0] }
        writer.beginObject()
        writer.field("index", index)
        writer.field("use_case", query.useCase)
        if let best = query.tools.first {
            writer.field(
                "execution_guidance",
                "IMPORTANT: Follow the recommended plan. The tools are found by words, so read what each does first."
            )
            writer.field("difficulty", best.required.count <= 3 ? "easy" : "medium")
            writer.strings("recommended_plan_steps", MetaTools.steps(best, known[best.toolkit]))
        } else {
            writer.strings("recommended_plan_steps", [])
        }
        writer.strings("known_pitfalls", [])
        writer.strings("primary_tool_slugs", query.primary.map(\.slug))
        writer.strings("related_tool_slugs", query.related.map(\.slug))
        writer.strings("toolkits", query.toolkits)
        writer.field("is_empty", query.tools.isEmpty)
        writer.beginArray("toolkit_connection_statuses")
        for toolkit in toolkits { toolkit.writeStatus(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// The plan: connect, then the tool with its required arguments.
    private static func steps(_ tool: ToolkitTool, _ toolkit: SessionToolkit?) -> [String] {
        guard let toolkit, !toolkit.connection.isUsable else { return [FoundTool(tool).step(1)] }
        let connecting =
            "Required Step 1: Connect the toolkit '\(tool.toolkit)' with \(MetaTool.connect.rawValue), and have the "
            + "user open the link."
        return [connecting, FoundTool(tool).step(2)]
    }

    private func guidance(_ queries: [Query], _ toolkits: [SessionToolkit]) -> [String] {
        var steps: [String] = []
        let open = toolkits.filter { !$0.connection.isUsable }.map(\.toolkit.slug)
        if !open.isEmpty {
            steps.append("CALL \(MetaTool.connect.rawValue) for the toolkits \(open.joined(separator: ", ")).")
        }
        if queries.contains(where: { !$0.tools.isEmpty }) {
            steps.append(
                "CALL \(MetaTool.execute.rawValue) with the tools that fit, and the arguments of their schemas."
            )
        }
        if queries.contains(where: \.tools.isEmpty) {
            steps.append("Nothing was found for some queries: say it in other words, or enable more toolkits.")
        }
        return steps.enumerated().map { "\($0 + 1)) \($1)" }
    }

    private func writeSession(_ given: JSONValue?, to writer: inout JSONWriter) {
        var random = SystemRandomNumberGenerator()
        let known = given?["id"]?.string.flatMap { (1...64).contains($0.utf8.count) ? RouterFault.shown($0) : nil }
        let id = known ?? String(decoding: Base62.random(6, using: &random), as: UTF8.self).lowercased()
        writer.beginObject("session")
        writer.field("id", id)
        writer.field("generate_id", known == nil)
        writer.field("instructions", "REQUIRED: Pass session_id '\(id)' in ALL subsequent meta tool calls.")
        writer.endObject()
    }

    private func writeTime(to writer: inout JSONWriter) {
        let now = router.clock()
        writer.beginObject("time_info")
        writer.field("current_time_utc", now.description)
        writer.field("current_time_utc_epoch_seconds", now.microseconds / 1_000_000)
        writer.field("message", "This is the server's time in UTC. The user's time zone may be another one.")
        writer.endObject()
    }
}

extension SessionToolkit {
    /// Whether calls can be made, also in words.
    func writeStatus(to writer: inout JSONWriter) {
        let message =
            switch connection.state {
            case .none: "\(toolkit.name) needs no login"
            case .active: "\(toolkit.name) is connected"
            case .initiated: "\(toolkit.name) waits for the user to follow the link"
            case .expired: "The login at \(toolkit.name) has expired: it must be connected anew"
            case .missing: "\(toolkit.name) is not connected"
            }
        writer.beginObject()
        writer.field("toolkit", toolkit.slug)
        writer.field("description", toolkit.summary)
        writer.field("has_active_connection", connection.isUsable)
        writer.field("status_message", message)
        writer.endObject()
    }
}
