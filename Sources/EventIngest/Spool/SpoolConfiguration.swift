package struct SpoolConfiguration: Sendable {
    /// The parent directory must exist.
    package var directory: String
    /// Maximum total size of all files in the directory.
    package var byteLimit: Int
    /// Size at which a new segment is started. Segments are removed whole, so this is also the unit in which space is
    /// freed.
    package var segmentBytes: Int
    /// Maximum bytes of events that wait for their write.
    package var queueBytes = 16 << 20
    package var batchEvents = 500
    package var batchBytes = 4 << 20
    package var rejectedBytes = 16 << 20
    /// How often the spool checks whether a person has removed side files.
    package var sideFileMilliseconds = 30_000
    /// Pause between two attempts to replay.
    package var retryMilliseconds = 200
    var faults = DiskFaults()

    package init(directory: String, byteLimit: Int = 1 << 30) {
        self.directory = directory
        self.byteLimit = byteLimit
        segmentBytes = min(16 << 20, max(4096, byteLimit / 8))
    }
}
