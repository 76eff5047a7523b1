import EventModel

/// Decides when this server tells the other servers of its database that it exists, and how far the log reaches. Times
/// must come from a monotonic clock.
struct Neighbours {
    /// Seconds between two notices of commits.
    static let noticeSeconds = 0.02
    /// Seconds between two notices that this server exists. Such a notice also repeats where its commits end, for
    /// servers that were not listening when they were told.
    static let presenceSeconds = 5.0
    /// Seconds without a notice after which another server is taken to be gone.
    static let absenceSeconds = 15.0

    /// This server's name in notices.
    let name: String
    private var heard: [String: Timestamp] = [:]
    /// The end of this server's commits.
    private var last: StreamPosition?
    /// The same, if the others have not been told.
    private var news: StreamPosition?
    private var noticeAt: Timestamp
    private var presenceAt: Timestamp

    init(name: String, now: Timestamp) {
        self.name = name
        (noticeAt, presenceAt) = (now, now)
    }

    /// This server has committed.
    mutating func committed(_ position: StreamPosition, at now: Timestamp) {
        last = position
        news = hasOthers(at: now) ? position : nil
    }

    /// Another server has sent a notice, or there are events of one.
    mutating func heard(from other: String, at now: Timestamp) {
        guard other != name else { return }
        // A new server does not know of this one.
        if heard.updateValue(now, forKey: other) == nil { presenceAt = now }
        heard = heard.filter { now.seconds(since: $0.value) < Neighbours.absenceSeconds }
    }

    /// Whether the other servers are to be told of commits.
    var hasNews: Bool { news != nil }

    /// The notice that is due now.
    mutating func due(at now: Timestamp) -> LogNotice? {
        if let news, now >= noticeAt {
            self.news = nil
            noticeAt = now.adding(seconds: Neighbours.noticeSeconds)
            return .reached(news, by: name)
        }
        guard now >= presenceAt else { return nil }
        presenceAt = now.adding(seconds: Neighbours.presenceSeconds)
        return last.map { .reached($0, by: name) } ?? .present(name)
    }

    /// The notice of commits that the others have not been told, when this server ends.
    mutating func lastNews() -> LogNotice? {
        defer { news = nil }
        return news.map { .reached($0, by: name) }
    }

    /// When `due` is to be called next.
    var dueAt: Timestamp { hasNews ? min(noticeAt, presenceAt) : presenceAt }

    private func hasOthers(at now: Timestamp) -> Bool {
        heard.values.contains { now.seconds(since: $0) < Neighbours.absenceSeconds }
    }
}
