internal import EventModel
internal import Sessions

/// The last state of a session that was passed to its Live Activity.
struct ShownActivity: Sendable, Equatable {
    var phase: ActivityState.Phase
    var since: Timestamp
    var pending: Int
    var toolName: String?
    var title: String?
}

extension SessionMonitorState {
    /// Returns `nil` if the visible state has not changed.
    mutating func activity(at time: Timestamp, _ event: CommittedEvent) -> ActivityState? {
        let phase = phase(at: time)
        let waits = prompts.open.filter(\.isWaitedFor)
        let next = ShownActivity(
            phase: phase,
            since: shown.flatMap { $0.phase == phase ? $0.since : nil } ?? time,
            pending: waits.count,
            toolName: phase == .waiting ? waits.first?.toolName : phase == .running ? toolName : nil,
            title: title
        )
        guard next != shown else { return nil }
        shown = next
        return ActivityState(
            place: NotificationPlace(event),
            phase: phase,
            since: next.since,
            pending: next.pending,
            toolName: next.toolName,
            sessionTitle: title,
            at: event.event.receivedAt
        )
    }

    private func phase(at time: Timestamp) -> ActivityState.Phase {
        if isEnded { return .ended }
        if prompts.open.contains(where: \.isWaitedFor) { return .waiting }
        if turn.isRunning || turn.held != nil || turn.runningAgents(at: time) > 0 { return .running }
        return hasFailed ? .error : .idle
    }
}
