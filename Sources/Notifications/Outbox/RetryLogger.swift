internal import HTTPModel
internal import Logging

/// Logs one line for a repeated failure, and sleeps with growing pauses while it lasts.
struct RetryLogger {
    private static let longestPauseSeconds = 10.0
    private var pause = 0.5
    private var isLogged = false

    mutating func succeeded() {
        pause = 0.5
        isLogged = false
    }

    mutating func sleep(after error: any Error, _ what: Logger.Message, _ logger: Logger) async {
        // The supervisor logs that the database is unavailable.
        let isAway = (error as? APIError)?.status == 503
        if !isLogged, !isAway {
            logger.warning(what, metadata: ["error": "\(error)"])
            isLogged = true
        }
        try? await Task.sleep(for: .seconds(pause))
        pause = min(pause * 2, RetryLogger.longestPauseSeconds)
    }
}
