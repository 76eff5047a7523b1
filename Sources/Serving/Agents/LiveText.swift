internal import Agents
internal import EventIngest
internal import EventModel
internal import JSON
internal import Listener
internal import Masking
internal import WSFanout

/// The text that one session is writing, as subscribers have got it.
struct LiveText {
    /// A longer text is not shown before it is finished.
    private static let maximumBytes = 256 << 10

    private let sessionID: String
    private var messageID = ""
    private var written = ""
    /// The masked text that was sent.
    private var shown = ""
    private var index = 0

    init(sessionID: String) {
        self.sessionID = sessionID
    }

    var isEmpty: Bool { shown.isEmpty }

    /// Takes a piece, and returns what to send. A secret that is complete only now replaces what was sent before.
    mutating func take(_ piece: AgentPartial) -> StreamNotice? {
        if piece.messageID != messageID { (messageID, written, shown, index) = (piece.messageID, "", "", 0) }
        guard !piece.isDone else {
            defer { (written, shown) = ("", "") }
            return notice("", replaces: false, isDone: true)
        }
        written = piece.replaces ? piece.text : written + piece.text
        guard written.utf8.count <= LiveText.maximumBytes else { return nil }
        let masked = SecretMasker.masked(written)
        let isMore = !piece.replaces && masked.utf8.starts(with: shown.utf8)
        let more = isMore ? String(decoding: masked.utf8.dropFirst(shown.utf8.count), as: UTF8.self) : masked
        shown = masked
        guard !isMore || !more.isEmpty else { return nil }
        defer { index += 1 }
        return notice(more, replaces: !isMore)
    }

    /// All of the text so far.
    var whole: StreamNotice { notice(shown, replaces: true) }

    private func notice(_ text: String, replaces: Bool, isDone: Bool = false) -> StreamNotice {
        var writer = JSONWriter(reserving: text.utf8.count + 160)
        writer.beginObject()
        writer.field("session_id", sessionID)
        writer.field("message_id", messageID)
        writer.field("index", Int64(index))
        writer.field("text", text)
        if replaces { writer.field("replaces", true) }
        if isDone { writer.field("done", true) }
        writer.endObject()
        let name = EventType.messagePartial.rawValue
        return StreamNotice(method: "event/\(name)", event: name, json: writer.bytes)
    }
}

extension LoopHandler {
    /// Sends a piece of text that a session is writing.
    ///
    /// - Parameter session: the session's id in the log.
    func publish(_ piece: AgentPartial, of session: String) {
        guard context.ingest.contentPolicy != .none else { return }
        var text = liveTexts[session] ?? LiveText(sessionID: session)
        let notice = text.take(piece)
        liveTexts[session] = text.isEmpty ? nil : text
        guard let notice else { return }
        hub.send(live: notice, whole: text.whole, of: LiveStream(.messagePartial, of: session))
    }
}
