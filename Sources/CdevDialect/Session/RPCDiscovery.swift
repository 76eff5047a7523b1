package import EventModel

/// A client's search for projects on a machine.
package struct RPCDiscovery: Sendable {
    /// A directory that is a repository or in which Claude Code has worked.
    package struct Found: Sendable, Equatable {
        package var path: String
        package var isRepository: Bool
        package var conversations: Int64
        package var modifiedAt: Timestamp?

        package init(path: String, isRepository: Bool, conversations: Int64, modifiedAt: Timestamp?) {
            (self.path, self.isRepository) = (path, isRepository)
            (self.conversations, self.modifiedAt) = (conversations, modifiedAt)
        }
    }

    package typealias Result = (found: [Found], isComplete: Bool)

    /// The owner of the WebSocket.
    package var principal: Principal
    package var method: String
    package var machine: MachineID
    /// Where to look; `nil` means everywhere that the machine's file allows.
    package var paths: [String]?
    /// Finds the paths themselves, whatever they are, and looks no further.
    package var isExact = false
}
