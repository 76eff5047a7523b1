/// A position in the server's log.
struct LogPosition: Equatable, Sendable {
    var epoch: String
    var seq: Int64

    var text: String { "\(epoch):\(seq)" }

    /// Reads `EPOCH:SEQ`.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let seq = Int64(text[text.index(after: colon)...]), seq >= 0
        else { return nil }
        epoch = String(text[..<colon])
        self.seq = seq
    }

    init(epoch: String, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }
}

/// Decides how to handle each block of a followed stream, so that each event is shown once and in order across
/// reconnects.
struct FollowState {
    enum Action: Equatable {
        case show(String)
        case warn(String)
        case nothing
    }

    /// The position to resume from; `nil` until the server has sent one.
    private(set) var position: LogPosition?
    /// The newest event shown.
    private(set) var seq: Int64

    init(position: LogPosition?, seq: Int64 = 0) {
        self.position = position
        self.seq = max(seq, position?.seq ?? 0)
    }

    mutating func receive(_ message: ServerSentEvents.Message) -> Action {
        let place = message.lastEventID.flatMap(LogPosition.init)
        if message.event == "reset" {
            position = place
            seq = place?.seq ?? 0
            return .warn("some events were missed: the server no longer has the position to resume from")
        }
        if let place {
            guard isAhead(place) else { return .nothing }
            position = place
            seq = place.seq
        }
        return .show(message.data)
    }

    /// The stream's id has moved, possibly by a block without data: no matching event precedes it.
    mutating func reached(_ id: String) {
        guard let place = LogPosition(id), isAhead(place) else { return }
        position = place
        seq = place.seq
    }

    /// Records an event from outside the stream. Such an event has no epoch of its own.
    mutating func shown(_ seq: Int64, epoch: String?) {
        self.seq = max(self.seq, seq)
        if let epoch = epoch ?? position?.epoch {
            position = LogPosition(epoch: epoch, seq: self.seq)
        }
    }

    private func isAhead(_ place: LogPosition) -> Bool {
        place.seq > seq || (position.map { $0.epoch != place.epoch } ?? false)
    }
}
