internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Listener

/// Posts that arrived in one turn of a loop while the writer was busy. They go to the writer together, for one
/// commit.
struct GatheredPosts {
    /// At this number of posts, or of payload bytes, the posts are submitted without waiting for the end of the turn.
    static let maximum = 500
    static let maximumBytes = 4 << 20
    /// Fewer posts wait for the end of the turn, because each commit has a fixed cost.
    static let worthACommit = 8

    private var posts: [(pending: PendingIngest, exchange: ExchangeID)] = []
    private var bytes = 0

    var isFull: Bool { posts.count >= GatheredPosts.maximum || bytes >= GatheredPosts.maximumBytes }
    var isWorthACommit: Bool { posts.count >= GatheredPosts.worthACommit }
    var isEmpty: Bool { posts.isEmpty }
    var count: Int { posts.count }

    mutating func add(_ pending: PendingIngest, _ exchange: ExchangeID) {
        posts.append((pending, exchange))
        bytes += pending.events.payloadBytes
    }

    mutating func take(answeringTo answers: AnswerOutbox) -> [IngestPipeline.Submission] {
        defer {
            posts = []
            bytes = 0
        }
        return posts.map { pending, exchange in
            IngestPipeline.Submission(pending.events) { answers.add($0, of: pending, to: exchange) }
        }
    }
}
