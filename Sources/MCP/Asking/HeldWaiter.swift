internal import API
internal import HTTPModel
internal import JSON

/// Answers a call that waits for a person: a stream that begins at once, and that goes on over another connection if
/// this one is lost.
struct HeldWaiter: Sendable {
    let answers: MCPAnswers
    let reply: MCPReply
    let progressToken: JSONValue?
    /// The id with which the client can resume the stream; `nil` if it cannot resume.
    let eventID: String?
    /// Waits for the answer. Returns `nil` if another connection has taken it over.
    let output: @Sendable () async -> ToolOutput?
    /// What the client is told while it waits.
    let news: @Sendable () -> String
    /// The connection is lost.
    let left: @Sendable () -> Void
    /// Whether the caller may still wait.
    let isAdmitted: @Sendable () -> Bool
    let place: WaitingCalls.Place

    /// Between two looks at whether the caller may still wait.
    private static let pause = 2
    private static let progressSeconds = 20
    /// Proxies refuse longer headers.
    private static let mostEventID = 4096

    private enum News: Sendable {
        case output(ToolOutput?)
        case pause
    }

    var response: HTTPResponse {
        var response = HTTPResponse(
            status: 200,
            headers: [
                ("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"),
                ("x-accel-buffering", "no"),
            ],
            body: beginning
        )
        response.stream = { writer in
            do {
                guard let output = try await wait(progress: { try await writer.write($0) }) else { return }
                try await writer.write(EventStream.event(answers.output(reply, output)))
            } catch {
                left()
                throw error
            }
        }
        return response
    }

    /// The client remembers the id, and asks with it after its connection is lost.
    private var beginning: [UInt8] {
        guard let eventID, eventID.utf8.count <= HeldWaiter.mostEventID else { return EventStream.comment }
        return EventStream.beginning(eventID)
    }

    /// - Returns: `nil` if another connection gets the answer.
    private func wait(progress: (sending [UInt8]) async throws -> Void) async throws -> ToolOutput? {
        try await withThrowingTaskGroup(of: News.self) { group in
            group.addTask { [output] in .output(await output()) }
            group.addTask { try await HeldWaiter.rest() }
            var seconds = 0
            while let news = try await group.next() {
                guard isAdmitted() else {
                    group.cancelAll()
                    return ToolOutput(.noLongerAdmitted)
                }
                switch news {
                case .output(let output):
                    group.cancelAll()
                    try Task.checkCancellation()
                    return output
                case .pause:
                    seconds += HeldWaiter.pause
                    if seconds % HeldWaiter.progressSeconds == 0 { try await progress(told(seconds)) }
                    group.addTask { try await HeldWaiter.rest() }
                }
            }
            return nil
        }
    }

    private static func rest() async throws -> News {
        try await Task.sleep(for: .seconds(pause))
        return .pause
    }

    private func told(_ seconds: Int) -> [UInt8] {
        guard let progressToken else { return EventStream.comment }
        return EventStream.event(answers.progress(progressToken, seconds, news()))
    }
}
