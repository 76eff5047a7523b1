import EventModel
import JSON

/// `workspace/add`, `workspace/update`, `workspace/remove`, `session/delete`, `workspace/session/delete`.
enum WorkspaceChangeMethods {
    static let all = [
        add, update, remove, delete("session/delete", needsWorkspace: false),
        delete("workspace/session/delete", needsWorkspace: true),
    ]

    /// Workspaces come by themselves with their first event; this one is shown before.
    static let add = RPCMethod.query(
        "workspace/add",
        check: { params throws(RPCError) in
            _ = try fields(params)
            _ = try path(params)
        },
        run: { call async throws(RPCError) in
            let path = try path(call.params)
            let name = try fields(call.params) ?? path.split(separator: "/").last.map(String.init) ?? path
            let machine = try await machine(call)
            guard let added = try await call.store.addWorkspace(machine: machine, path: path, name: name) else {
                throw .internalError("the workspace was not stored")
            }
            return answer(added, call)
        }
    )

    static let update = RPCMethod.query(
        "workspace/update",
        check: { params throws(RPCError) in
            _ = try params.workspaceID()
            _ = try fields(params)
        },
        run: { call async throws(RPCError) in
            let id = try call.params.workspaceID()
            guard let name = try fields(call.params) else { return answer(try await call.workspace(id), call) }
            guard let changed = try await call.store.renameWorkspace(id: id, name: name) else {
                throw .workspaceNotFound(id)
            }
            return answer(changed, call)
        }
    )

    static let remove = RPCMethod.query("workspace/remove", check: WorkspaceMethods.named) {
        call async throws(RPCError) in
        let id = try call.params.workspaceID()
        guard try await call.store.removeWorkspace(id: id) else { throw .workspaceNotFound(id) }
        return RPCResult { writer in
            writer.field("success", true)
            writer.field("message", "Workspace removed")
            writer.field("id", id)
            writer.field("workspace_id", id)
        }
    }

    private static func delete(_ method: String, needsWorkspace: Bool) -> RPCMethod {
        RPCMethod.query(
            method,
            check: { params throws(RPCError) in
                _ = try params.required("session_id", "sessionId")
                if needsWorkspace { _ = try params.required("workspace_id", "workspaceId") }
            },
            run: { call async throws(RPCError) in
                let id = try call.params.required("session_id", "sessionId")
                let session = try await call.session(id)
                if needsWorkspace, session.workspaceID != (try call.params.required("workspace_id", "workspaceId")) {
                    throw .sessionNotFound(id)
                }
                guard try await call.store.deleteSession(id: id) else { throw .sessionNotFound(id) }
                return RPCResult { writer in
                    writer.field("status", "deleted")
                    writer.field("success", true)
                    writer.field("session_id", id)
                    writer.field("workspace_id", session.workspaceID ?? "")
                    writer.field("deleted", 1)
                    writer.field("message", "Session deleted")
                }
            }
        )
    }

    private static func answer(_ workspace: WorkspaceRecord, _ call: RPCQuery) -> RPCResult {
        let shape = WorkspaceMethods.shape(workspace, [], call, call.clock())
        return .object(shape.write)
    }

    private static func path(_ params: RPCParams) throws(RPCError) -> String {
        let path = try params.required("path", limit: 4096)
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw .invalidParameter("path", "is not an absolute path")
        }
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The name, if one is given.
    private static func fields(_ params: RPCParams) throws(RPCError) -> String? {
        if try params.boolean("auto_start") == true {
            throw .invalidParameter("auto_start", "needs an agent on the machine, and this server only watches")
        }
        _ = try params.boolean("create_if_missing")
        _ = try params.string("machine_id")
        _ = try params.string("machine_name")
        guard let name = try params.string("name") else { return nil }
        guard !name.utf8.contains(0) else { throw .invalidParameter("name", "holds a NUL") }
        return name
    }

    /// The one that is named, or the only one.
    private static func machine(_ call: RPCQuery) async throws(RPCError) -> MachineID {
        let machines = try await call.store.machines()
        let alias = try call.params.string("machine_id")
        if let name = try call.params.string("machine_name") ?? alias {
            guard let machine = machines.first(where: { $0.name == name || $0.reportedName == name }) else {
                throw .invalidParameter("machine_name", "names no machine")
            }
            return machine.id
        }
        // What the operator posts by hand counts as a machine, and has no directories of its own.
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
