public struct SpoolConfiguration: Sendable {
    /// Its parent must be there.
    public var directory: String
    /// Of all files in the directory together.
    public var byteLimit: Int
    /// Bytes at which a new segment is begun. Segments are removed whole, so it is also what becomes free at a time.
    public var segmentBytes: Int
    /// Of events that wait for their write.
    public var queueBytes = 16 << 20
    public var batchEvents = 500
    public var batchBytes = 4 << 20
    public var rejectedBytes = 16 << 20
    /// How often is looked whether somebody has removed files that were set aside.
    public var sideFileMilliseconds = 30_000
    /// Between two attempts to replay.
    public var retryMilliseconds = 200
    var faults = DiskFaults()

    public init(directory: String, byteLimit: Int = 1 << 30) {
        self.directory = directory
        self.byteLimit = byteLimit
        segmentBytes = min(16 << 20, max(4096, byteLimit / 8))
    }
}
