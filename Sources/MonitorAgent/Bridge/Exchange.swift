internal import JSON

/// A request to the server, without what all requests have.
struct ServerRequest: Equatable {
    /// `Last-Event-ID` of the stream whose rest is asked for; `nil` to send the message.
    var resumed: String?
    /// As `Name: value`.
    var headers: [String]
    var body: [UInt8]
}

/// One request of the client on its way: what is sent, what is sent again, and when that ends. Pure; times are in
/// seconds of one clock.
struct Exchange {
    enum Step: Equatable {
        case request(ServerRequest)
        /// Until `nextTime`.
        case wait
        case answer([UInt8])
        case failed(code: String, String)
    }

    /// How long the server of a call that asks nobody may be away.
    static let patience = 20.0
    private static let pauses = [0.5, 1, 2, 5]
    /// The server tells of a call every 20 s, or answers it within 60 s.
    private static let silence = 75.0
    /// A connection that lasted this long was a good one.
    private static let goodSeconds = 10.0
    /// Exit statuses of curl that mean: nothing was sent.
    private static let unconnected: Set<Int32> = [5, 6, 7, 28, 97]
    /// Those about certificates: another try does not help.
    private static let distrusted: Set<Int32> = [35, 51, 53, 58, 60, 66, 77, 83, 90, 91]

    let call: BridgedCall
    let headers: [String]
    /// How long the server may be away before the call fails. Once somebody is asked, the call has until `deadline`.
    let patience: Double
    /// The call was asked about by then, or never is.
    let deadline: Double?
    private var answer = ServerAnswer()
    private var eventID: String?
    private(set) var isRunning = false
    private var began = 0.0
    private var heard = 0.0
    private var retryAt: Double?
    private var failures = 0
    private var failingSince: Double?

    init(_ call: BridgedCall, headers: [String], patience: Double = Exchange.patience, deadline: Double? = nil) {
        (self.call, self.headers, self.patience, self.deadline) = (call, headers, patience, deadline)
    }

    mutating func begin(now: Double) -> Step {
        answer = ServerAnswer()
        (isRunning, began, heard, retryAt) = (true, now, now, nil)
        return .request(ServerRequest(resumed: eventID, headers: headers, body: eventID == nil ? call.body : []))
    }

    /// - Returns: the messages in what curl has written; `nil` if that is too long.
    mutating func output(_ bytes: [UInt8], now: Double) -> [[UInt8]]? {
        heard = now
        var messages: [[UInt8]] = []
        for part in answer.take(bytes) {
            switch part {
            case .resumable(let id): eventID = id
            case .message(let message): messages.append(message)
            }
        }
        return answer.isTooLong ? nil : messages
    }

    /// curl has ended, and the answer was not in what it wrote before.
    mutating func ended(_ code: Int32, now: Double) -> Step {
        isRunning = false
        if now - began >= Exchange.goodSeconds { (failures, failingSince) = (0, nil) }
        guard let status = answer.status else {
            if Exchange.distrusted.contains(code) {
                return .failed(code: "not_trusted", "The server's certificate is not accepted (curl \(code)).")
            }
            return Exchange.unconnected.contains(code) ? pause(now) : lost(now)
        }
        switch status {
        case 200:
            guard !answer.isStream, code == 0, json != nil else { return lost(now) }
            return .answer(answer.body)
        case 408, 429, 503: return pause(now)
        case 502, 504: return lost(now)
        case 405 where eventID != nil:
            // Another database, or another key.
            eventID = nil
            return lost(now)
        default:
            if json?["jsonrpc"] != nil { return .answer(answer.body) }
            return refused(status)
        }
    }

    /// What the time brings. `wait` also if a request runs and need not end.
    mutating func tick(now: Double) -> Step {
        if let deadline, now >= deadline { return .failed(code: "no_answer", Exchange.lateWords) }
        if let retryAt, now >= retryAt { return begin(now: now) }
        guard isRunning, now - heard >= Exchange.silence else { return .wait }
        isRunning = false
        return lost(now)
    }

    var nextTime: Double? {
        [deadline, retryAt, isRunning ? heard + Exchange.silence : nil].compactMap { $0 }.min()
    }

    private var json: JSONValue? {
        (try? JSONValue.parse(answer.body, maxDepth: 256)).flatMap { $0.isObject ? $0 : nil }
    }

    /// The server may have had the request.
    private mutating func lost(_ now: Double) -> Step {
        guard eventID != nil || call.isRepeatable else {
            return .failed(
                code: "connection_lost",
                "The connection to the monitor's server was lost. Whether the call was carried out is not known."
            )
        }
        return pause(now)
    }

    private mutating func pause(_ now: Double) -> Step {
        let since = failingSince ?? now
        failingSince = since
        let usual = Exchange.pauses[min(failures, Exchange.pauses.count - 1)]
        failures += 1
        let next = now + max(usual, answer.status == nil ? 0 : answer.retryAfter ?? 0)
        guard next < end(since) else { return .failed(code: "server_unreachable", words) }
        retryAt = next
        return .wait
    }

    private func end(_ since: Double) -> Double {
        guard let deadline else { return since + patience }
        return eventID == nil ? min(deadline, since + patience) : deadline
    }

    private static let lateWords = "Nobody answered in time."

    private var words: String {
        if eventID != nil { return "The monitor's server was away when the time to answer ended." }
        let reason = json?["error"]?["message"]?.string.map { " It says: \($0)" } ?? ""
        guard let status = answer.status else { return "The monitor's server cannot be reached." }
        return "The monitor's server answers \(status)." + ShownText.line(String(reason.prefix(300)))
    }

    private func refused(_ status: Int) -> Step {
        if status == 401 {
            return .failed(code: "invalid_key", "The monitor's server does not accept this machine's key.")
        }
        let error = json?["error"]
        guard let code = error?["code"]?.string, let message = error?["message"]?.string else {
            return .failed(code: "no_answer", words)
        }
        return .failed(code: String(code.prefix(64)), ShownText.line(String(message.prefix(500))))
    }
}
