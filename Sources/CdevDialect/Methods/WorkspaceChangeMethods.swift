import EventModel
import JSON
import RPC
import Sessions

/// `workspace/add`, `workspace/update`, `workspace/remove`, `session/delete`, `workspace/session/delete`.
enum WorkspaceChangeMethods {
    static let all = [
        add, update, remove, delete("session/delete", needsWorkspace: false),
        delete("workspace/session/delete", needsWorkspace: true),
    ]

    /// Workspaces are created automatically by their first event. An added workspace is shown before that.
    static let add = CdevMethod.query(
        "workspace/add",
        "Shows a workspace before its first event.",
        [
            .text("path", "The absolute path of the directory.", limit: 4096).required,
            .text("machine_name", "The machine; required where several have sent events.").also("machine_id"),
        ] + nameAndStart + [.flag("create_if_missing", "Taken; nothing is created on the machine.")],
        as: WorkspaceView.shape,
        needs: .administer,
        check: { params throws(RPCError) in
            _ = try name(params)
            _ = try path(params)
        },
        run: { call async throws(RPCError) in
            let path = try path(call.params)
            let name = try name(call.params)
            let (machine, workspaces) = (try await machine(call), call.services.workspaces)
            guard let added = try await workspaces.addWorkspace(machine: machine, path: path, name: name) else {
                throw .internalError("the workspace was not stored")
            }
            return view(added, call)
        }
    )

    static let update = CdevMethod.query(
        "workspace/update",
        "Gives a workspace another name.",
        [.workspaceID] + nameAndStart,
        as: WorkspaceView.shape,
        needs: .administer,
        check: { params throws(RPCError) in _ = try name(params) },
        run: { call async throws(RPCError) in
            let id = try call.params.workspaceID()
            guard let name = try name(call.params) else { return view(try await call.workspace(id), call) }
            guard let changed = try await call.services.workspaces.renameWorkspace(id: id, name: name) else {
                throw .workspaceNotFound(id)
            }
            return view(changed, call)
        }
    )

    static let remove = CdevMethod.query(
        "workspace/remove",
        "Hides a workspace until its next event.",
        [.workspaceID],
        as: ObjectShape<String>("RemovedWorkspace") { it in
            it.member("success") { _ in true }
            it.member("message") { _ in "Workspace removed" }
            it.member("id") { $0 }
            it.member("workspace_id") { $0 }
        },
        needs: .administer
    ) { call async throws(RPCError) in
        let id = try call.params.workspaceID()
        guard try await call.services.workspaces.removeWorkspace(id: id) else { throw .workspaceNotFound(id) }
        return id
    }

    private static func delete(_ method: String, needsWorkspace: Bool) -> CdevMethod {
        CdevMethod.query(
            method,
            "Takes a session out of every list; its events stay in the log.",
            (needsWorkspace ? [.placeWorkspaceID] : []) + [.placeSessionID],
            as: deleted,
            needs: .administer,
            errors: [.sessionNotFound],
            run: { call async throws(RPCError) in
                let id = try call.params.required("session_id", "sessionId")
                let session = try await call.session(id)
                if needsWorkspace, session.workspaceID != (try call.params.required("workspace_id", "workspaceId")) {
                    throw .sessionNotFound(id)
                }
                guard try await call.services.sessions.deleteSession(id: id) else { throw .sessionNotFound(id) }
                return session
            }
        )
    }

    private static let deleted = ObjectShape<Session>("DeletedSession") { it in
        it.constant("status", "deleted")
        it.member("success") { _ in true }
        it.member("session_id") { $0.id }
        it.member("workspace_id") { $0.workspaceID ?? "" }
        it.member("deleted") { _ in 1 }
        it.member("message") { _ in "Session deleted" }
    }

    private static func view(_ workspace: WorkspaceRecord, _ call: CdevQuery) -> WorkspaceView {
        WorkspaceMethods.view(workspace, [], call, call.clock())
    }

    private static func path(_ params: RPCParams) throws(RPCError) -> String {
        let path = try params.required("path", limit: 4096)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw .invalidParameter("path", "is not an absolute path")
        }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static let nameAndStart: [RPCParameter] = [
        .text("name", "For people."), .flag("auto_start", "Must not be true: it needs an agent."),
    ]

    /// The name, if one is given.
    private static func name(_ params: RPCParams) throws(RPCError) -> String? {
        if try params.boolean("auto_start") == true {
            throw .invalidParameter("auto_start", "needs an agent on the machine, and this server only watches")
        }
        guard let name = try params.string("name") else { return nil }
        guard !name.utf8.contains(0) else { throw .invalidParameter("name", "holds a NUL") }
        return name
    }

    /// The machine that is named, or the only machine.
    private static func machine(_ call: CdevQuery) async throws(RPCError) -> MachineID {
        let alias = try call.params.string("machine_id")
        if let name = try call.params.string("machine_name") ?? alias {
            guard let machine = try await call.services.workspaces.machine(named: name) else {
                throw .invalidParameter("machine_name", "names no machine")
            }
            return machine
        }
        let machines = try await call.services.workspaces.machines()
        // Events that the operator posts by hand count as a machine, which has no directories of its own.
        let candidates = machines.count > 1 ? machines.filter { $0.lastSeenAt != nil } : machines
        guard let machine = candidates.first else {
            throw .invalidParameter("machine_name", "cannot be told: no machine has sent an event yet")
        }
        guard candidates.count == 1 else {
            throw .invalidParameter("machine_name", "is required: there are several machines")
        }
        return machine.id
    }
}
