package import EventModel

/// A piece of a transcript, as a machine sends it.
package struct TranscriptPiece: Sendable {
    /// The maximum bytes of a piece, before and after inflating.
    package static let maxBytes = 1 << 20

    package var machine: MachineID
    package var machineName: String
    /// The file's path on the machine.
    package var path: String
    /// Claude Code's own session id.
    package var sessionID: String
    package var projectPath: String?
    /// Position of the first byte in the file.
    package var offset: Int64
    /// SHA-256 of the file's first bytes; `nil` at offset 0.
    package var prefix: [UInt8]?
    package var bytes: [UInt8]
    package var receivedAt: Timestamp

    package init(
        machine: MachineID,
        machineName: String,
        path: String,
        sessionID: String,
        projectPath: String?,
        offset: Int64,
        prefix: [UInt8]?,
        bytes: [UInt8],
        receivedAt: Timestamp
    ) {
        self.machine = machine
        self.machineName = machineName
        self.path = path
        self.sessionID = sessionID
        self.projectPath = projectPath
        self.offset = offset
        self.prefix = prefix
        self.bytes = bytes
        self.receivedAt = receivedAt
    }
}

/// The position at which the sender must continue.
package enum TranscriptAnswer: Equatable, Sendable {
    case taken(nextOffset: Int64)
    /// The server lacks bytes before the piece.
    case gap(nextOffset: Int64)
}
