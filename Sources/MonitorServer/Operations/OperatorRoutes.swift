internal import API
internal import Access
internal import Agents
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Notifications
internal import Persistence
internal import Serving
internal import WSFanout
internal import WebApp

/// `/health` for everyone, `/metrics` for Prometheus, and an index at `/`.
struct OperatorRoutes: Sendable {
    let database: Database
    /// `nil` if the spool is disabled.
    let spool: EventSpool?
    let audience: Audience
    let agents: AgentLinks
    let authenticator: Authenticator
    let metrics: ServerMetrics
    /// `nil` if pushes are disabled.
    let push: PushDispatcher?
    /// On the steady clock.
    let startedAt: Timestamp
    let clock: @Sendable () -> Timestamp
    let steadyClock: @Sendable () -> Timestamp
    let dataDirectory: String
    let web: WebPages

    /// - Parameter features: those whose metrics `/metrics` reports.
    func feature(reporting features: [Feature]) -> Feature {
        var feature = Feature("operators")
        feature.routes = [
            Route(.get, "/", .open) { request in web.home(for: request.http) ?? signpost }.described {
                $0.saying("Where to find what; for a browser, the web app.")
                    .answering(200, "application/json", "Signpost").answering(200, "text/html")
            },
            Route(.get, "/health", .open) { request in health(for: request.http) }.described {
                $0.saying("Whether events can be committed.").answering(200, "application/json", "Health")
                    .answering(503, "application/json", "Health")
            },
            Route(.get, "/metrics", .read) { _ in
                .text(MetricsReport(routes: self, features: features).text, type: PrometheusText.contentType)
            }.described { $0.saying("Metrics for Prometheus.").answering(200, "text/plain") },
        ]
        feature.schemas = JSONSchema.operators
        return feature
    }

    /// The reason of a database outage contains names of hosts and accounts, so only callers with read access get it.
    private func health(for request: HTTPRequest) -> HTTPResponse {
        let mayRead = (try? authenticator.authorize(request, for: .read)) != nil
        let now = clock()
        let condition = DatabaseCondition(database.state, now: now)
        let spoolHealth = SpoolHealthReport(status: spool?.status)
        let isHealthy = condition.isHealthy && !spoolHealth.refusesEvents
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("ok", isHealthy)
        writer.field("status", isHealthy ? "healthy" : "degraded")
        writer.field("version", ServerVersion.text)
        writer.textOrNull("claude_version", database.clientVersions.newest?.description)
        writer.beginObject("claude")
        ReachableClients(agents).write(to: &writer, withNames: mayRead)
        writer.endObject()
        writer.field("time", now.description)
        writer.field("uptime_seconds", Int64(steadyClock().seconds(since: startedAt)))
        let sessions = database.sample.sessions
        writer.field("active_sessions", sessions.active)
        writer.field("waiting_sessions", sessions.waiting)
        writer.beginObject("database")
        condition.write(to: &writer, withError: mayRead)
        writer.endObject()
        writer.beginObject("spool")
        spoolHealth.write(to: &writer)
        writer.endObject()
        writer.beginObject("subscribers")
        let listening = audience.now
        writer.field("websockets", listening.webSockets)
        writer.field("event_streams", listening.eventStreams)
        writer.endObject()
        writer.beginObject("push")
        PushHealthReport(push, now: now).write(to: &writer, withCauses: mayRead)
        writer.endObject()
        writer.endObject()
        return .json(status: isHealthy ? 200 : 503, writer.bytes)
    }

    private var signpost: HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", "Claude Code Monitor")
        writer.field("version", ServerVersion.text)
        writer.beginObject("endpoints")
        writer.field("events", "/v1/events")
        writer.field("sessions", "/v1/sessions")
        writer.field("projects", "/v1/projects")
        writer.field("models", "/v1/models")
        writer.field("chat", "/v1/chat/completions")
        writer.field("websocket", LoopRoutes.socketPath)
        writer.endObject()
        writer.field("docs", "/docs")
        writer.field("health", "/health")
        writer.endObject()
        var response = HTTPResponse.json(writer.bytes)
        response.headers.append(("vary", "Accept"))
        return response
    }
}

/// The machines on which this server can have Claude Code run: their agents are connected here and have found it.
struct ReachableClients {
    private let agents: Int
    private let names: [String]

    init(_ links: AgentLinks) {
        let all = links.all
        agents = all.count
        names = all.filter { !$0.clients.isEmpty }.map(\.machineName).sorted()
    }

    /// Strangers learn numbers only.
    func write(to writer: inout JSONWriter, withNames: Bool) {
        writer.field("reachable", !names.isEmpty)
        writer.field("agents", Int64(agents))
        writer.field("machines", Int64(names.count))
        if withNames { writer.field("names", .array(names.map(JSONValue.string))) }
    }
}

/// The state of the database as text.
struct DatabaseCondition {
    enum Status: String, CaseIterable {
        case starting
        case healthy
        case unreachable
        /// Reached in a way in which the server cannot work, such as a pooler in transaction mode.
        case unsuitable
        case unavailable
        /// Accepts connections, but has no space for commits.
        case full
    }

    /// Seconds for which a commit that failed for lack of space determines the state, if no later one was tried.
    static let shortageSeconds = 300.0

    var isHealthy: Bool
    let status: Status
    private var error: String?
    private var queuedBytes: Int?
    private var since: Timestamp?

    init(_ state: Database.State, now: Timestamp) {
        switch state {
        case .starting:
            isHealthy = false
            status = .starting
        case .failing(let reason):
            isHealthy = false
            status = .unreachable
            error = reason
        case .unsuitable(let reason):
            isHealthy = false
            status = .unsuitable
            error = reason
        case .ready(let workers):
            let writerStatus = workers.writer.status
            let isShort = writerStatus.lastShortageAt.map { now.seconds(since: $0) < Self.shortageSeconds } ?? false
            isHealthy = writerStatus.isAvailable && !isShort
            status = isHealthy ? .healthy : isShort ? .full : .unavailable
            error = isHealthy ? nil : writerStatus.lastError
            queuedBytes = writerStatus.queuedBytes
            since = writerStatus.since
        }
    }

    func write(to writer: inout JSONWriter, withError: Bool) {
        writer.field("status", status.rawValue)
        writer.field("since", since?.description)
        if withError || status == .unsuitable { writer.field("error", error) }
        writer.field("queued_bytes", queuedBytes.map(Int64.init))
    }
}
