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
        "Shows a workspace before its first event. The machine's agent, if it is connected, checks the path.",
        [
            .text("path", "The absolute path of the directory.", limit: 4096).required,
            .text("machine_name", "The machine; required where several have sent events.").also("machine_id"),
        ] + nameAndStart + [.flag("create_if_missing", "Taken; nothing is created on the machine.")],
        as: WorkspaceView.shape,
        needs: .administer,
        orNeeds: .control,
        check: { params throws(RPCError) in
            _ = try name(params)
            _ = try path(params)
        },
        run: { call async throws(RPCError) in
            let (name, autoStart) = (try name(call.params), try call.params.boolean("auto_start"))
            let (machine, workspaces) = (try await machine(call), call.services.workspaces)
            try require(machine, autoStart, "workspace/add", call)
            let path = try await checked(try path(call.params), on: machine, call)
            let added = try await workspaces.addWorkspace(
                machine: machine,
                path: path,
                name: name,
                autoStart: autoStart
            )
            guard let added else { throw .internalError("the workspace was not stored") }
            return view(added, call)
        }
    )

    static let update = CdevMethod.query(
        "workspace/update",
        "Gives a workspace another name, or says whether the machine's agent opens a session in it when it starts.",
        [.workspaceID] + nameAndStart,
        as: WorkspaceView.shape,
        needs: .administer,
        orNeeds: .control,
        check: { params throws(RPCError) in _ = try name(params) },
        run: { call async throws(RPCError) in
            let id = try call.params.workspaceID()
            let (name, autoStart) = (try name(call.params), try call.params.boolean("auto_start"))
            let known = try await call.workspace(id)
            try require(try await machine(of: known, call), autoStart, "workspace/update", call)
            guard name != nil || autoStart != nil else { return view(known, call) }
            let workspaces = call.services.workspaces
            guard let changed = try await workspaces.changeWorkspace(id: id, name: name, autoStart: autoStart) else {
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
        needs: .administer,
        orNeeds: .control
    ) { call async throws(RPCError) in
        let id = try call.params.workspaceID()
        let known = try await call.workspace(id)
        try require(try await machine(of: known, call), nil, "workspace/remove", call)
        guard try await call.services.workspaces.removeWorkspace(id: id) else { throw .workspaceNotFound(id) }
        return id
    }

    /// A workspace is a thing of its machine: whoever drives the machine may change it. To open sessions is to drive.
    private static func require(
        _ machine: MachineID?,
        _ autoStart: Bool?,
        _ method: String,
        _ call: CdevQuery
    ) throws(RPCError) {
        let principal = call.context.principal
        if principal.may(.administer), autoStart != true { return }
        guard let machine, principal.may(.control, on: machine) else {
            throw .notAllowed(principal.lacking(.control, on: machine), reason: "insufficient_scope", method)
        }
    }

    private static func machine(of workspace: WorkspaceRecord, _ call: CdevQuery) async throws(RPCError) -> MachineID? {
        try await call.services.workspaces.machine(named: workspace.machineName)
    }

    /// The real path of the directory, if the machine's agent says it.
    private static func checked(
        _ path: String,
        on machine: MachineID,
        _ call: CdevQuery
    ) async throws(RPCError) -> String {
        var search = RPCDiscovery(principal: call.context.principal, method: "workspace/add", machine: machine)
        (search.paths, search.isExact) = ([path], true)
        return try await call.services.discover(search)?.found.first?.path ?? path
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
        .text("name", "For people."),
        .flag("auto_start", "The machine's agent opens a session when it starts, unless one runs. Needs 'control'."),
    ]

    /// The name, if one is given.
    private static func name(_ params: RPCParams) throws(RPCError) -> String? {
        guard let name = try params.string("name") else { return nil }
        guard !name.utf8.contains(0) else { throw .invalidParameter("name", "holds a NUL") }
        return name
    }

    /// The machine that is named, else the only one that the client may drive now, else the only one.
    private static func machine(_ call: CdevQuery) async throws(RPCError) -> MachineID {
        let alias = try call.params.string("machine_id")
        if let name = try call.params.string("machine_name") ?? alias {
            guard let machine = try await call.services.workspaces.machine(named: name) else {
                throw .invalidParameter("machine_name", "names no machine")
            }
            return machine
        }
        let controlled = call.context.abilities().controlled
        if controlled.count == 1 { return controlled[0] }
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
