/// Decides when the status of a repository is asked for: half a second after the last of several changes, and at most
/// once a second. Pure; times are seconds of one monotonic clock.
struct GitDebounce: Equatable {
    static let quiet = 0.5
    static let interval = 1.0
    /// Changes without a pause do not put it off any longer.
    static let longest = 2.0

    private var firstAt: Double?
    private var lastAt = 0.0
    private var askedAt = -Double.infinity

    /// When `due` says yes.
    var deadline: Double? {
        firstAt.map { max(min(lastAt + GitDebounce.quiet, $0 + GitDebounce.longest), askedAt + GitDebounce.interval) }
    }

    mutating func changed(now: Double) {
        if firstAt == nil { firstAt = now }
        lastAt = now
    }

    mutating func due(_ now: Double) -> Bool {
        guard let deadline, deadline <= now else { return false }
        (firstAt, askedAt) = (nil, now)
        return true
    }
}
