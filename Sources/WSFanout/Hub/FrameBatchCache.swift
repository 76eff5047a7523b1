/// The last batches that were replayed. Subscribers at the same place share one concatenation: after a restart of the
/// network all of them do.
///
/// A batch stays right for its place for ever, since the log does not change.
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
