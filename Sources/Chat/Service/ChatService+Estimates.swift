internal import JSON
internal import Persistence

/// What a turn costs as long as the machine has not reported it, and if it never does.
extension ChatService {
    /// Seconds after which what a running turn has written is stored. What it writes after that is lost if the server
    /// is killed.
    private static let noteSeconds = 5.0

    /// - Parameters:
    ///   - sent: bytes that the model reads.
    ///   - written: bytes of the answer.
    func estimate(sent: Int, written: Int, by model: String?) -> ChatUsage {
        ChatUsage(sent: sent, written: written, model: model, price: ports.price)
    }

    /// Stores what is known of a running turn, until the task is cancelled.
    func note(_ turn: String, _ run: ChatRun, sent: Int, by model: String?) async {
        while true {
            try? await Task.sleep(for: .seconds(ChatService.noteSeconds))
            guard !Task.isCancelled else { return }
            let usage = estimate(sent: sent, written: run.size, by: model)
            let now = clock()
            _ = try? await database.use { store throws(PersistenceError) in
                try await store.note(chat: turn, usage, at: now)
            }
        }
    }
}

extension ChatRequest {
    /// Bytes of all texts that the model reads. A picture counts as much as the largest one costs.
    var textBytes: Int {
        let functions = functions.list.reduce(0) { $0 + $1.textBytes }
        return history.reduce((systemPrompt?.utf8.count ?? 0) + content.textBytes + functions) { $0 + $1.textBytes }
    }
}

extension JSONValue {
    private static let bytesOfPicture = 6400

    fileprivate var textBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + $1.textBytes }
        case .object where self["type"]?.string == "image": JSONValue.bytesOfPicture
        case .object(let members): members.reduce(0) { $0 + $1.1.textBytes }
        case .null, .bool, .integer, .number: 0
        }
    }
}
