internal import Agents
internal import CdevDialect
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

    /// The machine of the session.
    let machine: MachineID
    private let sessionID: String
    private var messageID = ""
    private var written = ""
    /// The masked text that was sent.
    private var shown = ""
    private var index = 0
    /// Nothing of the message is shown any more until it begins anew.
    private var isTooLong = false

    init(sessionID: String, on machine: MachineID) {
        (self.sessionID, self.machine) = (sessionID, machine)
    }

    var isEmpty: Bool { written.isEmpty && shown.isEmpty && !isTooLong }

    var size: Int { written.utf8.count + shown.utf8.count }

    /// The bytes that must be masked to show a piece. 0 if nothing is shown.
    private func work(for piece: AgentPartial) -> Int {
        guard !piece.isDone else { return 0 }
        let more = piece.text.utf8.count
        guard piece.messageID == messageID, !piece.replaces else { return more }
        return isTooLong ? 0 : written.utf8.count + more
    }

    /// Takes a piece, and returns what to send. A secret that is complete only now replaces what was sent before.
    ///
    /// - Parameters:
    ///   - hasRoom: whether so many more bytes may be kept.
    ///   - masking: what was masked for the machine. If it allows no more, what was added is sent with a later piece.
    mutating func take(
        _ piece: AgentPartial,
        hasRoom: (Int) -> Bool,
        masking: inout CellRate,
        now: Timestamp
    ) -> StreamNotice? {
        let work = work(for: piece)
        // The text is kept as it was written and as it is shown.
        let hasRoom = hasRoom(2 * work)
        let mayShow = masking.take(LiveSize.masking, requests: work, now: now).isAllowed
        if piece.messageID != messageID { begin(piece.messageID) }
        guard !piece.isDone else {
            defer { (written, shown, isTooLong) = ("", "", false) }
            return notice("", replaces: false, isDone: true)
        }
        if piece.replaces { (written, isTooLong) = ("", false) }
        guard !isTooLong else { return nil }
        guard hasRoom, written.utf8.count + piece.text.utf8.count <= LiveText.maximumBytes else {
            giveUp()
            return nil
        }
        written += piece.text
        return mayShow ? show(replaces: piece.replaces) : nil
    }

    private mutating func begin(_ message: String) {
        (messageID, written, shown, index, isTooLong) = (message, "", "", 0, false)
    }

    private mutating func show(replaces: Bool) -> StreamNotice? {
        let masked = SecretMasker.masked(written)
        guard LiveSize.json(masked.utf8) <= LiveSize.notice else {
            giveUp()
            return nil
        }
        let isMore = !replaces && masked.utf8.starts(with: shown.utf8)
        let more = isMore ? String(decoding: masked.utf8.dropFirst(shown.utf8.count), as: UTF8.self) : masked
        shown = masked
        guard !isMore || !more.isEmpty else { return nil }
        defer { index += 1 }
        return notice(more, replaces: !isMore)
    }

    /// Shows no more of the message.
    private mutating func giveUp() {
        (written, isTooLong) = ("", true)
    }

    /// All of the text so far.
    var whole: StreamNotice { notice(shown, replaces: true) }

    private func notice(_ text: String, replaces: Bool, isDone: Bool = false) -> StreamNotice {
        func members(_ content: String, _ writer: inout JSONWriter) {
            writer.field("message_id", messageID)
            writer.field("index", Int64(index))
            writer.field(content, text)
            if replaces { writer.field("replaces", true) }
            if isDone { writer.field("done", true) }
        }
        let name = EventType.messagePartial.rawValue
        var writer = JSONWriter(reserving: text.utf8.count + 200)
        writer.beginObject()
        writer.field("event", name)
        writer.field("session_id", sessionID)
        members("text", &writer)
        writer.endObject()
        var notice = StreamNotice(method: "event/\(name)", event: name, json: writer.bytes)
        notice.sessionFrames = WebSocketFrame.text(SessionFrames.delta { members("content", &$0) })
        return notice
    }
}

extension LoopHandler {
    /// Sends a piece of text that a session is writing.
    ///
    /// - Parameters:
    ///   - session: the session's id in the log.
    ///   - masking: what was masked for the machine.
    func publish(_ piece: AgentPartial, of session: String, on machine: MachineID, masking: inout CellRate) {
        guard context.ingest.contentPolicy != .none else { return }
        var text = liveTexts.removeValue(forKey: session) ?? LiveText(sessionID: session, on: machine)
        let notice = text.take(
            piece,
            hasRoom: { hasRoomForLive($0, of: machine) },
            masking: &masking,
            now: context.steadyClock()
        )
        liveTexts[session] = text.isEmpty ? nil : text
        guard let notice else { return }
        hub.send(live: notice, whole: text.whole, of: LiveStream(.messagePartial, of: session))
    }
}
