/// Writes a response's body in pieces while the client receives it. A response whose producer returns is complete. If
/// the producer throws, the connection is cut, so that the client can tell a cut body from a whole one.
public typealias BodyStream = @Sendable (any BodyWriter) async throws -> Void

/// The receiving end of one streamed body. Any thread.
public protocol BodyWriter: Sendable {
    /// Sends the bytes after those sent before. An empty piece sends nothing.
    ///
    /// Suspends while the client is behind, so one piece at a time waits in memory, whatever its size. The wait has no
    /// deadline as long as the client keeps reading. Throws once the connection has ended: the client has gone, has
    /// read nothing for the listener's stall time, or the server is stopping. The producer's task is then cancelled as
    /// well.
    func write(_ bytes: [UInt8]) async throws(StreamEnded)
}

/// The connection of a streamed body has ended. A retry does not help.
public struct StreamEnded: Error, Equatable {
    public init() {}
}
