/// Which of a session's questions to a person are still open, told from events in any order of arrival.
///
/// A request has no id of its own (PermissionRequest carries no `tool_use_id`), and a person's "no" fires no event at
/// all, so a request ends by its tool's result, or by the end of its agent's turn.
struct OpenRequests: Sendable, Equatable {
    /// A tool call, told apart from others by its agent, tool and input.
    struct Key: Sendable, Hashable {
        var agentID: String?
        var toolName: String?
        var inputHash: UInt64?
    }

    /// The latest times at which things were seen to happen to one call.
    struct Call: Sendable, Equatable {
        var key: Key
        var kind: Session.WaitingFor.Kind
        var toolUseID: String?
        var startedAt: Timestamp?
        var requestedAt: Timestamp?
        var resolvedAt: Timestamp?

        var latest: Timestamp {
            max(max(startedAt ?? .distantPast, requestedAt ?? .distantPast), resolvedAt ?? .distantPast)
        }
    }

    /// More than these at once are forgotten, oldest first.
    static let maximumCalls = 32
    static let maximumAgents = 16

    var calls: [Call] = []
    /// The end of each agent's latest turn or batch of tools; the main agent's key is the empty string.
    var turnEnds: [(agentID: String, at: Timestamp)] = []

    static func == (left: OpenRequests, right: OpenRequests) -> Bool {
        left.calls == right.calls && left.turnEnds.count == right.turnEnds.count
            && zip(left.turnEnds, right.turnEnds).allSatisfy { $0.agentID == $1.agentID && $0.at == $1.at }
    }

    mutating func started(_ key: Key, toolUseID: String?, at time: Timestamp) {
        update(key) { call in
            if call.startedAt.isBefore(time) {
                call.startedAt = time
                call.toolUseID = toolUseID ?? call.toolUseID
            }
        }
    }

    mutating func requested(_ key: Key, kind: Session.WaitingFor.Kind, at time: Timestamp) {
        update(key) { call in
            if call.requestedAt.isBefore(time) {
                call.requestedAt = time
                call.kind = kind
            }
        }
    }

    /// `toolUseID` finds the call even where the input was edited on approval.
    mutating func resolved(_ key: Key, toolUseID: String?, at time: Timestamp) {
        let known = calls.first { $0.toolUseID != nil && $0.toolUseID == toolUseID }?.key
        update(known ?? key) { call in
            if call.resolvedAt.isBefore(time) { call.resolvedAt = time }
        }
    }

    mutating func turnEnded(agentID: String?, at time: Timestamp) {
        let agent = agentID ?? ""
        if let index = turnEnds.firstIndex(where: { $0.agentID == agent }) {
            turnEnds[index].at = max(turnEnds[index].at, time)
        } else {
            turnEnds.append((agent, time))
        }
        turnEnds.sort { ($0.at, $0.agentID) < ($1.at, $1.agentID) }
        if turnEnds.count > OpenRequests.maximumAgents {
            turnEnds.remove(at: turnEnds.firstIndex { !$0.agentID.isEmpty } ?? 0)
        }
        forgetSettledCalls()
    }

    /// The request that has been open longest.
    var oldest: Call? {
        calls.filter(isOpen).min { ($0.requestedAt ?? .distantPast) < ($1.requestedAt ?? .distantPast) }
    }

    private func isOpen(_ call: Call) -> Bool {
        guard let requestedAt = call.requestedAt else { return false }
        let turnEnd = OpenRequests.turnEnd(of: call.key.agentID, in: turnEnds)
        return requestedAt > max(call.resolvedAt ?? .distantPast, turnEnd)
    }

    private static func turnEnd(of agentID: String?, in turnEnds: [(agentID: String, at: Timestamp)]) -> Timestamp {
        turnEnds.first { $0.agentID == agentID ?? "" }?.at ?? .distantPast
    }

    private mutating func update(_ key: Key, _ change: (inout Call) -> Void) {
        if let index = calls.firstIndex(where: { $0.key == key }) {
            change(&calls[index])
        } else {
            var call = Call(key: key, kind: .permission)
            change(&call)
            calls.append(call)
        }
        calls.sort { left, right in
            let (first, second) = (left.latest, right.latest)
            return first == second ? left.key.order < right.key.order : first < second
        }
        forgetSettledCalls()
        if calls.count > OpenRequests.maximumCalls { calls.removeFirst(calls.count - OpenRequests.maximumCalls) }
    }

    /// What ended with its agent's turn can no longer be waited for.
    private mutating func forgetSettledCalls() {
        let turnEnds = turnEnds
        calls.removeAll { $0.latest <= OpenRequests.turnEnd(of: $0.key.agentID, in: turnEnds) }
    }
}

extension OpenRequests.Key {
    fileprivate var order: String { "\(agentID ?? "")\0\(toolName ?? "")\0\(inputHash ?? 0)" }
}

extension Timestamp {
    static let distantPast = Timestamp(microseconds: .min)
}

extension Timestamp? {
    fileprivate func isBefore(_ time: Timestamp) -> Bool { self.map { $0 < time } ?? true }
}
