internal import HTTPModel
internal import Logging

/// One line in the log for each trouble, and ever longer pauses while it lasts.
struct Trouble {
    private static let longestPauseSeconds = 10.0
    private var pause = 0.5
    private var isTold = false

    mutating func ended() {
        pause = 0.5
        isTold = false
    }

    mutating func sleep(after error: any Error, _ what: Logger.Message, _ logger: Logger) async {
        // Of a database that is away others tell.
        let isAway = (error as? APIError)?.status == 503
        if !isTold, !isAway {
            logger.warning(what, metadata: [LogKey.error: "\(error)"])
            isTold = true
        }
        try? await Task.sleep(for: .seconds(pause))
        pause = min(pause * 2, Trouble.longestPauseSeconds)
    }
}
