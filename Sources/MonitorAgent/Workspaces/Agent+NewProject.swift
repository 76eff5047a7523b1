internal import JSON
internal import Workers

/// Directories of new projects.
extension Agent {
    /// Makes an empty directory where the machine's file says so.
    func makeProject(_ project: AgentCommand.NewProject) async throws -> JSONValue {
        let parent = try check().newProjects()
        let path = try await runBlocking { () throws(CommandRefusal) in try Agent.make(project.names, in: parent) }
        return .object([("path", .string(path))])
    }

    private static func make(_ names: [String], in parent: String) throws(CommandRefusal) -> String {
        do throws(OwnFile.Fault) {
            for name in names {
                let path = parent + "/" + name
                if try OwnFile.makeNewDirectory(path) { return path }
            }
        } catch {
            throw CommandRefusal(.failed, "The directory cannot be made: \(error).")
        }
        throw CommandRefusal(.failed, "\(parent) has too many directories of that name.")
    }
}
