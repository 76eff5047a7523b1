internal import EventModel
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy
internal import RPC
internal import WebSocketClient
internal import Workers

/// The connection to the server.
extension Agent {
    private static let callSeconds = 20.0
    /// Seconds after which a connection counts as good, so that the next pause is the shortest.
    private static let goodSeconds = 5.0
    /// Seconds between two looks at the machine's file.
    private static let maySeconds = 5.0

    func keepLinked() async {
        var backoff = Backoff(0.25...30)
        var random = SystemRandomNumberGenerator()
        while !isStopping {
            let began = now
            let end = await converse()
            if isStopping { return }
            var seconds = 5.0
            if let end {
                report(LinkPlan.words(for: end))
                if now - began >= Agent.goodSeconds, case .closed = end { backoff.reset() }
                if now - began >= Agent.goodSeconds, end == .lost { backoff.reset() }
                switch LinkPlan.pause(after: end) {
                case .backOff: seconds = backoff.next(using: &random)
                case .long(let pause): seconds = pause * Double.random(in: 0.5...1, using: &random)
                }
            }
            await pause(seconds)
        }
    }

    private func pause(_ seconds: Double) async {
        let end = now + seconds
        // In steps, so that a stop is not made to wait.
        while !isStopping, now < end { try? await Task.sleep(for: .seconds(min(0.25, max(0.01, end - now)))) }
    }

    private func report(_ problem: String) {
        guard link.problem != problem else { return }
        link.problem = problem
        isStatusStale = true
        ticker.notify()
        logger.warning("not connected", metadata: ["reason": "\(problem)", "server": "\(link.server)"])
    }

    /// One connection, from its opening to its end. Returns `nil` if the configuration allows none.
    private func converse() async -> WebSocketEnd? {
        await findClient()
        let inbox = LinkInbox()
        do {
            let configuration = try HookConfiguration.read(places.configuration)
            let endpoint = try LinkPlan.endpoint(configuration, files.agent(), certificates: options.certificates)
            link.server = endpoint.shown
            link.connection = try WebSocketConnection(endpoint) { inbox.put($0) }
        } catch {
            report("\(error)")
            return nil
        }
        link.generation += 1
        link.isDropped = false
        var end: WebSocketEnd?
        while end == nil {
            let (events, isFull) = await inbox.next()
            for event in events {
                switch event {
                case .opened: await opened()
                case .text(let text):
                    if !link.isDropped { await receive(link.peer?.receive(text, now: clock()) ?? []) }
                case .ended(let how): end = how
                }
            }
            if isFull { drop() }
        }
        await closed()
        return end
    }

    private func opened() async {
        var limits = RPCPeer.Limits()
        // No batches; an empty one is refused anyway.
        limits.batch = 0
        limits.perSecond = 2000
        limits.burst = 2000
        limits.pending = 1024
        limits.unanswered = 1024
        link.peer = RPCPeer(limits: limits) { try? JSONValue.parse($0, maxDepth: 128) }
        link.subjects = [:]
        await perform(table.linkOpened(greeting()))
    }

    private func closed() async {
        await receive(link.peer?.end() ?? [])
        table.linkLost()
        uploads = Uploads()
        link.generation += 1
        await endChats()
        await abandonCalls()
        endFollowing()
        // The server says again what it wants to know.
        await workspaces.watches.stopAll()
        (link.peer, link.connection, link.since, link.node) = (nil, nil, nil, nil)
        link.subjects = [:]
        isStatusStale = true
        ticker.notify()
    }

    private func greeting() -> [(String, JSONValue)] {
        link.may = Agent.may(files.agent())
        link.mayDue = now + Agent.maySeconds
        return [
            ("protocol", .array([.integer(1)])), ("agent_version", .string(AgentVersion.text)),
            ("identity", .string(identity)), ("instance", .string(instance)), ("boot_id", .string(MachineFacts.bootID)),
            ("platform", .string(MachineFacts.platform)), ("clients", clients), ("may", link.may),
        ]
    }

