public struct SpoolConfiguration: Sendable {
    /// The parent directory must exist.
    public var directory: String
    /// Maximum total size of all files in the directory.
    public var byteLimit: Int
    /// Size at which a new segment is started. Segments are removed whole, so this is also the unit in which space is
    /// freed.
    public var segmentBytes: Int
    /// Maximum bytes of events that wait for their write.
    public var queueBytes = 16 << 20
    public var batchEvents = 500
    public var batchBytes = 4 << 20
    public var rejectedBytes = 16 << 20
    /// How often the spool checks whether a person has removed side files.
    public var sideFileMilliseconds = 30_000
    /// Pause between two attempts to replay.
    public var retryMilliseconds = 200
    var faults = DiskFaults()

    public init(directory: String, byteLimit: Int = 1 << 30) {
        self.directory = directory
        self.byteLimit = byteLimit
        segmentBytes = min(16 << 20, max(4096, byteLimit / 8))
    }
}
