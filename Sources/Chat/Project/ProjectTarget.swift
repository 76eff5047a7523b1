internal import API
internal import EventModel
internal import HTTPModel
internal import Persistence
internal import Sessions

/// Where a project chat takes place.
struct ProjectTarget: Sendable {
    var machine: MachineID
    var machineName: String
    var projectID: String?
    var directory: String
    /// `nil` for a new session.
    var session: Session?
}

extension ProjectChats {
    /// Throws unless the caller has `control` on the machine. Who may not see the session or the project is not told
    /// that it exists.
    func target(of request: ProjectRequest, for principal: Principal) async throws(APIError) -> ProjectTarget {
        let target: ProjectTarget
        if let id = request.sessionID {
            target = try await self.target(ofSession: id, for: principal)
            guard request.projectID == nil || request.projectID == target.projectID else {
                throw .refused(.projectID, "The session belongs to another project.")
            }
        } else {
            target = try await self.target(ofProject: request.projectID ?? "", for: principal)
        }
        return target
    }

    private func target(ofSession id: String, for principal: Principal) async throws(APIError) -> ProjectTarget {
        let session: Session
        do throws(APIError) {
            session = try await self.session(id, for: principal)
        } catch {
            try await chats.refusePlain(id, of: principal)
            throw error
        }
        return ProjectTarget(
            machine: session.machine,
            machineName: session.machineName,
            projectID: session.workspaceID,
            directory: session.projectPath ?? "",
            session: session
        )
    }

    /// A session that the caller may drive.
    func session(_ id: String, for principal: Principal) async throws(APIError) -> Session {
        let session = try await ports.session(id)
        try require(on: session.machine, of: principal, hidden: .sessionNotFound)
        return session
    }

    private func target(ofProject id: String, for principal: Principal) async throws(APIError) -> ProjectTarget {
        let found = try await chats.database.directory(ofProject: id)
        try require(on: found.machine, of: principal, hidden: .projectNotFound)
        return ProjectTarget(
            machine: found.machine,
            machineName: found.machineName,
            projectID: found.projectID,
            directory: found.path
        )
    }

    private func require(on machine: MachineID, of principal: Principal, hidden: APIError) throws(APIError) {
        guard !principal.may(.control, on: machine) else { return }
        throw principal.may(.read) ? .insufficientScope(principal.lacking(.control, on: machine)) : hidden
    }
}
