import JSON
import RPC
import Sessions
import WSFanout

/// `client/session/focus`, `client/presence`, the `watch` and `unwatch` of both families, `workspace/session/activate`.
enum PresenceMethods {
    static let all = [
        focus, presence, activate, watch("session/watch", needsWorkspace: false),
        watch("workspace/session/watch", needsWorkspace: true), unwatch("session/unwatch"),
        unwatch("workspace/session/unwatch"),
    ]

    /// The others who view the session hear of it with `session_joined`.
    static let focus = RPCMethod.immediate(
        "client/session/focus",
        RPCDescription(
            "Says which session the person looks at; those who view it already are told.",
            [.placeWorkspaceID, .placeSessionID],
            as: "Focus"
        )
    ) { call throws(RPCError) in
        let place = try call.params.place()
        let clientID = call.clientID
        let others = call.context.presence.viewers(of: place.sessionID).filter { $0 != clientID }
        call.act(.presence(.focus(place), of: clientID))
        return RPCResult { writer in
            writer.field("workspace_id", place.workspaceID)
            writer.field("session_id", place.sessionID)
            writer.strings("other_viewers", others)
            writer.field("viewer_count", others.count + 1)
            writer.field("success", true)
        }
    }

    /// What a client repeats by a timer says nothing of the person; this says it.
    static let presence = RPCMethod.immediate(
        "client/presence",
        RPCDescription(
            "Says that the person did something in the client just now, or that it is off the screen.",
            [.flag("visible", "False: off the screen; nobody looks on until the next sign.").required],
            as: "ClientPresence"
        )
    ) { call throws(RPCError) in
        let isVisible = try call.params.boolean("visible") ?? false
        call.act(.presence(isVisible ? .interacted : .hidden, of: call.clientID))
        return RPCResult { writer in
            writer.field("visible", isVisible)
            writer.field("success", true)
        }
    }

    static let activate = RPCMethod.immediate(
        "workspace/session/activate",
        RPCDescription(
            "Chooses a workspace's session, for this client alone.",
            [.placeWorkspaceID, .placeSessionID],
            as: "Activated"
        )
    ) { call throws(RPCError) in
        let place = try call.params.place()
        call.act(.presence(.activate(place), of: call.clientID))
        return RPCResult { writer in
            writer.field("success", true)
            writer.field("workspace_id", place.workspaceID)
            writer.field("session_id", place.sessionID)
            writer.field("message", "Session activated")
        }
    }

    /// Of each client one session at a time; another one takes its place.
    private static func watch(_ method: String, needsWorkspace: Bool) -> RPCMethod {
        let description = RPCDescription(
            "Notes which session this client watches; its stream stays as it is.",
            needsWorkspace
                ? [.placeWorkspaceID, .placeSessionID, .agentType] : [.anyWorkspaceID, .sessionID, .agentType],
            as: "Watching"
        )
        return RPCMethod.immediate(method, description) { call throws(RPCError) in
            let place: PresencePlace
            if needsWorkspace {
                place = try call.params.place()
            } else {
                let workspaceID = try call.params.string("workspace_id") ?? ""
                place = PresencePlace(workspaceID: workspaceID, sessionID: try call.params.sessionID())
            }
            call.act(.presence(.watch(place), of: call.clientID))
            return answer("watching", isWatching: true, place)
        }
    }

    private static func unwatch(_ method: String) -> RPCMethod {
        RPCMethod.immediate(method, RPCDescription("Ends the watching.", as: "Watching")) { call in
            let place = call.context.presence.watched(by: call.clientID)
            call.act(.presence(.unwatch, of: call.clientID))
            return answer("unwatched", isWatching: false, place)
        }
    }

    private static func answer(_ status: String, isWatching: Bool, _ place: PresencePlace?) -> RPCResult {
        RPCResult { writer in
            writer.field("status", status)
            writer.field("watching", isWatching)
            writer.field("workspace_id", place?.workspaceID ?? "")
            writer.field("session_id", place?.sessionID ?? "")
        }
    }
}
