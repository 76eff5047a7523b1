package import EventModel
internal import Sessions

extension PostgresStore {
    package func projects(_ query: ProjectQuery) async throws(PersistenceError) -> ProjectPage {
        try await runProjected { connection throws(PersistenceError) in
            let limit = min(max(query.limit, 1), 200)
            let activeSince = query.now.adding(seconds: -Session.quietSeconds)
            let parameters = Parameters(
                of: activeSince,
                query.machine?.id,
                query.machine?.reportedName,
                query.cursor?.time,
                query.cursor?.id,
                Int64(limit) + 1,
                Int64(max(0, query.offset ?? 0))
            )
            let projects: [Project] = try connection.query(ProjectStatements.page, parameters).values()
            var total: Int64?
            if query.offset != nil {
                let parameters = Parameters(of: activeSince, query.machine?.id, query.machine?.reportedName)
                total = try connection.query(ProjectStatements.count, parameters).firstValue()
            }
            return ProjectPage(projects: Array(projects.prefix(limit)), hasMore: projects.count > limit, total: total)
        }
    }

    package func project(id: String, now: Timestamp) async throws(PersistenceError) -> Project? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds), id)
            return try connection.query(ProjectStatements.project, parameters).firstValue()
        }
    }

    package func hasProject(id: String) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            try connection.query(ProjectStatements.settings, Parameters(of: id)).firstRow != nil
        }
    }

    /// The project's settings as JSON. `nil` if there are none or the project does not exist.
    package func projectSettings(id: String) async throws(PersistenceError) -> [UInt8]? {
        try await runProjected { connection throws(PersistenceError) in
            try connection.query(ProjectStatements.settings, Parameters(of: id)).firstRow?.value(0)
        }
    }

    /// A deleted project is restored with the new values.
    package func createProject(_ project: NewProject) async throws(PersistenceError) -> ProjectCreation {
        try await runProjected { connection throws(PersistenceError) in
            var machine: MachineID?
            if let name = project.machine {
                machine = try connection.query(LogStatements.machine, Parameters(of: name)).firstValue()
                guard machine != nil else { return .unknownMachine }
            } else if let path = project.path {
                let machines = try connection.machines(of: path)
                guard machines.count < 2 else { return .ambiguous(machines: machines.map(\.name)) }
                machine = machines.first?.id
            }
            var id = project.spareID
            if let machine, let path = project.path { id = WorkspaceID.make(machine: machine, path: path) }
            let parameters = Parameters(
                of: id,
                machine,
                project.path,
                project.name,
                project.description,
                project.settings.map(TextBytes.init)
            )
            let isNew = try connection.query(ProjectStatements.create, parameters).firstRow != nil
            return isNew ? .created(id: id) : .exists(id: id)
        }
    }

    /// Returns false if the project does not exist.
    package func changeProject(id: String, _ change: ProjectChange) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: id,
                change.name,
                change.description.isSet,
                change.description.value,
                change.settings.isSet,
                change.settings.value.map(TextBytes.init)
            )
            return try connection.query(ProjectStatements.change, parameters).firstRow != nil
        }
    }

    /// Hides the project until one of its sessions has a new event. Returns false if the project does not exist.
    package func deleteProject(id: String) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            return try connection.query(ProjectStatements.hide, parameters).firstRow != nil
        }
    }
}

extension PQConnection {
    /// The machines that have a project of this directory. If none has, all machines.
    fileprivate func machines(of path: String) throws(PersistenceError) -> [(id: MachineID, name: String)] {
        var machines: [(id: MachineID, name: String)] = []
        for row in try query(ProjectStatements.machines).rows {
            machines.append((id: try row.value(0), name: try row.value(1)))
        }
        let ids = machines.map { WorkspaceID.make(machine: $0.id, path: path) }.joined(separator: ",")
        let known: [MachineID] = try query(ProjectStatements.machinesOfProjects, Parameters(of: ids)).values()
        return known.isEmpty ? machines : machines.filter { known.contains($0.id) }
    }
}

extension ProjectChange.Field {
    fileprivate var isSet: Bool { self != .keep }

    fileprivate var value: Value? {
        guard case .set(let value) = self else { return nil }
        return value
    }
}

/// The columns of `ProjectStatements.columns`.
extension Project: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let (id, machine, machineName, path, name): (String, MachineID?, String?, String?, String) = try row.values()
        let (description, settings): (String?, [UInt8]?) = try row.values(from: 5)
        let (createdAt, updatedAt, lastActivityAt): (Timestamp, Timestamp, Timestamp) = try row.values(from: 7)
        self.init(
            id: id,
            name: name,
            path: path,
            createdAt: createdAt,
            updatedAt: updatedAt,
            lastActivityAt: lastActivityAt
        )
        (self.machine, self.machineName, self.description) = (machine, machineName, description)
        self.settings = settings
        (sessionCount, activeSessionCount) = try row.values(from: 10)
    }
}

extension MachineFilter {
    /// The machine's number and the name that it reports. One of them is `nil`.
    fileprivate var id: MachineID? {
        guard case .machine(let machine) = self else { return nil }
        return machine
    }

    fileprivate var reportedName: String? {
        guard case .reported(let name) = self else { return nil }
        return name
    }
}
