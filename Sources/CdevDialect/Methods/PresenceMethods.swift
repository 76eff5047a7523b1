import JSON
import RPC
import WSFanout

/// `client/session/focus`, `client/session/unfocus`, `client/presence`, the `watch` and `unwatch` of both families,
/// `workspace/session/activate`.
enum PresenceMethods {
    static let all = [
        focus, unfocus, presence, activate, watch("session/watch", needsWorkspace: false),
        watch("workspace/session/watch", needsWorkspace: true), unwatch("session/unwatch"),
        unwatch("workspace/session/unwatch"),
    ]

    /// The other viewers of the session are notified with `session_joined`.
    static let focus = CdevMethod.immediate(
        "client/session/focus",
        "Says which session the person looks at; those who view it already are told.",
        [.placeWorkspaceID, .placeSessionID],
        as: ObjectShape<(place: PresencePlace, others: [String])>("Focus") { it in
            it.member("workspace_id") { $0.place.workspaceID }
            it.member("session_id") { $0.place.sessionID }
            it.member("other_viewers") { $0.others }
            it.member("viewer_count") { $0.others.count + 1 }
            it.member("success") { _ in true }
        }
    ) { call throws(RPCError) in
        let place = try call.params.place()
        let clientID = call.state.clientID
        let others = call.context.presence.viewers(of: place.sessionID).filter { $0 != clientID }
        call.act(.presence(.focus(place), of: clientID))
        call.remind(.session(place.sessionID))
        return (place, others)
    }

    static let unfocus = CdevMethod.immediate(
        "client/session/unfocus",
        "Says that the person looks at no session any more; those who view it still are told.",
        as: ObjectShape<Void>("Unfocused") { it in it.member("success") { _ in true } }
    ) { call in call.act(.presence(.unfocus, of: call.state.clientID)) }

    /// Reports whether a person uses the client. A message that a timer repeats does not count as use.
    static let presence = CdevMethod.immediate(
        "client/presence",
        "Says that the person did something in the client just now, or that it is off the screen.",
        [.flag("visible", "False: the app is off the screen, so nobody counts as looking on.").required],
        as: ObjectShape<Bool>("ClientPresence") { it in
            it.member("visible") { $0 }
            it.member("success") { _ in true }
        }
    ) { call throws(RPCError) in
        let isVisible = try call.params.boolean("visible") ?? false
        call.act(.presence(isVisible ? .interacted : .hidden, of: call.state.clientID))
        return isVisible
    }

    static let activate = CdevMethod.immediate(
        "workspace/session/activate",
        "Chooses a workspace's session, for this client alone.",
        [.placeWorkspaceID, .placeSessionID],
        as: ObjectShape<PresencePlace>("Activated") { it in
            it.member("success") { _ in true }
            it.member("workspace_id") { $0.workspaceID }
            it.member("session_id") { $0.sessionID }
            it.member("message") { _ in "Session activated" }
        }
    ) { call throws(RPCError) in
        let place = try call.params.place()
        call.act(.presence(.activate(place), of: call.state.clientID))
        return place
    }

    private typealias Watching = (isWatching: Bool, place: PresencePlace?)

    private static let watching = ObjectShape<Watching>("Watching") { it in
        it.member("status", as: JSONSchema.words("watching", "unwatched")) { $0.isWatching ? "watching" : "unwatched" }
        it.member("watching") { $0.isWatching }
        it.member("workspace_id") { $0.place?.workspaceID ?? "" }
        it.member("session_id") { $0.place?.sessionID ?? "" }
    }

    /// A client watches one session at a time. Watching another ends it.
    private static func watch(_ method: String, needsWorkspace: Bool) -> CdevMethod {
        CdevMethod.immediate(
            method,
            "Notes which session this client watches; its stream stays as it is.",
            needsWorkspace
                ? [.placeWorkspaceID, .placeSessionID, .agentType] : [.anyWorkspaceID, .sessionID, .agentType],
            as: watching
        ) { call throws(RPCError) in
            let place: PresencePlace
            if needsWorkspace {
                place = try call.params.place()
            } else {
                let workspaceID = try call.params.string("workspace_id") ?? ""
                place = PresencePlace(workspaceID: workspaceID, sessionID: try call.params.sessionID())
            }
            call.act(.presence(.watch(place), of: call.state.clientID))
            call.remind(.session(place.sessionID))
            return (true, place)
        }
    }

    private static func unwatch(_ method: String) -> CdevMethod {
        CdevMethod.immediate(method, "Ends the watching.", as: watching) { call in
            let place = call.context.presence.watched(by: call.state.clientID)
            call.act(.presence(.unwatch, of: call.state.clientID))
            return (false, place)
        }
    }
}
