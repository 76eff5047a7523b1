internal import HTTPModel
internal import Synchronization

/// The questions that wait, a few of each caller: each is a push on a person's phone.
final class OpenQuestions: Sendable {
    static let maximum = 4

    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter caller: its name in the audit log.
    func take(for caller: String, _ calls: WaitingCalls) throws(APIError) -> WaitingCalls.Place {
        let isFree = counts.withLock { counts in
            guard counts[caller, default: 0] < OpenQuestions.maximum else { return false }
            counts[caller, default: 0] += 1
            return true
        }
        guard isFree else {
            throw APIError(
                .rateLimit,
                status: 429,
                code: "too_many_questions",
                message: "Four questions of this machine wait for a person. Let one of them end.",
                retryAfter: 5
            )
        }
        do throws(APIError) {
            return try calls.take(for: caller) { [self] in giveBack(caller) }
        } catch {
            giveBack(caller)
            throw error
        }
    }

    private func giveBack(_ caller: String) {
        counts.withLock { counts in
            let left = counts[caller, default: 0] - 1
            counts[caller] = left > 0 ? left : nil
        }
    }
}
