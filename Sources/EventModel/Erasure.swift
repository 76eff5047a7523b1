/// What a person wants to erase.
public enum ErasureScope: Sendable, Equatable {
    case session(String)
    /// Everything that the machine has sent. Its keys stay valid.
    case machine(MachineID)
    /// The sessions of a project directory, by the project's id.
    case project(String)
}

/// What was erased.
public struct ErasureReport: Sendable, Equatable {
    public var sessions: [String] = []
    public var events: Int64 = 0
    public var transcriptLines: Int64 = 0
    /// Number of damaged spool files that remain. They may hold events of any session.
    public var damagedSegments: Int64 = 0

    public init() {}

    public var isEmpty: Bool { sessions.isEmpty && events == 0 && transcriptLines == 0 }
}
