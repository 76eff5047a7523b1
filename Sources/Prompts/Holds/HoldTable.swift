package import EventModel
package import Sessions
internal import Workers

/// Identifies a waiting hook by the machine whose key it uses and the UUID that it chose.
package struct HoldKey: Sendable, Hashable {
    package var machine: MachineID
    package var id: String

    package init(machine: MachineID, id: String) {
        (self.machine, self.id) = (machine, id)
    }
}

/// What a hook waits for.
package struct Hold: Sendable {
    package var key: HoldKey
    /// The id that the prompt has if the hook's own event opened it.
    package var requestID: String
    /// `nil` until the event is committed and the prompt is found.
    package var promptID: String?
    package var policy: HoldPolicy
    package var content: HeldContent
    /// On the steady clock.
    package var until: Timestamp

    package init(
        key: HoldKey,
        requestID: String,
        policy: HoldPolicy,
        content: HeldContent,
        until: Timestamp
    ) {
        (self.key, self.requestID, self.policy) = (key, requestID, policy)
        (self.content, self.until) = (content, until)
    }
}

/// The hooks that wait on this server, each with its open request, if there is one.
///
/// A hook polls. Its hold outlives a request by `graceSeconds`, so that a lost connection does not end the wait. All
/// times are on the steady clock.
package struct HoldTable<Reply: Sendable>: Sendable {
    /// Limits on the number of holds and on the bytes of their contents. A machine gets its share of both
    /// (`FairShare`). Beyond a limit, the hook does not wait and the terminal asks.
    package static var maximum: Int { 20_000 }
    package static var maximumBytes: Int { 64 << 20 }
    package static var graceSeconds: Double { 60 }

    private struct Entry: Sendable {
        var hold: Hold
        var poll: (number: UInt64, reply: Reply)?
        /// The time since which no request has been waiting.
        var idleSince: Timestamp?
        /// The latest answer that was judged by the hold's content.
        var judged: (answer: PromptAnswer, decision: HookDecision)?
    }

    package enum Opening: Sendable {
        /// - Parameter replaced: the reply of an older request of the same hold.
        case waiting(poll: UInt64, replaced: Reply?)
        case full
    }

    private var entries: [HoldKey: Entry] = [:]
    private var ofPrompt: [String: Set<HoldKey>] = [:]
    private var polls: UInt64 = 0
    private var room: FairShare<MachineID>

    package init(bytes: Int = Self.maximumBytes, holds: Int = Self.maximum) {
        room = FairShare(bytes: bytes, pieces: holds)
    }

    package var bytes: Int { room.heldBytes }

    package var count: Int { entries.count }
    /// The prompts that have holds.
    package var boundPrompts: [String] { Array(ofPrompt.keys) }
    /// The prompts for which a request is open.
    package var awaitedPrompts: [String] { ofPrompt.keys.filter(isAwaited) }

    /// Whether a request is open for the prompt.
    package func isAwaited(_ promptID: String) -> Bool {
        ofPrompt[promptID]?.contains { entries[$0]?.poll != nil } ?? false
    }

    /// Whether a request of the hold is open.
    package func isOpen(_ key: HoldKey) -> Bool { entries[key]?.poll != nil }

    /// Whether others than this hold wait for its prompt.
    package func isShared(_ key: HoldKey) -> Bool {
        guard let promptID = entries[key]?.hold.promptID else { return false }
        return ofPrompt[promptID]?.contains { $0 != key } ?? false
    }

    /// The holds with an open request whose prompt is not known yet.
    package var unbound: [Hold] {
        entries.values.filter { $0.poll != nil && $0.hold.promptID == nil }.map(\.hold)
    }

    /// The request ids of the holds whose prompt is not known yet. A hold may have no open request at the moment.
    package var unboundRequests: [HoldKey: String] {
        entries.compactMapValues { $0.hold.promptID == nil ? $0.hold.requestID : nil }
    }

    package subscript(key: HoldKey) -> Hold? { entries[key]?.hold }

    /// The newest hold of a prompt.
    package func hold(of promptID: String) -> Hold? {
        (ofPrompt[promptID] ?? []).compactMap { entries[$0]?.hold }.max { $0.until < $1.until }
    }

    /// Adds a request of a hook. A repeated request replaces the content and the remaining time.
    package mutating func open(_ hold: Hold, reply: Reply) -> Opening {
        var hold = hold
        let former = entries[hold.key]
        guard makeRoom(for: hold, insteadOf: former?.hold) else { return .full }
        if former?.hold.requestID == hold.requestID {
            hold.promptID = former?.hold.promptID
        } else {
            unbind(former?.hold)
        }
        polls += 1
        let isSame = former?.hold.promptID == hold.promptID && former?.hold.content == hold.content
        entries[hold.key] = Entry(hold: hold, poll: (polls, reply), judged: isSame ? former?.judged : nil)
        return .waiting(poll: polls, replaced: former?.poll?.reply)
    }

    /// Records the prompt of a hold.
    package mutating func bind(_ key: HoldKey, to promptID: String) {
        guard entries[key] != nil else { return }
        unbind(entries[key]?.hold)
        entries[key]?.hold.promptID = promptID
        ofPrompt[promptID, default: []].insert(key)
    }

    /// Takes the open request of a hold, to be answered. The hold stays.
    package mutating func takeReply(_ key: HoldKey, now: Timestamp) -> Reply? {
        guard let poll = entries[key]?.poll else { return nil }
        entries[key]?.poll = nil
        entries[key]?.idleSince = now
        return poll.reply
    }

    /// Keeps what the hook is to print if the log shows the answer as the first.
    package mutating func note(_ decision: HookDecision, for answer: PromptAnswer, of key: HoldKey) {
        entries[key]?.judged = (answer, decision)
    }

    /// Takes the open requests of a prompt's holds, to send them the answer that the log shows as the first. The holds
    /// stay: if an answer is lost on its way, the hook asks again.
    ///
    /// - Returns: with each hold the decision, or `nil` if the answer was not judged by the hold's content.
    package mutating func takeReplies(
        of promptID: String,
        for answer: PromptAnswer,
        now: Timestamp
    ) -> [(hold: Hold, decision: HookDecision?, reply: Reply)] {
        (ofPrompt[promptID] ?? []).compactMap { key in
            guard let entry = entries[key], let reply = takeReply(key, now: now) else { return nil }
            let isOfAnswer = entry.judged?.answer.id == answer.id && entry.judged?.answer.deviceID == answer.deviceID
            return (entry.hold, isOfAnswer ? entry.judged?.decision : nil, reply)
        }
    }

    /// Records that a request ended without an answer.
    /// - Returns: its reply, or `nil` if the hold has a newer request, or none.
    @discardableResult
    package mutating func pollEnded(_ key: HoldKey, _ poll: UInt64, now: Timestamp) -> Reply? {
        guard entries[key]?.poll?.number == poll else { return nil }
        return takeReply(key, now: now)
    }

    /// - Returns: the removed hold, and the reply of its open request.
    package mutating func remove(_ key: HoldKey) -> (hold: Hold, reply: Reply?)? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        room.giveBack(entry.hold.content.bytes, to: entry.hold.key.machine)
        unbind(entry.hold)
        return (entry.hold, entry.poll?.reply)
    }

    /// Removes the holds of a prompt that nobody can answer any more.
    package mutating func removeAll(of promptID: String) -> [(hold: Hold, reply: Reply?)] {
        (ofPrompt[promptID] ?? []).compactMap { remove($0) }
    }

    /// Removes the holds whose time is over, and those whose hook has not asked again.
    package mutating func expire(now: Timestamp) -> [(hold: Hold, reply: Reply?)] {
        let over = entries.filter { _, entry in
            if entry.hold.until <= now { return true }
            return entry.idleSince.map { now.seconds(since: $0) >= Self.graceSeconds } ?? false
        }
        return over.keys.compactMap { remove($0) }
    }

    /// Takes room for the hold, and gives back what it replaces. A repeated request of the same size keeps its room
    /// even if the machine's share has become smaller. If there is no room, nothing changes.
    private mutating func makeRoom(for hold: Hold, insteadOf former: Hold?) -> Bool {
        let (bytes, machine) = (hold.content.bytes, hold.key.machine)
        guard let former else { return room.take(bytes, from: machine) }
        let added = bytes - former.content.bytes
        if added > 0 { return room.grow(by: added, from: machine) }
        room.giveBack(former.content.bytes, to: machine)
        room.restore(bytes, to: machine)
        return true
    }

    private mutating func unbind(_ hold: Hold?) {
        guard let hold, let promptID = hold.promptID else { return }
        ofPrompt[promptID]?.remove(hold.key)
        if ofPrompt[promptID]?.isEmpty ?? false { ofPrompt[promptID] = nil }
    }
}
