import EventModel
import FanoutSamples
import JSON
import RPC
import Sessions
import Transcripts
import WSFanout

@testable import CdevDialect
@testable import EventIngest

/// Answers from what it holds, as the database would, and notes what was asked.
actor FakeRPCStore: CdevLog, CdevSessions, CdevWorkspaces, CdevPrompts {
    var allSessions: [Session] = []
    var allWorkspaces: [WorkspaceRecord] = []
    var allEvents: [CommittedEvent] = []
    var allMachines: [MachineRecord] = []
    private(set) var deleted: [String] = []
    var isAway = false
    /// As if the bytes of so many events were all that a page may hold.
    var maxEventsByBytes: Int?
    /// Where a page ends because enough of the log was looked at.
    private var through: Int64?

    init(sessions: [Session] = [], workspaces: [WorkspaceRecord] = [], events: [CommittedEvent] = []) {
        allSessions = sessions
        allWorkspaces = workspaces
        allEvents = events
    }

    func setMachines(_ machines: [MachineRecord]) { allMachines = machines }
    func endPages(at place: Int64) { through = place }
    func cutPages(to count: Int) { maxEventsByBytes = count }
    func goAway() { isAway = true }

    private var cut: Set<String> = []

    /// The content of these prompts is left out.
    func leaveOut(_ prompts: [String]) { cut = Set(prompts) }

    func contents(of prompts: [Prompt]) throws(RPCError) -> [String: PromptContent] {
        if isAway { throw .unavailable() }
        var contents: [String: PromptContent] = [:]
        for prompt in prompts {
            var content = PromptContent()
            let opening = allEvents.first { $0.seq == prompt.openingSeq }
            content.toolInput = opening?.event.payloadValue["tool_input"].map { value in
                var writer = JSONWriter()
                writer.value(value)
                return writer.bytes
            }
            if cut.contains(prompt.id) { (content.toolInput, content.isTruncated) = (nil, true) }
            contents[prompt.id] = content
        }
        return contents
    }

    private(set) var responses: [RPCResponse.Request] = []

    func respond(_ response: RPCResponse) throws(RPCError) {
        if isAway { throw .unavailable() }
        responses.append(response.request)
    }

    private(set) var stopped: [String] = []
    var endsAtOnce = true

    func endLater() { endsAtOnce = false }

    func stop(_ sessionID: String, by principal: Principal) throws(RPCError) -> Bool {
        stopped.append(sessionID)
        return endsAtOnce
    }

    private(set) var asked: [RPCPermissionRequest] = []
    var decision = RPCPermissionDecision(.noClients)

    func decide(_ decision: RPCPermissionDecision) { self.decision = decision }

    func ask(_ request: RPCPermissionRequest) throws(RPCError) -> RPCPermissionDecision {
        asked.append(request)
        return decision
    }

    nonisolated var services: CdevServices {
        CdevServices(
            log: self,
            sessions: self,
            workspaces: self,
            prompts: self,
            push: { call async throws(RPCError) in await self.push(call) },
            clock: { start }
        )
    }

    private(set) var pushCalls: [RPCPushCall] = []

    func push(_ call: RPCPushCall) -> [UInt8] {
        pushCalls.append(call)
        return Array("{}".utf8)
    }

    func bounds() throws(RPCError) -> LogBounds {
        LogBounds(epoch: epoch, head: allEvents.last?.seq ?? 0, oldest: allEvents.first?.seq ?? 1)
    }

    func events(_ query: EventQuery) throws(RPCError) -> EventPage {
        if isAway { throw .unavailable() }
        let fitting = query.isDescending ? matching(query).reversed() : matching(query)
        let page = Array(fitting.dropFirst(query.offset ?? 0).prefix(query.limit))
        let cut = maxEventsByBytes.map { Array(page.prefix($0)) } ?? page
        return EventPage(events: cut, through: cut.count == page.count ? through : cut.last?.seq)
    }

    func eventCount(_ query: EventQuery) throws(RPCError) -> Int64 {
        var all = query
        (all.after, all.before) = (query.after, query.before)
        return Int64(matching(all).count)
    }

    func conversation(_ query: ConversationQuery) throws(RPCError) -> ConversationPage {
        ConversationPage(messages: [], hasMore: false, total: 0)
    }

    private func matching(_ query: EventQuery) -> [CommittedEvent] {
        allEvents.filter { event in
            event.seq > query.after ?? -1 && event.seq < query.before ?? .max
                && (query.sessionID == nil || query.sessionID == event.event.sessionID)
                && (query.types.isEmpty || query.types.contains(event.event.type))
        }
    }

    func sessions(_ query: SessionQuery) throws(RPCError) -> SessionPage {
        if isAway { throw .unavailable() }
        let fitting = allSessions.filter { session in
            (query.workspaceID == nil || session.workspaceID == query.workspaceID)
                && (!query.isRunning || session.isRunning(now: query.now))
        }
        let page = fitting.dropFirst(query.offset ?? 0).prefix(query.limit)
        return SessionPage(
            sessions: Array(page),
            next: fitting.count > (query.offset ?? 0) + page.count ? ListCursor(key: 0, id: "next") : nil,
            total: Int64(fitting.count)
        )
    }

    func session(id: String) throws(RPCError) -> Session? { allSessions.first { $0.id == id } }

    func deleteSession(id: String) throws(RPCError) -> Bool {
        deleted.append(id)
        return true
    }

    func machine(named name: String) throws(RPCError) -> MachineID? { allMachines.first { $0.name == name }?.id }

    func machines() throws(RPCError) -> [MachineRecord] { allMachines }

    func workspaces() throws(RPCError) -> WorkspacePage {
        WorkspacePage(workspaces: Array(allWorkspaces.prefix(500)), total: Int64(allWorkspaces.count))
    }

    func workspace(id: String) throws(RPCError) -> WorkspaceRecord? { allWorkspaces.first { $0.id == id } }

    func addWorkspace(
        machine: MachineID,
        path: String,
        name: String?,
        autoStart: Bool?
    ) throws(RPCError) -> WorkspaceRecord? {
        let id = WorkspaceID.make(machine: machine, path: path)
        let machineName = allMachines.first { $0.id == machine }?.name ?? ""
        let made = WorkspaceRecord(
            id: id,
            name: name ?? String(path.split(separator: "/").last ?? ""),
            path: path,
            machineName: machineName,
            createdAt: start,
            lastActivityAt: start,
            autoStart: autoStart ?? false
        )
        allWorkspaces.append(made)
        return made
    }

    func changeWorkspace(id: String, name: String?, autoStart: Bool?) throws(RPCError) -> WorkspaceRecord? {
        guard let index = allWorkspaces.firstIndex(where: { $0.id == id }) else { return nil }
        if let name { allWorkspaces[index].name = name }
        if let autoStart { allWorkspaces[index].autoStart = autoStart }
        return allWorkspaces[index]
    }

    func removeWorkspace(id: String) throws(RPCError) -> Bool {
        let count = allWorkspaces.count
        allWorkspaces.removeAll { $0.id == id }
        return allWorkspaces.count < count
    }
}

