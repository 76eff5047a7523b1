internal import EventModel
internal import HTTPModel
internal import Listener
internal import Persistence

/// Posts that came in one turn of a loop while the writer was at work: they go to it together, for one commit.
struct GatheredPosts {
    /// At so many posts, or bytes of payload, they go at once, without waiting for the turn's end.
    static let maximum = 500
    static let maximumBytes = 4 << 20
    /// Fewer wait for the turn's end: each commit has a price of its own.
    static let worthACommit = 8

    struct Post {
        var pending: PendingIngest
        var exchange: ExchangeID
    }

    private(set) var posts: [Post] = []
    private var bytes = 0
    private var writer: EventWriter?

    var isFull: Bool { posts.count >= GatheredPosts.maximum || bytes >= GatheredPosts.maximumBytes }
    var isWorthACommit: Bool { posts.count >= GatheredPosts.worthACommit }
    var isEmpty: Bool { posts.isEmpty }

    /// False: these are for another writer, and have to be sent before.
    mutating func add(_ post: Post, for writer: EventWriter) -> Bool {
        guard self.writer === writer || posts.isEmpty else { return false }
        self.writer = writer
        posts.append(post)
        bytes += post.pending.events.payloadBytes
        return true
    }

    /// Returns those that the writer has no room for.
    mutating func send(from loop: NetworkLoop) -> ArraySlice<Post> {
        guard let writer else { return [] }
        defer {
            posts = []
            bytes = 0
            self.writer = nil
        }
        let taken = writer.append(
            posts.map { post in
                let (pending, exchange) = (post.pending, post.exchange)
                return (
                    pending.events,
                    { outcomes in
                        pending.settle(outcomes) { outcomes, isLate in
                            pending.answer(outcomes, to: exchange, on: loop, isLate: isLate)
                        }
                    }
                )
            }
        )
        return posts[taken...]
    }
}
