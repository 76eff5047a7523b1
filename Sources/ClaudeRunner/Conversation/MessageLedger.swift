/// The messages of a session, by their ids.
struct MessageLedger: Sendable {
    /// How many messages are remembered. The client itself remembers all.
    private static let limit = 2000

    /// Written to the client; their turn has not begun.
    private(set) var queue: [String] = []
    private(set) var running: [String] = []
    private var finished: Set<String> = []
    /// All messages of this session that are remembered, oldest first.
    private var order: [String] = []
    private var all: Set<String> = []

    init(queue: [String] = [], running: [String] = []) {
        self.queue = queue
        self.running = running
        for id in running + queue { remember(id) }
    }

    /// Whether writing the message again would be of no use.
    func isTakenCareOf(_ id: String) -> Bool { queue.contains(id) || running.contains(id) || finished.contains(id) }

    /// Whether this agent, or the one before it, sent the message.
    func isOurs(_ id: String) -> Bool { all.contains(id) }

    var unfinished: [String] { running + queue }

    mutating func sent(_ id: String) {
        queue.append(id)
        remember(id)
    }

    /// The message was not written after all.
    mutating func unsent(_ id: String) { queue.removeAll { $0 == id } }

    mutating func started(_ id: String) {
        guard let place = queue.firstIndex(of: id) else { return }
        running.append(queue.remove(at: place))
    }

    mutating func ended(_ id: String) {
        queue.removeAll { $0 == id }
        running.removeAll { $0 == id }
        if all.contains(id) { finished.insert(id) }
    }

    /// Forgets messages whose outcome is unknown, because the earlier agent lost their frames. They may be sent again.
    mutating func forgetUnfinished() {
        queue = []
        running = []
    }

    private mutating func remember(_ id: String) {
        guard all.insert(id).inserted else { return }
        order.append(id)
        if order.count > MessageLedger.limit {
            let oldest = order.removeFirst()
            all.remove(oldest)
            finished.remove(oldest)
        }
    }
}