/// A hook event as the store gives it.
func hookEvent(
    _ seq: Int64,
    _ hook: String,
    payload: String = "{}",
    tool: String? = nil,
    session: String = "s1",
    summary: String = "summary"
) -> CommittedEvent {
    let payload = [UInt8](payload.utf8)
    let facts = try? JSONParser().withDocument(payload) {
        HookFacts.facts(of: $0, event: HookEventName(hook), policy: .summary)
    }
    return committed(seq, type: EventType(HookEventName(hook)), session: session, payload: payload).replacing {
        $0.hookEventName = HookEventName(hook)
        $0.toolName = tool
        $0.summary = summary
        $0.facts = facts ?? SessionFacts()
    }
}

/// A session folded from the hooks of one, each a second after the other.
func foldedSession(
    _ id: String,
    _ hooks: [String],
    tool: String? = nil,
    from seq: Int64 = 1,
    quiet seconds: Double = 1,
    facts: SessionFacts = SessionFacts()
) -> Session? {
    var fold = SessionState(id: id)
    for (index, hook) in hooks.enumerated() {
        let committed = hookEvent(seq + Int64(index), hook, tool: tool, session: id)
        fold.apply(
            committed.replacing {
                $0.timestamp = start.adding(seconds: -seconds - Double(hooks.count - index))
                $0.receivedAt = $0.timestamp
                $0.projectPath = "/home/dev/app"
                $0.facts = facts
            }
        )
    }
    return fold.session
}

/// One call through a session and, where it is deferred, the store.
struct RPCWalk {
    var session: RPCSession<CdevHost>
    var context: CdevContext
    let store: FakeRPCStore

    init(
        _ store: FakeRPCStore = FakeRPCStore(),
        clientID: String = "c-1",
        client: String = "{}",
        presence: Presence = Presence()
    ) {
        session = CdevHost.session(clientID: clientID, openedAt: start, parse: parse)
        context = CdevDialectTests.context
        context.presence = presence
        self.store = store
        let hello = #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":\#(client)}"#
        _ = session.receive([UInt8](hello.utf8), in: context)
    }

    static let cdev = #"{"clientInfo":{"name":"cdev-ios"}}"#

    /// The dialogs that the client gets after the reply.
    mutating func reminders(_ method: String, _ params: String) async -> [CdevReminder] {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        var output = session.receive([UInt8](text.utf8), in: context)
        for task in output.tasks {
            output = session.finish(task.token, await task.run(with: store.services))
        }
        return output.reminders
    }

    mutating func call(_ method: String, _ params: String = "{}") async -> (JSONValue?, [HubAction]) {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        var output = session.receive([UInt8](text.utf8), in: context)
        for task in output.tasks {
            output = session.finish(task.token, await task.run(with: store.services))
        }
        return (output.messages.first.flatMap(parse), output.hubActions)
    }
}
