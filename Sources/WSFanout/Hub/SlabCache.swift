/// The last slabs that were replayed, so that subscribers that stand at the same place share one concatenation: after a
/// restart of the network all of them do.
///
/// A slab stays right for its place for ever, since the log does not change.
struct SlabCache {
    struct Key: Hashable {
        var feed: Feed
        var after: Int64
    }

    private var slabs: [Key: Slab] = [:]
    private var bytes = 0
    private let maxBytes = 4 << 20

    subscript(key: Key) -> Slab? { slabs[key] }

    mutating func insert(_ slab: Slab, at key: Key) {
        if bytes + slab.bytes.count > maxBytes || slabs.count >= 256 { removeAll() }
        slabs[key] = slab
        bytes += slab.bytes.count
    }

    mutating func removeAll() {
        slabs.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
