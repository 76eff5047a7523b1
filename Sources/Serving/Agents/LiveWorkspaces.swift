internal import Agents
internal import EventModel
internal import JSON
internal import Listener
internal import Persistence
internal import WSFanout

/// What happens in workspaces that somebody follows. Loop thread only.
struct LiveWorkspaces {
    var plan = WatchPlan()
    var changes = WaitingChanges()

    /// A notice about a workspace, in the form that cdev's clients know. It has no place in the log.
    static func notice(
        _ type: EventType,
        of workspace: String,
        at time: Timestamp,
        author: FileAuthors.Author? = nil,
        _ payload: JSONValue
    ) -> StreamNotice {
        let name = type.rawValue
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("event", name)
        writer.field("type", name)
        writer.field("timestamp", time.description)
        writer.field("workspace_id", workspace)
        writer.field("session_id", author?.sessionID)
        writer.field("agent_type", "claude")
        writer.field("payload", payload)
        writer.endObject()
        return StreamNotice(method: "event/\(name)", event: name, json: writer.bytes)
    }

    /// That more has changed than is told.
    static func manyChanges(of workspace: String, at time: Timestamp) -> StreamNotice {
        notice(
            .fileChanged,
            of: workspace,
            at: time,
            .object([("path", .string(".")), ("change", .string("modified")), ("is_cut", .bool(true))])
        )
    }

    static func gitNotice(_ status: JSONValue, of workspace: String, at time: Timestamp) -> StreamNotice {
        let names: Set<String> = [
            "branch", "is_detached", "head", "upstream", "ahead", "behind", "staged_count", "unstaged_count",
            "untracked_count", "has_conflicts", "changed_files", "state", "operation", "is_truncated",
        ]
        guard case .object(let members) = status else {
            return notice(.gitStatusChanged, of: workspace, at: time, status)
        }
        return notice(.gitStatusChanged, of: workspace, at: time, .object(members.filter { names.contains($0.0) }))
    }

    static func stateNotice(_ state: AgentWatchState, at time: Timestamp) -> StreamNotice {
        notice(
            .watchChanged,
            of: state.workspaceID,
            at: time,
            .object([
                ("part", .string(state.part)), ("mode", .string(state.mode)),
                ("reason", state.reason.map(JSONValue.string) ?? .null),
            ])
        )
    }
}

extension WaitingChanges.Change {
    fileprivate func notice(at time: Timestamp) -> StreamNotice {
        guard case .object(var members) = json else {
            return LiveWorkspaces.manyChanges(of: workspaceID, at: time)
        }
        if let author { members += [("tool_use_id", .string(author.toolUseID)), ("tool_name", .string(author.tool))] }
        return LiveWorkspaces.notice(.fileChanged, of: workspaceID, at: time, author: author, .object(members))
    }
}

extension LoopHandler {
    /// Call at the end of each turn.
    func tendWorkspaces(on loop: isolated NetworkLoop) {
        if hub.takeFollowersChange() { planWatches() }
        guard workspaces.changes.deadline != nil else { return }
        let now = context.steadyClock()
        let time = context.clock()
        for change in workspaces.changes.due(now) {
            send(change.notice(at: time), about: .files, of: change.workspaceID, on: change.machine)
        }
        if let next = workspaces.changes.deadline {
            loop.wake(withinMicroseconds: Int64(max(0, next.seconds(since: now)) * 1_000_000) + 1000)
        }
    }

    /// Call about once a second: rights may have changed.
    func tickWorkspaces() {
        guard !hub.workspaceFollowers.isEmpty || !workspaces.plan.isIdle else { return }
        workspaces.plan.tick()
        planWatches()
    }

