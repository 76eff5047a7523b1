internal import EventModel
internal import JSON
internal import Masking
internal import Signing

/// The lines that a piece completes, and what they add to the session.
struct PieceContent {
    var lines: [StoredLine] = []
    var messages = 0
    var report = SessionReport()
    var directory: String?
    var agentID: String?
    /// The newest version that the lines name.
    var clientVersion: ClientVersion?
    /// The time of the last line that has a time.
    var lastAt: Timestamp?
    /// The marks of the main agent's messages.
    var marks: [MessageMark] = []
    /// The requests that other sessions made, by session. Each is a request id, or a message id if there is no request
    /// id.
    var copied: [String: Set<String>] = [:]
    /// The newest interruption of the main agent's turn by a person. `isOfTool` is true if it was at a tool's dialog
    /// or while the tool ran.
    var interruption: (at: Timestamp, isOfTool: Bool)?
    /// Messages that the main agent read while it was busy, in the order of the lines.
    var readMessages: [(text: String, at: Timestamp)] = []
    /// What the next piece needs to know of the answers before it.
    var answers = AnswerTracker()
}

/// Reads the lines of one piece after another. Pure, except for its buffers.
struct PieceReader {
    /// The maximum nesting of arrays and objects. Tools may return deeply nested objects.
    private static let maxDepth = 200

    private let writer: LineWriter
    private let parser = JSONParser(maxDepth: PieceReader.maxDepth)

    init(policy: ContentPolicy) {
        writer = LineWriter(policy: policy)
    }

    /// - Parameters:
    ///   - session: the session of the file, as Claude Code names it.
    ///   - lastAt: the time of the previous line, if it is known.
    ///   - answers: what is known of the answers before the piece.
    func read(
        _ lines: [LineSplitter.Line],
        session: String,
        lastAt: Timestamp?,
        answers: AnswerTracker,
        receivedAt: Timestamp
    ) -> PieceContent {
        var content = PieceContent()
        content.lastAt = lastAt
        content.answers = answers
        var requests = PieceRequests()
        var counter = LineCounter()
        for line in lines where !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
            let fallback = content.lastAt ?? receivedAt
            let read = try? parser.withDocument(line.isCut ? [] : line.bytes) { root in
                root.isObject
                    ? (TranscriptLine(root), LineMessage(root, session: session), writer.text(of: root)) : nil
            }
            guard let (facts, kind, text) = read ?? nil else {
                content.lines.append(unreadable(line, at: fallback))
                counter.add(nil, id: nil)
                continue
            }
            content.take(facts)
            counter.add(kind, id: facts.messageID)
            if writer.policy != .none { content.takeNames(facts, kind, at: line.offset) }
            if let text = facts.readMessage, facts.agentID == nil {
                content.readMessages.append((text, facts.at ?? fallback))
            }
            let key = facts.uuid.flatMap(StoredForm.word) ?? PieceReader.hash(of: line.bytes)
            if let request = facts.request {
                requests.take(request, facts, place: key, at: fallback, session: session, content: &content)
            } else {
                content.answers.take(facts)
            }
            let message = facts.isMessage ? PieceReader.message(text, at: fallback) : nil
            if let message, facts.agentID == nil { content.note(message, at: facts.at ?? fallback) }
            content.lines.append(
                StoredLine(
                    key: key,
                    offset: line.offset,
                    at: facts.at ?? fallback,
                    type: StoredForm.word(facts.type) ?? "unknown",
                    agentID: facts.agentID.flatMap(StoredForm.word),
                    messageID: facts.messageID.flatMap(StoredForm.word),
                    isMessage: facts.isMessage,
                    text: text,
                    words: message.flatMap { writer.words(of: $0.blocks) },
                    kind: message.flatMap { MessageKind($0.blocks, isAssistant: $0.role == .assistant) }
                )
            )
        }
        counter.close()
        for (index, count) in counter.counts.enumerated() { content.lines[index].count = count }
        content.report.requests = requests.all
        content.report.isActivity = content.messages > 0
        if let cost = content.report.cost, cost.until == nil { content.report.cost?.until = content.lastAt }
        return content
    }

    private static func message(_ stored: [UInt8], at time: Timestamp) -> ConversationMessage? {
        guard let json = try? JSONValue.parse(stored, maxDepth: 210) else { return nil }
        return ConversationMessage(place: ConversationPlace(at: time, line: 0), lines: [json])
    }

    /// Stores only the size of a line that is too long or is not a JSON object.
    private func unreadable(_ line: LineSplitter.Line, at time: Timestamp) -> StoredLine {
        let type = PieceReader.type(in: line.bytes)
        return StoredLine(
            key: PieceReader.hash(of: line.bytes) + ":\(line.size)",
            offset: line.offset,
            at: time,
            type: type ?? "unknown",
            agentID: nil,
            isMessage: false,
            text: writer.outline(of: line, type: type),
            words: nil
        )
    }

    private static func hash(of bytes: ArraySlice<UInt8>) -> String {
        var text = "h:"
        let digest = Digest.sha256(Array(bytes))
        for byte in digest[..<16] {
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return text
    }

    /// The value of the first member `type` at the beginning of a line that was not parsed.
    private static func type(in bytes: ArraySlice<UInt8>) -> String? {
        let mark = Array(#""type":""#.utf8)
        let head = Array(bytes.prefix(LineSplitter.keptBytes))
        guard head.count > mark.count else { return nil }
        for start in 0..<(head.count - mark.count) where head[start..<(start + mark.count)].elementsEqual(mark) {
            let word = head[(start + mark.count)...].prefix(40).prefix { $0 != UInt8(ascii: "\"") }
            return StoredForm.word(String(decoding: word, as: UTF8.self))
        }
        return nil
    }
}

extension PieceContent {
    /// The model of the main agent's last request.
    var model: String? {
        guard agentID == nil else { return nil }
        return report.requests.last { $0.agentID == nil && $0.origin == nil && $0.model != nil }?.model
    }

    /// Notes a message of the main agent.
    fileprivate mutating func note(_ message: ConversationMessage, at time: Timestamp) {
        marks += message.marks
        if message.isInterruption { interruption = (time, message.isToolInterruption) }
    }

    /// - Parameter place: the position of the line in its file.
    fileprivate mutating func takeNames(_ line: TranscriptLine, _ message: LineMessage?, at place: Int64) {
        // The lines of titles have no time. Before the first line with a time, the time is unknown.
        let at = line.at ?? lastAt ?? Timestamp(microseconds: 0)
        func name(_ text: String) -> SessionNames.Name {
            SessionNames.Name(text: StoredForm.line(text), at: at, place: place)
        }
        if let text = line.personTitle { report.names.person = name(text) }
        if let text = line.clientTitle, !text.isEmpty { report.names.client = name(text) }
        if report.names.prompt == nil, let text = message?.prompt, message?.isOfMainAgent ?? false {
            report.names.prompt = name(text)
        }
    }

    fileprivate mutating func take(_ line: TranscriptLine) {
        if line.isMessage { messages += 1 }
        if let at = line.at {
            lastAt = max(lastAt ?? at, at)
            report.since = min(report.since ?? at, at)
        }
        if let branch = line.gitBranch { report.gitBranch = StoredForm.word(branch) }
        directory = directory ?? line.directory
        agentID = agentID ?? line.agentID
        clientVersion = [clientVersion, line.clientVersion].compactMap(\.self).max()
        if let (usd, tokens) = line.cost, usd >= report.cost?.costUSD ?? 0 {
            report.cost = SessionCost(costUSD: usd, tokens: tokens, until: lastAt)
        }
    }
}
