/// The bytes that wait for a slow reader: the rest of the last write, which the library holds, and the whole sends that
/// follow it.
struct Backlog {
    /// The size of the last write until all of it has left (`Quirk.hidesWriteProgress`).
    private var inLibrary = 0
    private var queue: [[UInt8]] = []
    private var head = 0
    private var queued = 0

    /// An upper bound of the bytes in user space.
    var count: Int { inLibrary + queued }
    var isEmpty: Bool { count == 0 }

    mutating func libraryHolds(_ bytes: Int) { inLibrary = bytes }

    mutating func append(_ bytes: [UInt8]) {
        queue.append(bytes)
        queued += bytes.count
    }

    /// Call when everything before has been sent. Joins the next sends and returns at most `limit` bytes, or a single
    /// larger send.
    mutating func next(limit: Int) -> [UInt8]? {
        inLibrary = 0
        guard head < queue.count else {
            clear()
            return nil
        }
        var piece = queue[head]
        head += 1
        while head < queue.count, piece.count + queue[head].count <= limit {
            piece += queue[head]
            head += 1
        }
        queued -= piece.count
        if head == queue.count {
            queue.removeAll(keepingCapacity: false)
            head = 0
        } else if head > 64, head * 2 > queue.count {
            queue.removeFirst(head)
            head = 0
        }
        return piece
    }

    private mutating func clear() {
        self = Backlog()
    }

    /// Drops the queue but keeps what the library holds, because it may be half a frame.
    mutating func dropQueue() {
        queue = []
        head = 0
        queued = 0
    }
}
