internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Answers a call that waits for a session: a stream that begins at once.
struct SessionWaiter: Sendable {
    let reader: ToolReader
    let answers: MCPAnswers
    let message: MCPRequest
    let token: JSONValue?
    let request: RouteRequest
    let place: WaitingCalls.Place

    func response(_ parameters: ToolParameters, _ wait: SessionWait) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200,
            headers: [
                ("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"),
                ("x-accel-buffering", "no"),
            ],
            body: EventStream.comment
        )
        response.stream = { writer in
            var wait = wait
            while !Task.isCancelled {
                let (output, step) = await self.look(parameters, &wait)
                if let output {
                    return try await writer.write(EventStream.event(answers.output(message.reply, output)))
                }
                if case .again(isDue: true) = step { try await writer.write(progress(wait)) }
                try await Task.sleep(for: .seconds(SessionWait.pause))
            }
        }
        return response
    }

    /// Looks at the session with the rights that the caller has then.
    private func look(
        _ parameters: ToolParameters,
        _ wait: inout SessionWait
    ) async -> (output: ToolOutput?, step: SessionWait.Step) {
        do throws(APIError) {
            guard let principal = request.principal.flatMap(reader.ports.current) else { throw .noLongerAdmitted }
            var request = request
            request.principal = principal
            let scope = try ToolScope(principal)
            let session = try await reader.read(SessionWait.tool, parameters, in: scope, for: request)
            let json = (try? JSONValue.parse(session, maxDepth: 200)) ?? .object([])
            let step = wait.look(at: json, now: reader.ports.steadyClock())
            guard case .done(let timedOut) = step else { return (nil, step) }
            return (ToolOutput(SessionWait.json(session, timedOut: timedOut)), step)
        } catch {
            // The database may be back before the wait is over.
            if error.status == 503, wait.mayGoOn(now: reader.ports.steadyClock()) { return (nil, .again(isDue: true)) }
            return (ToolOutput(error), .done(timedOut: false))
        }
    }

    private func progress(_ wait: SessionWait) -> [UInt8] {
        guard let token else { return EventStream.comment }
        let seconds = wait.elapsed(reader.ports.steadyClock())
        return EventStream.event(answers.progress(token, seconds, "The session is at work."))
    }
}

extension APIError {
    static let noLongerAdmitted = APIError(
        .authentication,
        status: 401,
        code: "credential_revoked",
        message: "The credential of this call is no longer admitted."
    )
}
