internal import ClaudeRunner
internal import JSON
internal import Masking

/// The answers to messages of programs, which are told as Claude Code writes them.
extension Agent {
    /// Bytes of text in one notice.
    private static let mostText = 256 << 10

    /// Tells the answer to a message. The message must come after the notice `ready`. Returns at the end of its turn.
    func follow(_ message: String, _ command: AgentCommand) async throws -> JSONValue {
        let id = command.sessionID
        guard let key = table.key(of: id), terminals[key] == nil else {
            throw CommandRefusal(.notRunning, "This agent runs no session \(id).")
        }
        _ = try check().control(directories[key] ?? "")
        guard followers[message] == nil else { throw CommandRefusal(.alreadyRunning, "The answer is being told.") }
        let (parts, continuation) = AsyncStream.makeStream(of: AnswerPart.self)
        followers[message] = continuation
        defer { followers[message] = nil }
        tell("ready", of: message)
        for await part in parts {
            switch part {
            case .text(let text): for piece in Agent.pieces(of: text) { tell("text", of: message, [("text", piece)]) }
            case .thinking(let text):
                for piece in Agent.pieces(of: text) { tell("thinking", of: message, [("text", piece)]) }
            case .tool(let id, let name):
                tell("tool", of: message, [("id", .string(id)), ("name", .string(name))])
            case .toolEnded(let id, let isError):
                tell("tool_ended", of: message, [("id", .string(id)), ("is_error", .bool(isError))])
            case .ended(var end):
                if let words = end.failure?.message {
                    end.failure?.message = String(SecretMasker.masked(words).prefix(1000))
                }
                return end.json()
            }
        }
        throw CommandRefusal(.failed, "The answer is no longer told.")
    }

    private func tell(_ kind: String, of message: String, _ more: [(String, JSONValue)] = []) {
        notify("turn/step", .object([("message_id", .string(message)), ("kind", .string(kind))] + more))
    }

    /// Cut between characters.
    private static func pieces(of text: String) -> [JSONValue] {
        guard text.utf8.count > mostText else { return [.string(text)] }
        var pieces: [JSONValue] = []
        var piece = ""
        for character in text {
            if piece.utf8.count + character.utf8.count > mostText, !piece.isEmpty {
                pieces.append(.string(piece))
                piece = ""
            }
            piece.append(character)
        }
        return pieces + [.string(piece)]
    }

    func tell(_ part: AnswerPart, of message: String) {
        followers[message]?.yield(part)
    }

    /// A message that its session did not take has no answer.
    func unsent(_ command: AgentCommand, _ words: String) {
        guard case .send(let message) = command.body else { return }
        end(following: message.id, .gone, words)
    }

    /// The message will not be sent.
    func unfollow(_ message: String) -> JSONValue {
        let isFollowed = followers[message] != nil
        end(following: message, .interrupted, "The message was cancelled.")
        return .object([("ended", .bool(isFollowed))])
    }

    private func end(following message: String, _ kind: ChatEnd.Failure.Kind, _ words: String) {
        var end = ChatEnd()
        end.failure = .init(kind, words)
        followers[message]?.yield(.ended(end))
    }

    /// Nobody receives the answers any more. The sessions go on.
    func endFollowing() {
        for follower in followers.values { follower.finish() }
    }

    /// Gives a new session what was said before.
    func load(_ history: [ChatStart.Message], into session: ClaudeSession) async throws {
        guard !history.isEmpty else { return }
        do throws(ClaudeError) {
            try await session.load(history)
        } catch {
            _ = await session.stop(killLeftovers: true)
            throw CommandRefusal(.startFailed, "The earlier messages could not be loaded: \(error)")
        }
    }
}