    /// Tells the server if a person has changed the machine's file.
    func restateMay() {
        link.mayDue = now + Agent.maySeconds
        guard link.node != nil else { return }
        let may = Agent.may(files.agent())
        guard may != link.may else { return }
        link.may = may
        notify("machine/may", may)
    }

    /// What the machine's file allows anywhere, for the server to say early what would be refused.
    static func may(_ file: AgentFile) -> JSONValue {
        let roots = file.roots.filter { SmallFile.realPath(MachinePlace.plain($0.path)) == MachinePlace.plain($0.path) }
        let allowed = roots.map(\.allowance)
        let controlled = allowed.filter(\.control)
        var modes: [String] = []
        for mode in controlled.flatMap(\.modes) where !modes.contains(mode) { modes.append(mode) }
        let git = allowed.map(\.git).max() ?? .off
        return .object([
            ("control", .bool(!controlled.isEmpty)), ("modes", .array(modes.map(JSONValue.string))),
            ("roots", .array(roots.filter(\.allowance.control).prefix(100).map { .string($0.path) })),
            ("files", .string(allowed.contains { $0.files == .read } ? "read" : "off")), ("git", .string(git.rawValue)),
            ("pty", .bool(controlled.contains(where: \.pty))),
            ("sessions", .integer(Int64(file.isUsable ? file.sessions : 0))),
            ("chats", .integer(Int64(file.isUsable && file.chat ? file.chats : 0))),
            ("new_projects", .bool(file.isUsable && file.newProjects != nil)),
        ])
    }

    // MARK: Messages

    func call(_ subject: SessionTable.Subject, _ method: String, _ params: JSONValue) {
        guard link.peer != nil else { return }
        do throws(RPCError) {
            let deadline = clock().adding(seconds: Agent.callSeconds)
            guard let (id, action) = try link.peer?.call(method, deadline: deadline, { Agent.write(params, to: &$0) })
            else {
                return
            }
            link.subjects[id] = subject
            send(action)
        } catch {
            retryAt = min(retryAt ?? .infinity, now + 1)
        }
    }

    func notify(_ method: String, _ params: JSONValue) {
        for action in link.peer?.notify(method, { Agent.write(params, to: &$0) }) ?? [] { send(action) }
    }

    private static func write(_ params: JSONValue, to writer: inout JSONWriter) {
        guard case .object(let members) = params else { return }
        for (name, value) in members { writer.field(name, value) }
    }

    private func send(_ action: RPCPeer.Action) {
        guard case .send(let text) = action, let connection = link.connection else { return }
        // A server that does not read is asked again on the next connection, where all is restated.
        if !connection.send(text) { drop() }
    }

    func receive(_ actions: [RPCPeer.Action]) async {
        for action in actions {
            switch action {
            case .send: send(action)
            case .deliver(let request): if !request.isNotification { serve(request) }
            case .complete(let id, let outcome):
                guard let subject = link.subjects.removeValue(forKey: id) else { continue }
                if subject == .greeting { greeted(outcome) }
                await perform(table.callEnded(subject, outcome))
                if subject == .greeting { await restateTerminals() }
            case .flooded: drop()
            }
        }
    }

    private func greeted(_ outcome: RPCOutcome) {
        switch outcome {
        case .completed(let result):
            link.node = result["node"]?.string
            link.release = result["release"]?.string
            link.since = SystemClock.now()
            link.problem = nil
            logger.info("connected", metadata: ["server": "\(link.server)"])
        case .failed(let error):
            report("the server refuses this agent: \(ShownText.line(String(error.message.prefix(300))))")
        case .timedOut: report("the server does not answer")
        case .ended: break
        }
    }

    /// Whether the connection that a command came over is still the present one.
    func isHeard(_ command: AgentCommand) -> Bool {
        (askers[command.key] ?? []).contains { $0.generation == link.generation }
    }

    func answer(_ asker: Asker, _ result: Result<RPCResult, RPCError>) {
        guard asker.generation == link.generation else { return }
        for action in link.peer?.answer(asker.token, result) ?? [] { send(action) }
    }
}
