internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `POST /v1/erase`: removes a session, a machine's sessions or a project's from everything that the server stores.
struct ErasureRoutes: Sendable {
    /// Maximum wait in seconds.
    private static let longest = 600.0

    let erasing: ErasureService

    var routes: [Route] {
        [
            Route(.post, "/v1/erase", .administer, handler: erase).waiting(ErasureRoutes.wait).described(
                "Erases all that is stored of a session, a machine or a project. Cannot be undone.",
                body: "Erasure",
                as: "Erased",
                faults: [404]
            )
        ]
    }

    @Sendable private static func wait(_ request: RouteRequest) -> AnswerWait? {
        let error = APIError.unavailable("erasure_takes_long", "The erasure goes on.", retryAfter: 60)
        return AnswerWait(seconds: longest, overdue: error.response(requestID: request.http.requestID))
    }

    @Sendable private func erase(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let report = try await erasing.erase(try await scope(request.http.body), request.caller)
        guard !report.isEmpty else { throw .notFound("nothing_to_erase", "Nothing is stored of it.") }
        return .json(ErasureRoutes.shape, report)
    }

    private func scope(_ body: [UInt8]) async throws(APIError) -> ErasureScope {
        let json = (try? JSONValue.parse(body)) ?? .null
        let named = ["session_id", "machine_id", "project_id"].compactMap { name in
            json[name].map { (name, $0.string ?? "") }
        }
        guard named.count == 1, let (name, subject) = named.first, !subject.isEmpty, !subject.contains("\0") else {
            throw .invalid(
                "invalid_parameter",
                "The body must be a JSON object with one of 'session_id', 'machine_id' and 'project_id', a string."
            )
        }
        switch name {
        case "session_id": return .session(subject)
        case "project_id": return .project(subject)
        default:
            guard let machine = try await erasing.machine(named: subject) else {
                throw .notFound("machine_not_found", "There is no machine of that name.")
            }
            return .machine(machine)
        }
    }

    static let shape = ObjectShape<ErasureReport>("Erased") { it in
        it.member("sessions") { Int64($0.sessions.count) }
        it.member("events") { $0.events }
        it.member("transcript_lines") { $0.transcriptLines }
        it.member("damaged_segments") { $0.damagedSegments }
    }
}
