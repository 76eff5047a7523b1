/// When a ping is due and when the other end counts as lost. Times are microseconds of one monotonic clock.
struct Liveness {
    static let pingAfter: Int64 = 20_000_000
    static let lostAfter: Int64 = 30_000_000

    private var heardAt: Int64
    private var pingedAt: Int64

    init(now: Int64) { (heardAt, pingedAt) = (now, now) }

    enum Verdict: Equatable {
        case wait(microseconds: Int64)
        case ping
        case lost
    }

    mutating func heard(now: Int64) { heardAt = max(heardAt, now) }

    /// A verdict of `ping` counts as a ping that was sent.
    mutating func judge(now: Int64) -> Verdict {
        let lost = heardAt + Liveness.lostAfter
        if now >= lost { return .lost }
        let ping = pingedAt + Liveness.pingAfter
        guard now >= ping else { return .wait(microseconds: min(ping, lost) - now) }
        pingedAt = now
        return .ping
    }
}
