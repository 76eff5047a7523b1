internal import EventModel

extension SessionState {
    package var projectPath: String? { project?.value }

    package var workspaceID: String? {
        guard let machine, let project else { return nil }
        return WorkspaceID.make(machine: machine.value.id, path: project.value)
    }

    /// `nil` as long as only internal events without a known machine were seen.
    package var session: Session? {
        guard let machine, let startedAt else { return nil }
        let said = end.flatMap { end in alive.map { $0.order < end.order } ?? true ? end : nil }
        let found = gone.flatMap { gone in alive.map { $0.order < gone.order } ?? true ? gone : nil }
        let isParked = isParkedNow
        // Its process has ended, and the session has not.
        let ended =
            isParked ? nil : said ?? found.map { Register(order: $0.order, value: "gone") } ?? endOfImported
        let openPrompts = ended == nil ? prompts.open : []
        let waitingFor = openPrompts.filter(\.isWaitedFor).min { $0.openedAt < $1.openedAt }
            .map(Session.WaitingFor.init)
        let background = ended == nil ? workInBackground : nil
        let settled: Session.State =
            ended != nil ? .idle : background != nil ? .running : activity.latest?.value.state ?? .idle
        let shownTitle = title.shown(directory: project?.value)
        let endSource: Session.StateSource = said != nil ? .hooks : found != nil ? .heartbeat : .transcript
        let held = holding(ended: ended.map { ($0.order.time, endSource) }, waitingFor: waitingFor)
        return Session(
            id: id,
            machine: machine.value.id,
            machineName: machine.value.name,
            reportedMachineName: machine.value.reportedName,
            workspaceID: workspaceID,
            projectPath: project?.value,
            state: waitingFor == nil ? settled : .waiting,
            stateSource: held.source,
            stateSince: held.since ?? startedAt,
            waitingFor: waitingFor,
            background: background,
            prompts: openPrompts,
            loop: ended == nil ? repeats.loop : nil,
            startedAt: startedAt,
            lastActivityAt: lastActivityAt ?? startedAt,
            endedAt: ended?.order.time,
            endReason: ended?.value,
            messageCount: max(messageCount, writtenMessages),
            toolCallCount: max(toolCallCount, writtenToolCalls),
            tokenUsage: tokenUsage,
            totalCost: totalCost,
            usageConfidence: tokenUsage.total > 0 ? .estimated : .none,
            gitBranch: gitBranch?.value,
            currentModel: model?.value,
            permissionMode: permissionMode?.value,
            runner: runner?.value ?? .unknown,
            continues: continues?.value,
            continuedBy: continuedBy?.value,
            isParked: isParked,
            title: shownTitle?.text,
            titleSource: shownTitle?.source,
            isPinned: isPinned?.value ?? false,
            isArchived: isArchived?.value ?? false,
            lastSeq: lastSeq
        )
    }
}

extension SessionState {
    /// A process that a person starts meanwhile wakes it as well.
    private var isParkedNow: Bool {
        guard let isParked, isParked.value else { return false }
        return alive.map { $0.order < isParked.order } ?? true
    }

    /// The end of a session that only old lines of its transcript tell of, and that has not gone on since.
    private var endOfImported: Register<String>? {
        guard let imported, alive == nil, activity.latest == nil, let lastActivityAt,
            lastActivityAt.seconds(since: imported.order.time) < SessionState.importedSeconds
        else { return nil }
        return Register(order: imported.order, value: "imported")
    }

    private var workInBackground: Session.Background? {
        guard let latest = activity.latest, latest.value.state == .idle else { return nil }
        let agents = background.count(after: latest.order.time)
        return agents == 0 ? nil : Session.Background(agents: agents, since: activity.since ?? latest.order.time)
    }

    /// The evidence for the state, and the time since which the state holds.
    private func holding(
        ended: (at: Timestamp, source: Session.StateSource)?,
        waitingFor: Session.WaitingFor?
    ) -> (source: Session.StateSource, since: Timestamp?) {
        if let ended { return (ended.source, ended.at) }
        if let waitingFor { return (.hooks, waitingFor.since) }
        let since = activity.since
        if let end = prompts.lastEnd, let latest = activity.latest, end.time > latest.order.time {
            return (end.source, end.time)
        }
        return (activity.latest?.value.source ?? .hooks, [since, prompts.lastEnd?.time].compactMap { $0 }.max())
    }
}
