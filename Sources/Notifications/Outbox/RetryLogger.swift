internal import HTTPModel
internal import Logging
internal import Workers

/// Logs one line for a repeated failure, and sleeps with growing pauses while it lasts.
struct RetryLogger {
    private var backoff = Backoff(0.5...10)
    private var isLogged = false

    mutating func succeeded() {
        backoff.reset()
        isLogged = false
    }

    mutating func sleep(after error: any Error, _ what: Logger.Message, _ logger: Logger) async {
        // The supervisor logs that the database is unavailable.
        let isAway = (error as? APIError)?.status == 503
        if !isLogged, !isAway {
            logger.warning(what, metadata: ["error": "\(error)"])
            isLogged = true
        }
        try? await Task.sleep(for: .seconds(backoff.next()))
    }
}
