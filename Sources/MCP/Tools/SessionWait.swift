internal import EventModel
internal import HTTPModel
internal import JSON

/// Decides when a wait for a session ends.
struct SessionWait: Sendable {
    enum Goal: String, CaseIterable, Sendable {
        /// The session does nothing more by itself: it waits, is idle, has failed or ended, or its machine is away.
        case rest
        case ended
    }

    enum Step: Equatable {
        case done(timedOut: Bool)
        /// - Parameter isDue: whether the client must hear from the server now.
        case again(isDue: Bool)
    }

    static let seconds: ClosedRange<Int64> = 1...3600
    static let usualSeconds: Int64 = 300
    /// Between two looks at the session.
    static let pause = 2.0
    /// Clients and proxies close a connection that is silent for too long.
    static let progressSeconds = 20.0

    let goal: Goal
    private let began: Timestamp
    private let until: Timestamp
    private var told: Timestamp

    init(_ parameters: ToolParameters, now: Timestamp) throws(APIError) {
        let goals = Goal.allCases.map(\.rawValue)
        guard let goal = parameters.values["until"].map({ Goal(rawValue: $0) }) ?? .rest else {
            throw .invalid("invalid_parameter", "'until' must be one of \(goals.joined(separator: ", ")).")
        }
        let seconds = parameters.values["timeout_seconds"].map { Int64($0) } ?? SessionWait.usualSeconds
        guard let seconds, SessionWait.seconds.contains(seconds) else {
            throw .invalid("invalid_parameter", "'timeout_seconds' must be a whole number from 1 to 3600.")
        }
        self.goal = goal
        (began, told, until) = (now, now, now.adding(seconds: Double(seconds)))
    }

    /// - Parameter session: as the REST interface has it.
    mutating func look(at session: JSONValue, now: Timestamp) -> Step {
        let hasEnded = session["status"]?.string == "ended"
        if hasEnded || goal == .rest && session["state"]?.string != "running" { return .done(timedOut: false) }
        if now >= until { return .done(timedOut: true) }
        let isDue = now.seconds(since: told) >= SessionWait.progressSeconds
        if isDue { told = now }
        return .again(isDue: isDue)
    }

    func mayGoOn(now: Timestamp) -> Bool { now < until }

    /// Whole seconds since the beginning.
    func elapsed(_ now: Timestamp) -> Int { Int(now.seconds(since: began)) }

    /// The wait's answer.
    static func json(_ session: [UInt8], timedOut: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: session.count + 64)
        writer.beginObject()
        writer.field("timed_out", timedOut)
        writer.field("session", json: session)
        writer.endObject()
        return writer.bytes
    }

    static let tool = Tool(
        name: "wait_for_session",
        title: "Wait for a session",
        summary:
            "Returns when a session rests (it waits for a person, is idle or has ended), or when the time is over: "
            + "then with timed_out true.",
        path: "/v1/sessions/{id}",
        arguments: [
            .session,
            ToolArgument(
                name: "until",
                schema: JSONSchema.choice(Goal.allCases.map(\.rawValue)),
                summary: "What to wait for; usually rest."
            ),
            ToolArgument(
                name: "timeout_seconds",
                schema: JSONSchema.integer(seconds),
                summary: "How long; 300 by default."
            ),
        ],
        bound: .session,
        isWait: true
    )
}
