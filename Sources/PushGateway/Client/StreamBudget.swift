/// Limits the number of pushes in progress on one connection.
///
/// With provider tokens Apple allows one stream until it has seen a valid token. It then sends a limit in SETTINGS,
/// which may change at any time. Until the first answer that does not refuse the token, only one push is in progress:
/// a bad token then costs one refusal, not hundreds.
struct StreamBudget: Sendable {
    /// The client's own limit.
    private let cap: Int
    /// The peer's last limit; one until it has sent any.
    private(set) var remoteLimit = 1
    /// Lower than `cap` after a refused stream. Grows by one with each answer, and to `cap` with the next SETTINGS.
    private var caution: Int
    private(set) var isProven = false
    private(set) var inFlight = 0

    init(cap: Int) {
        self.cap = max(1, cap)
        caution = self.cap
    }

    /// Number of streams that may be started now. Zero if the limit is below the number in progress.
    var room: Int {
        max(0, min(remoteLimit, isProven ? min(cap, caution) : 1) - inFlight)
    }

    mutating func settings(maxConcurrentStreams: UInt32) {
        remoteLimit = Int(maxConcurrentStreams)
        caution = cap
    }

    mutating func began() { inFlight += 1 }

    mutating func ended() { inFlight -= 1 }

    /// Call after `ended`.
    mutating func refused() { caution = max(1, min(caution, inFlight)) }

    mutating func answered(status: Int) {
        if !StreamBudget.refusesCredential(status) { isProven = true }
        caution = min(cap, caution + 1)
    }

    /// Whether an answer with this status shows only that the token is not accepted.
    static func refusesCredential(_ status: Int) -> Bool { status == 401 || status == 403 }
}
