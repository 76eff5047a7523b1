internal import EventModel
internal import JSON
internal import RPC

/// The methods that an agent calls.
enum AgentMethods {
    static let table = RPCMethodTable<AgentHost>([
        [
            initialize, allowed, clients, openPrompt, withdrawPrompt, session, partial, screen, turnEnded, message,
            chatText, turnStep, filesChanged, gitChanged, watch,
        ]
    ])

    private typealias Greeted = (version: Int64, node: String, release: String?)

    static let initialize = AgentMethod.immediate(
        "initialize",
        RPCDescription(
            "Says which agent this is, what its machine allows, and which sessions it runs.",
            [
                .anything("protocol", "The versions that it speaks.").required,
                .text("identity", "Of the installation.", limit: 64).required,
                .text("agent_version", "Its version.", limit: 64).required,
            ],
            as: ObjectShape<Greeted>("AgentGreeted") { it in
                it.member("protocol") { $0.version }
                it.member("node") { $0.node }
                it.member("release") { $0.release }
            },
            needs: .post
        )
    ) { call throws(RPCError) in
        guard call.isOpening else { throw .invalidRequest("initialize was called before") }
        let greeting = try AgentGreeting(call.params)
        call.state.greeting = greeting
        call.act(.greeted(greeting))
        let node = call.context.node
        let release = call.context.releases[greeting.platform]
        return RPCResult { writer in
            writer.field("protocol", AgentGreeting.version)
            writer.field("node", node)
            if let release { writer.field("release", release) }
        }
    }

    private static let nothing = ObjectShape<Void>("AgentNothing") { _ in }

    private static let openPrompt = AgentMethod.query(
        "prompt/open",
        "A session asks a person.",
        [
            .text("session_id", "The session.").required, .text("hold_id", "A UUID of the request.").required,
            .integer("seconds", 1...86_400, "How long it waits.").required,
            .anything("policy", "The words of the machine's approvals file, as text."),
            .object("event", [], "The envelope of the hook.").required,
        ],
        as: nothing,
        needs: .post
    ) { call async throws(RPCError) in
        try await call.services.open(try AgentPrompt(call.params))
    }

    private static let withdrawPrompt = AgentMethod.query(
        "prompt/withdrawn",
        "A session no longer asks.",
        [
            .text("hold_id", "Of the request.").required,
            .choice("reason", AgentPromptEnd.Reason.allCases.map(\.rawValue), "Why.").required,
        ],
        as: nothing,
        needs: .post
    ) { call async throws(RPCError) in
        let reason = try call.params.string("reason").flatMap(AgentPromptEnd.Reason.init(rawValue:)) ?? .cancelled
        let holdID = try AgentPrompt.holdID(call.params)
        try await call.services.withdraw(AgentPromptEnd(holdID: holdID, reason: reason))
    }

    private static func notice(
        _ name: String,
        _ summary: String,
        _ action: @escaping @Sendable (RPCParams) throws(RPCError) -> AgentHost.Action
    ) -> AgentMethod {
        let description = RPCDescription(summary, as: nothing, needs: .post)
        return AgentMethod.immediate(name, description) { call throws(RPCError) in
            call.act(try action(call.params))
            return .empty
        }
    }

    private static let allowed = notice("machine/may", "What the machine's file allows now.") {
        params throws(RPCError) in
        .allowed(MachineAgent.Permissions(params))
    }

    private static let clients = notice("machine/clients", "The Claude Code that the machine has now.") {
        params throws(RPCError) in
        .clients(AgentGreeting.clients(params))
    }

    private static let session = notice("session/state", "The state of a session.") { params throws(RPCError) in
        .session(try AgentSession(params))
    }

    private static let partial = notice("session/partial", "Text that is being written.") { params throws(RPCError) in
        .partial(try AgentPartial(params))
    }

    private static let screen = notice("pty/output", "What a terminal shows.") { params throws(RPCError) in
        .screen(try AgentScreen(params))
    }

    private static let turnEnded = notice("turn/ended", "The end of a turn.") { params throws(RPCError) in
        .turnEnded(try AgentTurnEnd(params))
    }

    private static let chatText = notice("chat/text", "Text of a chat's answer.") { params throws(RPCError) in
        .chatText(try AgentChatText(params))
    }

    private static let turnStep = notice("turn/step", "A part of the answer to a message.") { params throws(RPCError) in
        .turnStep(try AgentTurnStep(params))
    }

    private static let message = notice("message/state", "What became of a message.") { params throws(RPCError) in
        .message(try AgentMessageNotice(params))
    }

    private static let filesChanged = notice("file/changed", "Files of a workspace.") { params throws(RPCError) in
        .filesChanged(try AgentFileChanges(params))
    }

    private static let gitChanged = notice("git/changed", "The state of a repository.") { params throws(RPCError) in
        .gitChanged(try AgentGitChange(params))
    }

    private static let watch = notice("watch/state", "How a workspace is watched.") { params throws(RPCError) in
        .watch(try AgentWatchState(params))
    }
}

extension AgentPrompt {
    private static let seconds: ClosedRange<Int64> = 1...86_400

    init(_ params: RPCParams) throws(RPCError) {
        sessionID = try params.required("session_id")
        holdID = try AgentPrompt.holdID(params)
        seconds = Double(try params.integer("seconds", in: AgentPrompt.seconds) ?? AgentPrompt.seconds.upperBound)
        policy = params.value("policy")?.string ?? ""
        guard policy.utf8.count <= 1000 else { throw .invalidParameter("policy", "is too long") }
        guard let event = params.value("event"), event.isObject else {
            throw .invalidParameter("event", "is not an object")
        }
        var writer = JSONWriter()
        writer.value(event)
        self.event = writer.bytes
    }

    static func holdID(_ params: RPCParams) throws(RPCError) -> String {
        guard let id = EventID(try params.required("hold_id")) else {
            throw .invalidParameter("hold_id", "is not a UUID")
        }
        return id.description
    }
}
