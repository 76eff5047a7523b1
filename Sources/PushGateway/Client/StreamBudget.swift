/// How many pushes may be under way on one connection.
///
/// With provider tokens Apple allows one stream until it has seen a valid token, then names a limit in SETTINGS, and
/// may name another at any time. Until the first answer that does not refuse the token there is one push under way at
/// most: a bad token then costs one refusal, not hundreds.
struct StreamBudget: Sendable {
    /// Of our own making.
    private let cap: Int
    /// The peer's last word; one until it has spoken.
    private(set) var remoteLimit = 1
    /// Lower than `cap` after a stream was refused; one more with each answer, and `cap` with the next SETTINGS.
    private var caution: Int
    private(set) var isProven = false
    private(set) var inFlight = 0

    init(cap: Int) {
        self.cap = max(1, cap)
        caution = self.cap
    }

    /// Streams that may be begun now. A limit below what is under way gives none.
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

    /// Whether an answer with this status says nothing but that the token is not taken.
    static func refusesCredential(_ status: Int) -> Bool { status == 401 || status == 403 }
}
