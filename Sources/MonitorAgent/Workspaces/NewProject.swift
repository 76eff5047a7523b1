internal import MachinePolicy
internal import RPC

extension AgentCommand {
    /// Asks for a directory for a project.
    struct NewProject: Sendable, Equatable {
        private static let mostLetters = 64
        /// Directories of the same name.
        static let mostNumbers = 100

        /// The directory's name: the small letters and digits of the project's name, with hyphens between the words.
        let slug: String

        init(_ params: RPCParams) throws(RPCError) {
            slug = NewProject.slug(of: try params.required("name", limit: 1024))
        }

        static func slug(of name: String) -> String {
            let words = name.lowercased().utf8.split { byte in
                !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte)
            }
            let text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(mostLetters)
            let slug = text.hasSuffix("-") ? text.dropLast() : text
            return slug.isEmpty ? "project" : String(slug)
        }

        /// The first name, and those that are tried if something of that name exists.
        var names: [String] { [slug] + (2...NewProject.mostNumbers).map { "\(slug)-\($0)" } }
    }
}

extension CommandCheck {
    /// The directory in which directories of projects are made, as a real path.
    func newProjects() throws(CommandRefusal) -> String {
        try file.requireUsable()
        guard let shown = file.newProjects else {
            throw CommandRefusal(.notAllowed, "The machine's file agent has no new_projects=PATH.")
        }
        // A link could be changed to lead elsewhere.
        guard let directory = realPath(shown), directory == MachinePlace.plain(shown), isDirectory(directory) else {
            throw CommandRefusal(.outsideRoots, "\(shown), which new_projects names, is no directory without links.")
        }
        _ = try control(directory)
        return directory
    }
}
