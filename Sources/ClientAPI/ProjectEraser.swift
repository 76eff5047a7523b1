package import API
package import EventModel
package import HTTPModel
internal import Synchronization

/// Erases a project's sessions. An erasure covers all features, so it is bound once they are all made.
package final class ProjectEraser: Sendable {
    package typealias Erase = @Sendable (_ project: String, Caller) async throws(APIError) -> ErasureReport

    private let bound = Mutex<Erase?>(nil)

    package init() {}

    package func bind(_ erase: @escaping Erase) {
        bound.withLock { $0 = erase }
    }

    package func erase(_ project: String, _ caller: Caller) async throws(APIError) -> ErasureReport {
        guard let erase = bound.withLock({ $0 }) else {
            throw .unavailable("not_ready", "The server is starting.", retryAfter: 1)
        }
        return try await erase(project, caller)
    }
}
