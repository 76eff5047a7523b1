/// Writes a response's body in pieces while the client receives it. When the producer returns, the response is
/// complete. If it throws, the connection is aborted, so that the client can detect the incomplete body.
public typealias BodyStream = @Sendable (any BodyWriter) async throws -> Void

/// The receiving end of one streamed body. Usable from any thread.
public protocol BodyWriter: Sendable {
    /// Sends the bytes after those of earlier calls. An empty piece sends nothing.
    ///
    /// Suspends while the client is behind, so only one piece at a time waits in memory, whatever its size. The wait
    /// has no deadline as long as the client keeps reading. Throws after the connection has ended, because the client
    /// has disconnected, has read nothing for the listener's stall time, or the server is stopping. The producer's task
    /// is then cancelled as well.
    func write(_ bytes: [UInt8]) async throws(StreamEnded)
}

/// The connection of a streamed body has ended. A retry does not help.
public struct StreamEnded: Error, Equatable {
    public init() {}
}
