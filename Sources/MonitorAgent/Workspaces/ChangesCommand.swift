internal import GitRunner
internal import JSON
internal import RPC
internal import Signing

/// `changes/begin`, `changes/stop`, `changes/get`, `changes/list`, `changes/erase`: what sessions have changed.
struct ChangesCommand: WorkspaceCommand {
    enum Verb: Sendable {
        case begin(ChangeStore.Session)
        case stop(String)
        case get(ChangeQuery)
        /// The sessions whose sets were not used for some seconds.
        case list(unusedFor: Int64)
        case erase([String])
    }

    static let methods: Set<String> = [
        "changes/begin", "changes/stop", "changes/get", "changes/list", "changes/erase",
    ]

    private static let mostErased = 1000

    let verb: Verb

    init(_ method: String, _ params: RPCParams) throws(RPCError) {
        switch method {
        case "changes/begin":
            let directory = try params.required("path", limit: 4096)
            guard directory.hasPrefix("/"), !directory.utf8.contains(0) else {
                throw .invalidParameter("path", "is not an absolute path")
            }
            verb = .begin(
                ChangeStore.Session(
                    id: try ChangesCommand.session(params),
                    directory: directory,
                    startedAt: try params.integer("started_at", in: 0...Int64.max),
                    isLate: try params.boolean("late") ?? false
                )
            )
        case "changes/stop": verb = .stop(try ChangesCommand.session(params))
        case "changes/list": verb = .list(unusedFor: try params.integer("unused_seconds", in: 0...86_400) ?? 600)
        case "changes/erase":
            verb = .erase(try params.strings("sessions", count: 1...ChangesCommand.mostErased) ?? [])
        default: verb = .get(try ChangesCommand.query(params))
        }
    }

    private static func session(_ params: RPCParams) throws(RPCError) -> String {
        let id = try params.required("session_id", limit: 36)
        guard ChangeStore.isID(id) else { throw .invalidParameter("session_id", "is not a UUID in lower case") }
        return id
    }

    private static func query(_ params: RPCParams) throws(RPCError) -> ChangeQuery {
        var query = ChangeQuery(sessionID: try session(params))
        if let text = try params.string("file_b64", limit: 8192) {
            guard let bytes = Base64.decode(text) else { throw .invalidParameter("file_b64", "is not Base64") }
            query.path = try checked(bytes, "file_b64")
        } else if let text = try params.string("file", limit: 4096) {
            query.path = try checked(Array(text.utf8), "file")
        }
        query.hasHunks = try params.boolean("hunks") ?? false
        query.isNow = try params.string("at", limit: 8) != "stop"
        query.end = try params.string("end", limit: 16)
        query.skips = Int(try params.integer("skip", in: 0...1_000_000) ?? 0)
        query.limit = Int(try params.integer("limit", in: 1...Int64(ChangeQuery.mostFiles)) ?? 200)
        query.context = Int(try params.integer("context", in: 0...10_000) ?? 3)
        query.offset = Int(try params.integer("offset", in: 0...Int64(1 << 30)) ?? 0)
        return query
    }

    private static func checked(_ bytes: [UInt8], _ name: String) throws(RPCError) -> GitPath {
        do throws(GitError) {
            return try GitPath(checking: bytes)
        } catch {
            throw .invalidParameter(name, "is not a path within the repository")
        }
    }

    var recorded: [(String, JSONValue)] {
        switch verb {
        case .begin(let session):
            [("session_id", .string(session.id)), ("path", .string(String(session.directory.prefix(1024))))]
        case .stop(let id): [("session_id", .string(id))]
        case .get(let query):
            [("session_id", .string(query.sessionID))]
                + (query.path.map { [("file", .string(String($0.text.prefix(1024))))] } ?? [])
        case .list: []
        case .erase(let ids): [("sessions", .array(ids.prefix(20).map(JSONValue.string)))]
        }
    }

    var isKept: Bool { false }

    func run(_ context: WorkspaceContext) async throws -> JSONValue {
        let changes = context.services.changes
        switch verb {
        case .begin(let session): return .object([("baseline", .bool(try await changes.begin(session, context)))])
        case .stop(let id): return .object([("taken", .bool(try await changes.stop(id, context)))])
        case .get(let query): return try await changes.changes(query, context)
        case .list(let seconds):
            let ids = try await changes.sessions(unusedFor: seconds, context)
            return .object([("sessions", .array(ids.map(JSONValue.string)))])
        case .erase(let ids):
            try await changes.erase(ids, context)
            return .object([])
        }
    }
}
