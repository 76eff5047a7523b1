public import EventModel
internal import Sessions

extension PostgresStore {
    public func projects(_ query: ProjectQuery) async throws(PersistenceError) -> ProjectPage {
        try await runProjected { connection throws(PersistenceError) in
            let limit = min(max(query.limit, 1), 200)
            let activeSince = query.now.adding(seconds: -Session.quietSeconds)
            var parameters = Parameters()
            parameters.add(activeSince)
            parameters.add(query.machine)
            parameters.add(query.cursor?.lastActivityAt)
            parameters.add(query.cursor?.id)
            parameters.add(Int64(limit) + 1)
            parameters.add(Int64(max(0, query.offset ?? 0)))
            let projects = try connection.query(ProjectStatements.page, parameters).map {
                row throws(PersistenceError) in
                try Project(row)
            }
            var total: Int64?
            if query.offset != nil {
                var parameters = Parameters(of: activeSince)
                parameters.add(query.machine)
                total = try connection.query(ProjectStatements.count, parameters).firstRow?.int64(0)
            }
            return ProjectPage(projects: Array(projects.prefix(limit)), hasMore: projects.count > limit, total: total)
        }
    }

    public func project(id: String, now: Timestamp) async throws(PersistenceError) -> Project? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds), id)
            guard let row = try connection.query(ProjectStatements.project, parameters).firstRow else { return nil }
            return try Project(row)
        }
    }

    /// A deleted project is restored with the new values.
    public func createProject(_ project: NewProject) async throws(PersistenceError) -> ProjectCreation {
        try await runProjected { connection throws(PersistenceError) in
            var machine: MachineID?
            if let name = project.machine {
                guard let row = try connection.query(LogStatements.machine, Parameters(of: name)).firstRow else {
                    return .unknownMachine
                }
                machine = MachineID(rawValue: try row.int64(0))
            }
            var id = project.spareID
            if let machine, let path = project.path { id = WorkspaceID.make(machine: machine, path: path) }
            let parameters = Parameters(
                of: id,
                machine?.rawValue,
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
    public func changeProject(id: String, _ change: ProjectChange) async throws(PersistenceError) -> Bool {
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
    public func deleteProject(id: String) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            return try connection.query(ProjectStatements.hide, parameters).firstRow != nil
        }
    }
}

extension ProjectChange.Field {
    fileprivate var isSet: Bool { self != .keep }

    fileprivate var value: Value? {
        guard case .set(let value) = self else { return nil }
        return value
    }
}

extension Project {
    /// Decodes the columns of `ProjectStatements.columns`.
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init(
            id: try row.text(0),
            name: try row.text(4),
            path: row.optionalText(3),
            createdAt: try row.timestamp(7),
            updatedAt: try row.timestamp(8),
            lastActivityAt: try row.timestamp(9)
        )
        machine = try row.optionalInt64(1).map(MachineID.init)
        machineName = row.optionalText(2)
        description = row.optionalText(5)
        settings = row.optionalText(6).map { Array($0.utf8) }
        sessionCount = try row.int64(10)
        activeSessionCount = try row.int64(11)
    }
}

extension Parameters {
    /// Adds two parameters: the machine's number and the name it reports. At most one of them is not NULL.
    fileprivate mutating func add(_ machine: MachineFilter?) {
        var (id, name): (Int64?, String?)
        switch machine {
        case .machine(let machine): id = machine.rawValue
        case .reported(let reported): name = reported
        case nil: break
        }
        add(id)
        add(name)
    }
}
