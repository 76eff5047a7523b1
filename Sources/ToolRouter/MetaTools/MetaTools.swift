internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing
internal import Tools

/// Runs the tool router's own tools.
struct MetaTools: Sendable {
    private static let mostTools = 50
    private static let mostWait: Int64 = 600

    let router: ToolRouter

    /// The router's own tool of that name; `nil` if there is none. Throws if the session does not have the tool.
    func named(_ slug: String, in session: RouterSession) throws(APIError) -> MetaTool? {
        guard let tool = MetaTool(rawValue: slug) else {
            guard !MetaTool.absent.contains(slug) else {
                throw RouterFault.badRequest("'\(slug)' needs a sandbox in a cloud. There is none here.", param: "slug")
            }
            return nil
        }
        guard tool.isOffered(in: session.config) else {
            throw RouterFault.badRequest("The session was created without '\(slug)'.", param: "slug")
        }
        return tool
    }

    /// - Parameter origin: the server's address, as the program uses it.
    func run(
        _ tool: MetaTool,
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller,
        at origin: String
    ) async throws(APIError) -> HTTPResponse {
        let data = try await data(of: tool, arguments, in: session, caller, at: origin)
        var writer = JSONWriter(reserving: data.count + 256)
        writer.beginObject()
        writer.field("data", json: data)
        writer.null("error")
        writer.field("result_type", "completed")
        let log = MetaTools.logID()
        writer.field("log_id", log)
        writer.field("logId", log)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// What the tool answers: a JSON object.
    func data(
        of tool: MetaTool,
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller,
        at origin: String
    ) async throws(APIError) -> [UInt8] {
        switch tool {
        case .search: try await search(arguments, in: session, caller)
        case .schemas: try await schemas(arguments, in: session, caller)
        case .execute: try await execute(arguments, in: session, caller)
        case .connect: try await connect(arguments, in: session, caller, at: origin)
        case .wait: try await wait(arguments, in: session, caller)
        }
    }

    static func logID() -> String {
        var random = SystemRandomNumberGenerator()
        return "log_" + String(decoding: Base62.random(12, using: &random), as: UTF8.self)
    }

    // MARK: Schemas

    private func schemas(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller
    ) async throws(APIError) -> [UInt8] {
        guard let given = arguments["tool_slugs"], case let slugs = try ConfigReader.names(given, "tool_slugs"),
            (1...MetaTools.mostTools).contains(slugs.count)
        else { throw RouterFault.badRequest("'tool_slugs' must be 1 to 50 names of tools.", param: "tool_slugs") }
        let include = try arguments["include"].map { value throws(APIError) in
            try ConfigReader.names(value, "include")
        }
        var filter = session.config.filter
        filter.slugs = slugs.map { $0.uppercased() }
        let found = try await router.toolkits.tools(filter, limit: MetaTools.mostTools, for: caller.principal).tools
        let known = Dictionary(found.map { ($0.slug, $0) }) { first, _ in first }
        var writer = JSONWriter(reserving: 4096)
        writer.beginObject()
        writer.field("success", true)
        writer.beginObject("tool_schemas")
        for slug in filter.slugs ?? [] where known[slug] != nil {
            guard let tool = known[slug] else { continue }
            writer.key(named: slug)
            FoundTool(tool).write(
                to: &writer,
                hasInput: include?.contains("input_schema") ?? true,
                hasOutput: include?.contains("output_schema") ?? false
            )
        }
        writer.endObject()
        writer.strings("not_found", (filter.slugs ?? []).filter { known[$0] == nil })
        writer.endObject()
        return writer.bytes
    }

    // MARK: Several tools

    /// Runs the tools one after the other, in order.
    private func execute(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller
    ) async throws(APIError) -> [UInt8] {
        guard let tools = arguments["tools"]?.array, (1...MetaTools.mostTools).contains(tools.count) else {
            throw RouterFault.badRequest("'tools' must be 1 to 50 calls.", param: "tools")
        }
        let calls = RouterCalls(router: router)
        var writer = JSONWriter(reserving: 4096)
        var failures = 0
        writer.beginObject()
        writer.beginArray("results")
        // Once the client is gone, no further call begins.
        for (index, one) in tools.enumerated() where !Task.isCancelled {
            let slug = (one["tool_slug"] ?? one["tool_name"] ?? one["slug"])?.string ?? ""
            writer.beginObject()
            writer.field("index", index)
            writer.field("tool_slug", slug.uppercased())
            var fault: String?
            writer.beginObject("response")
            do throws(APIError) {
                let request = try ExecuteRequest(one.encoded)
                guard MetaTool(rawValue: request.slug) == nil else {
                    throw RouterFault.badRequest("The tool router's own tools are not run by this one.")
                }
                let reply = try await calls.run(
                    request,
                    in: RouterCalls.Scope(session),
                    caller,
                    patience: RouterCalls.patience / Double(tools.count)
                )
                reply.writePlain(to: &writer)
                if case .completed = reply.outcome {} else { failures += 1 }
            } catch {
                writer.field("successful", false)
                writer.field("data", json: "{}")
                writer.field("error", error.message)
                (fault, failures) = (error.message, failures + 1)
            }
            writer.endObject()
            writer.field("error", fault)
            writer.endObject()
        }
        writer.endArray()
        writer.field("total_count", tools.count)
        writer.field("success_count", tools.count - failures)
        writer.field("error_count", failures)
        writer.endObject()
        return writer.bytes
    }

    // MARK: Connections

    /// The toolkits of the session that the arguments name. Those that are not enabled are left out.
    private func named(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller
    ) async throws(APIError) -> [SessionToolkit] {
        guard let given = arguments["toolkits"]?.array, (1...MetaTools.mostTools).contains(given.count) else {
            throw RouterFault.badRequest("'toolkits' must be 1 to 50 names of toolkits.", param: "toolkits")
        }
        let names = given.compactMap { ($0.string ?? $0["name"]?.string ?? $0["toolkit"]?.string)?.lowercased() }
        return try await SessionTools(router: router).toolkits(of: session, names, caller)
    }

    private func connect(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller,
        at origin: String
    ) async throws(APIError) -> [UInt8] {
        let named = try await named(arguments, in: session, caller)
        var answer = ConnectAnswer()
        for one in named {
            guard !one.connection.isUsable || arguments["reinitiate_all"]?.bool == true && one.connection.state != .none
            else {
                answer.add(one.toolkit.slug, .active)
                continue
            }
            do throws(APIError) {
                let link = try await router.connections.link(
                    caller.owner(session.userID),
                    to: RouterToolkit(one.toolkit),
                    callback: session.config.callback,
                    alias: nil,
                    at: origin
                )
                answer.add(one.toolkit.slug, .initiated(link.url, isAnew: one.connection.state == .active))
            } catch {
                answer.add(one.toolkit.slug, .failed(error.message))
            }
        }
        return answer.json
    }

    private func wait(
        _ arguments: JSONValue,
        in session: RouterSession,
        _ caller: RouterCaller
    ) async throws(APIError) -> [UInt8] {
        let seconds = arguments["timeout_seconds"].map { $0 == .null ? nil : $0.integer } ?? nil
        guard (1...MetaTools.mostWait).contains(seconds ?? MetaTools.mostWait) else {
            throw RouterFault.badRequest("'timeout_seconds' must be 1 to 600.", param: "timeout_seconds")
        }
        let named = try await named(arguments, in: session, caller)
        let waited = try await router.connections.wait(
            for: caller.owner(session.userID),
            to: named.map { RouterToolkit($0.toolkit) },
            seconds: Double(seconds ?? MetaTools.mostWait)
        )
        var answer = ConnectAnswer()
        for one in named {
            let state = waited[one.toolkit.slug] ?? one.connection
            answer.add(one.toolkit.slug, state.isUsable ? .active : state.state == .initiated ? .pending : .failed(nil))
        }
        return answer.json
    }
}
