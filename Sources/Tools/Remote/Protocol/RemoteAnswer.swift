internal import HTTPClient
internal import JSON
internal import RPC

/// Collects the answer to one request from the parts of its HTTP response, which is one message or a stream of them.
/// Pure.
struct RemoteAnswer {
    enum Progress: Sendable, Equatable {
        case more
        /// The answer, or why there will be none.
        case done(Result<JSONValue, RemoteFault>)
    }

    private enum Form {
        case none
        /// One message: the whole body.
        case message
        case stream
        /// A message of an error: the beginning of the body.
        case error(status: Int)
    }

    /// Bytes of one message.
    static let mostBytes = 10 << 20
    /// Levels of nested values in a message.
    static let mostLevels = 120
    /// Values in a message.
    static let mostValues = 500_000
    private static let mostErrorBytes = 64 << 10

    private let id: Int64
    private var form = Form.none
    /// These are no parts of the form, so that they grow in place: a server may send each byte as a piece of its own.
    private var body: [UInt8] = []
    private var events = EventStreamReader(limit: RemoteAnswer.mostBytes)
    /// The id of the session that a response gives.
    private(set) var session: String?
    /// Notifications of progress.
    private(set) var notices = 0

    init(id: Int64) { self.id = id }

    mutating func take(_ part: OutboundClient.Part) -> Progress {
        switch part {
        case .head(let head): begin(head)
        case .body(let bytes): take(bytes)
        }
    }

    /// The response has ended.
    func end() -> Result<JSONValue, RemoteFault> {
        switch form {
        case .none: .failure(.malformed("the server answers without a message"))
        case .stream: .failure(.noAnswer)
        case .message: RemoteAnswer.message(body).flatMap { answer(in: $0) ?? .failure(.noAnswer) }
        case .error(let status): RemoteAnswer.error(status, body)
        }
    }

    private mutating func begin(_ head: ResponseHead) -> Progress {
        session = head.value("mcp-session-id").flatMap { RemoteAnswer.isSession($0) ? $0 : nil }
        if head.status == 401 {
            return .done(.failure(.unauthorized(challenge: head.values("www-authenticate").first)))
        }
        if head.status == 403, let challenge = BearerChallenge(head.values("www-authenticate")),
            challenge.error == "insufficient_scope"
        {
            return .done(.failure(.needsScope(challenge.scope ?? "")))
        }
        guard head.status == 200 else {
            form = .error(status: head.status)
            return .more
        }
        let type = (head.value("content-type") ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        switch type {
        case "application/json": form = .message
        case "text/event-stream": form = .stream
        default: return .done(.failure(.malformed("the server answers with a type that is none of the protocol")))
        }
        return .more
    }

    private mutating func take(_ bytes: [UInt8]) -> Progress {
        switch form {
        case .none: return .more
        case .message:
            body += bytes
            return .more
        case .error:
            body += bytes.prefix(RemoteAnswer.mostErrorBytes - body.count)
            return .more
        case .stream:
            do throws(EventTooLarge) {
                for event in try events.take(bytes) {
                    if let answer = take(event: event) { return .done(answer) }
                }
                return .more
            } catch {
                return .done(.failure(.exchange(.tooLarge(limit: RemoteAnswer.mostBytes))))
            }
        }
    }

    private mutating func take(event: [UInt8]) -> Result<JSONValue, RemoteFault>? {
        switch RemoteAnswer.message(event) {
        case .failure(let fault): return .failure(fault)
        case .success(let json):
            if case .notification("notifications/progress", _) = RPCItem(json) { notices += 1 }
            return answer(in: json)
        }
    }

    /// `nil` if the message is another one. Requests of servers are not answered: this client offers them nothing.
    private func answer(in json: JSONValue) -> Result<JSONValue, RemoteFault>? {
        guard case .response(let found, let outcome) = RPCItem(json), found == .integer(id) else { return nil }
        switch outcome {
        case .completed(let result):
            guard result.isObject else { return .failure(.malformed("the result is not an object")) }
            let isWhole = (result["resultType"]?.string ?? "complete") == "complete"
            return isWhole ? .success(result) : .failure(.needsInput)
        case .failed(let error): return .failure(RemoteAnswer.failed(error))
        case .ended, .timedOut: return .failure(.noAnswer)
        }
    }

    private static func message(_ bytes: [UInt8]) -> Result<JSONValue, RemoteFault> {
        guard JSONValue.counts(atMost: mostValues, in: bytes) else {
            return .failure(.tooManyValues)
        }
        guard let json = try? JSONValue.parse(bytes, maxDepth: mostLevels) else {
            return .failure(.malformed("what the server answers is not JSON, or nested too deep"))
        }
        return .success(json)
    }

    private static func error(_ status: Int, _ bytes: [UInt8]) -> Result<JSONValue, RemoteFault> {
        if let json = try? JSONValue.parse(bytes, maxDepth: mostLevels),
            case .response(_, .failed(let error)) = RPCItem(json)
        {
            return .failure(failed(error, status: status))
        }
        return .failure(.status(status))
    }

    /// Only what every server means by a code counts for more than the status.
    private static func failed(_ error: RPCError, status: Int = 200) -> RemoteFault {
        if status == 404, !MCPNames.statelessCodes.contains(error.code), error.code != -32601 { return .status(404) }
        let text = PlainText.lines(error.message, atMost: 300).replacing("\n", with: " ")
        return .failed(code: error.code, message: text)
    }

    /// Visible ASCII, as the protocol says.
    private static func isSession(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
