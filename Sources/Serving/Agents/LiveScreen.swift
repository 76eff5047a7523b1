internal import Access
internal import Agents
internal import EventIngest
internal import EventModel
internal import JSON
internal import Listener
internal import Masking
internal import WSFanout

/// What the terminal of one session shows: the last of its output, for subscribers that come later.
struct LiveScreen {
    static let capacity = 256 << 10

    /// The machine of the session.
    let machine: MachineID
    private let sessionID: String
    private var bytes: [UInt8] = []

    init(sessionID: String, on machine: MachineID) {
        (self.sessionID, self.machine) = (sessionID, machine)
    }

    var size: Int { bytes.count }

    /// - Returns: what to send. A piece that is too large for a message restarts the terminal, as for a subscriber that
    ///   comes later.
    mutating func take(_ piece: AgentScreen) -> StreamNotice {
        if piece.restarts { bytes = [] }
        bytes += piece.text.utf8
        // Trimmed rarely, because what is kept must be moved.
        if bytes.count > 2 * LiveScreen.capacity { bytes.removeFirst(bytes.count - LiveScreen.capacity) }
        guard LiveSize.json(piece.text.utf8) <= LiveSize.notice else { return whole }
        return notice(piece.text, restarts: piece.restarts)
    }

    /// All that is kept, as far as a message has room.
    var whole: StreamNotice {
        let kept = LiveSize.end(of: bytes, atMost: LiveScreen.capacity)
        return notice(String(decoding: kept, as: UTF8.self), restarts: true)
    }

    private func notice(_ text: String, restarts: Bool) -> StreamNotice {
        let name = EventType.ptyOutput.rawValue
        var writer = JSONWriter(reserving: text.utf8.count + 200)
        writer.beginObject()
        writer.field("event", name)
        writer.field("session_id", sessionID)
        writer.field("data", text)
        if restarts { writer.field("restarts", true) }
        writer.endObject()
        return StreamNotice(method: "event/\(name)", event: name, json: writer.bytes)
    }
}

extension LoopHandler {
    /// Sends what a session's terminal shows.
    ///
    /// - Parameter session: the session's id in the log.
    func publish(_ piece: AgentScreen, of session: String, on machine: MachineID) {
        guard context.ingest.contentPolicy != .none else { return }
        let notice = liveScreens[session, default: LiveScreen(sessionID: session, on: machine)].take(piece)
        // Without room, a subscriber that comes later begins with the next piece.
        if !hasRoomForLive(0, of: machine) { liveScreens[session] = nil }
        // The screen is copied only for those that need it.
        hub.send(
            live: notice,
            whole: liveScreens[session]?.whole ?? notice,
            of: LiveStream(.ptyOutput, of: session)
        ) { mayLook(at: machine, $0) }
    }

    /// Whether the client may see the files of a machine, and its terminals, which show as much. A channel that is no
    /// device's and no API key's is the operator's.
    func mayLook(at machine: MachineID, _ channel: ChannelID) -> Bool {
        guard let opener = revocableChannels[channel] else { return true }
        guard let principal = context.authenticator.current(opener) else { return false }
        return WorkspaceRight.look.isHeld(by: principal, on: machine)
    }

    /// The agent has said that the session is over.
    func forgetLive(of session: String) {
        liveTexts[session] = nil
        liveScreens[session] = nil
    }

    /// All that counts of a stream so far.
    func whole(of stream: LiveStream) -> StreamNotice? {
        stream.type == .ptyOutput ? liveScreens[stream.session]?.whole : liveTexts[stream.session]?.whole
    }

    /// Sends a new subscriber what its session has written so far, and what its terminal shows.
    func tellLive(_ channel: ChannelID, _ transport: Transport, _ filter: EventFilter) {
        guard let session = filter.sessionID, transport != .dialect, transport != .dialectAlone
        else { return }
        if filter.types?.contains(.messagePartial) ?? true, let text = liveTexts[session] {
            hub.send(text.whole.bytes(for: transport), to: channel)
        }
        if filter.types?.contains(.ptyOutput) ?? false, let screen = liveScreens[session],
            mayLook(at: screen.machine, channel)
        {
            hub.send(screen.whole.bytes(for: transport), to: channel)
        }
    }
}
