internal import HTTPModel
package import Logging
internal import Workers

/// Logs one line for a repeated failure, and sleeps with growing pauses while it lasts.
package struct RetryLogger {
    private var backoff = Backoff(0.5...10)
    private var isLogged = false

    package init() {}

    package mutating func succeeded() {
        backoff.reset()
        isLogged = false
    }

    package mutating func sleep(after error: any Error, _ what: Logger.Message, _ logger: Logger) async {
        // The supervisor logs that the database is unavailable.
        let isAway = (error as? APIError)?.status == 503
        if !isLogged, !isAway {
            logger.warning(what, metadata: ["error": "\(error)"])
            isLogged = true
        }
        try? await Task.sleep(for: .seconds(backoff.next()))
    }
}
