internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// What a request for a project chat would do.
struct ProjectPlan: Sendable {
    enum Way: String, Sendable, CaseIterable {
        case start
        case resume
        case send
    }

    var way: Way
    var target: ProjectTarget
    var isConnected: Bool
    var isBusy: Bool
    var isAnswerable: Bool
    var request: ProjectRequest

    /// What Claude Code is started with, beside what every session of an agent has.
    var flags: [String] {
        guard way != .send else { return [] }
        var flags = ["--permission-mode", "default"]
        if way == .resume, let session = target.session { flags += ["--resume", session.id] }
        if let model = request.chat.model { flags += ["--model", model] }
        if let effort = request.chat.effort { flags += ["--effort", effort] }
        if way == .start, request.chat.systemPrompt != nil { flags.append("--append-system-prompt") }
        return flags
    }

    static let shape = ObjectShape<ProjectPlan>("ProjectChatDebug") { it in
        it.constant("kind", "session")
        it.word("action") { $0.way }
        it.member("machine_id") { $0.target.machineName }
        it.member("project_id") { $0.target.projectID }
        it.member("directory") { $0.target.directory }
        it.member("session_id") { $0.target.session?.id }
        it.member("agent_connected") { $0.isConnected }
        it.member("session_busy") { $0.isBusy }
        it.member("flags") { $0.flags }
        it.member("model") { $0.request.chat.model }
        it.member("text_bytes") { Int64($0.request.text.utf8.count) }
        it.member("images") { Int64($0.request.images.count) }
        it.member("earlier_messages") { $0.way == .start ? Int64($0.request.chat.history.count) : 0 }
        it.object("permissions") { it in
            it.constant("mode", "default")
            it.constant("asked", "everything that the rules of Claude Code on the machine do not allow")
            it.member("answerable") { $0.isAnswerable }
        }
        it.member("ignored_parameters") { $0.request.chat.ignored }
    }
}

extension ProjectChats {
    /// Looks at nothing that a request would change.
    func plan(_ json: JSONValue, for principal: Principal) async throws(APIError) -> ProjectPlan {
        var request = try ProjectRequest(json)
        request.chat.model = try chats.settings.model(request.chat.model, for: principal)
        let target = try await target(of: request, for: principal)
        var way = ProjectPlan.Way.start
        if let session = target.session {
            way = ports.activity(session.id, session.machine) == nil ? .resume : .send
        }
        return ProjectPlan(
            way: way,
            target: target,
            isConnected: ports.isConnected(target.machine),
            isBusy: target.session.map(isRunning) ?? false,
            isAnswerable: ports.isAnswerable(target.machine),
            request: request
        )
    }

    func isRunning(_ session: Session) -> Bool {
        if busy.contains(session.id) { return true }
        switch ports.activity(session.id, session.machine) {
        case .busy?, .asking?: return true
        case .idle?, .terminal?, nil: return false
        }
    }

    /// Ends the turn, and takes back what waits for its end.
    func stop(_ session: Session, by responder: Responder) async throws(APIError) {
        switch ports.activity(session.id, session.machine) {
        case .busy?, .asking?: break
        case .idle?: guard busy.contains(session.id) else { return }
        case .terminal?: throw ChatRefusal.runElsewhere
        case nil:
            guard session.endedAt == nil else { return }
            throw session.runner == .agent ? ChatRefusal.away(session.machineName) : ChatRefusal.runElsewhere
        }
        try await ports.interrupt(session.id, responder)
    }
}
