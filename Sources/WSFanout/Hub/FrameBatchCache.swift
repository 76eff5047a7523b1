/// The most recently replayed batches. Subscribers at the same position share one concatenation, as all of them do
/// after a network outage.
///
/// A batch never becomes stale, because the log does not change.
struct FrameBatchCache {
    struct Key: Hashable {
        var feed: Feed
        var after: Int64
    }

    private var batches: [Key: FrameBatch] = [:]
    private var bytes = 0
    private let maxBytes = 4 << 20

    subscript(key: Key) -> FrameBatch? { batches[key] }

    mutating func insert(_ batch: FrameBatch, at key: Key) {
        if bytes + batch.bytes.count > maxBytes || batches.count >= 256 { removeAll() }
        batches[key] = batch
        bytes += batch.bytes.count
    }

    mutating func removeAll() {
        batches.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
