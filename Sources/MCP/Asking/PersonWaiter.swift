internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Answers a call that waits for a person: a stream that begins at once, and that goes on over another connection if
/// this one is lost.
struct PersonWaiter: Sendable {
    let asking: PersonAsking
    let answers: MCPAnswers
    let held: HeldAnswer
    let answer: PersonWait
    /// Whether the caller may still wait.
    let isAdmitted: @Sendable () -> Bool
    let place: WaitingCalls.Place

    /// Between two looks at whether the caller may still wait.
    private static let pause = 2
    private static let progressSeconds = 20

    private enum News: Sendable {
        case answer(PersonAnswer)
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
                try await writer.write(EventStream.event(answers.output(held.reply, output)))
            } catch {
                asking.left(held.call)
                throw error
            }
        }
        return response
    }

    /// The client remembers the id, and asks with it a second after its connection is lost.
    private var beginning: [UInt8] {
        guard let id = asking.seal(held.bytes), id.utf8.count <= HeldAnswer.maximumSealedBytes else {
            return EventStream.comment
        }
        return EventStream.beginning(id)
    }

    /// - Returns: `nil` if another connection gets the answer.
    private func wait(progress: (sending [UInt8]) async throws -> Void) async throws -> ToolOutput? {
        try await withThrowingTaskGroup(of: News.self) { group in
            group.addTask { [answer] in .answer(await answer()) }
            group.addTask { try await PersonWaiter.rest() }
            var seconds = 0
            while let news = try await group.next() {
                guard isAdmitted() else {
                    group.cancelAll()
                    return ToolOutput(.noLongerAdmitted)
                }
                switch news {
                case .answer(let answer):
                    group.cancelAll()
                    try Task.checkCancellation()
                    return held.call.choices.map { AskPersonTool.output(answer, to: $0) } ?? ApproveTool.output(answer)
                case .pause:
                    seconds += PersonWaiter.pause
                    if seconds % PersonWaiter.progressSeconds == 0 { try await progress(told(seconds)) }
                    group.addTask { try await PersonWaiter.rest() }
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
        guard let token = held.progressToken else { return EventStream.comment }
        return EventStream.event(answers.progress(token, seconds, "A person is asked."))
    }
}