    private func planWatches() {
        let followers = hub.workspaceFollowers
        let actions = workspaces.plan.actions(followed: Set(followers.keys)) { workspace, machine in
            var parts = WorkspaceParts()
            for (channel, wanted) in followers[workspace] ?? [:] where !wanted.isSubset(of: parts) {
                if mayLook(at: machine, channel) { parts.formUnion(wanted) }
            }
            return WatchedParts(files: parts.contains(.files), git: parts.contains(.git))
        }
        for action in actions {
            switch action {
            case .find(let wanted): find(wanted)
            case .watch(let machine, let targets): watch(targets, on: machine)
            }
        }
    }

    private func find(_ wanted: Set<String>) {
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let found = await context.agents.places(of: wanted)
            context.loop.post { handler, _ in
                handler.workspaces.plan.found(found, of: wanted)
                handler.planWatches()
            }
        }
    }

    private func watch(_ targets: [WatchPlan.Target], on machine: MachineID) {
        guard let link = context.agents.links.link(of: machine) else { return workspaces.plan.linkEnded(machine) }
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let isDone = (try? await context.agents.watch(targets, on: link)) != nil
            context.loop.post { handler, _ in
                // The agent has connected again meanwhile, and was told anew.
                guard context.agents.links.link(of: machine) === link else { return }
                handler.workspaces.plan.answered(machine, isDone: isDone)
                handler.planWatches()
            }
        }
    }

    /// The machine's agent has connected.
    func watchesBegin(on link: AgentLink) {
        workspaces.plan.linkBegan(link.machine)
        planWatches()
    }

    /// The connection of an agent has ended, or another one has replaced it.
    func watchesEnd(on link: AgentLink) {
        guard context.agents.links.link(of: link.machine) == nil else { return }
        workspaces.plan.linkEnded(link.machine)
        context.agents.trackers.watched([], on: link.machine, now: context.steadyClock())
    }

    /// Tools of sessions that write files.
    func noteAuthors(_ events: [MonitorEvent]) {
        guard !hub.workspaceFollowers.isEmpty else { return }
        for event in events { workspaces.changes.note(event) }
    }

    // MARK: What agents say

    func publish(_ changes: AgentFileChanges, on machine: MachineID) {
        guard workspaces.plan.machine(of: changes.workspaceID) == machine else { return }
        workspaces.changes.add(changes, on: machine, now: context.steadyClock())
        guard changes.isCut else { return }
        let notice = LiveWorkspaces.manyChanges(of: changes.workspaceID, at: context.clock())
        send(notice, about: .files, of: changes.workspaceID, on: machine)
    }

    func publish(_ change: AgentGitChange, on machine: MachineID) {
        guard workspaces.plan.machine(of: change.workspaceID) == machine else { return }
        guard context.agents.trackers.note(change, on: machine, now: context.steadyClock()),
            let status = change.status
        else { return }
        let notice = LiveWorkspaces.gitNotice(status, of: change.workspaceID, at: context.clock())
        send(notice, about: .git, of: change.workspaceID, on: machine)
    }

    func publish(_ state: AgentWatchState, on machine: MachineID) {
        guard workspaces.plan.machine(of: state.workspaceID) == machine else { return }
        let notice = LiveWorkspaces.stateNotice(state, at: context.clock())
        send(notice, about: state.part == "git" ? .git : .files, of: state.workspaceID, on: machine)
    }

    private func send(
        _ notice: StreamNotice,
        about part: WorkspaceParts,
        of workspace: String,
        on machine: MachineID
    ) {
        hub.send(notice, about: part, of: workspace) { mayLook(at: machine, $0) }
    }

    /// What a subscriber learns that has missed notices of a workspace.
    func missed(_ part: WorkspaceParts, of workspace: String) -> StreamNotice? {
        let time = context.clock()
        guard part == .git else { return LiveWorkspaces.manyChanges(of: workspace, at: time) }
        let tracker = context.agents.trackers.tracker(of: workspace, now: context.steadyClock())
        return tracker?.status.map { LiveWorkspaces.gitNotice($0, of: workspace, at: time) }
    }
}
