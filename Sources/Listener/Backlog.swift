/// What waits for a slow reader: what the library holds of the last write, and whole sends behind it.
struct Backlog {
    /// The last write's size while its end has not left: the library does not say how much of it is left.
    private var inLibrary = 0
    private var queue: [[UInt8]] = []
    private var head = 0
    private var queued = 0

    /// Bytes in user space, at most.
    var count: Int { inLibrary + queued }
    var isEmpty: Bool { count == 0 }

    mutating func libraryHolds(_ bytes: Int) { inLibrary = bytes }

    mutating func append(_ bytes: [UInt8]) {
        queue.append(bytes)
        queued += bytes.count
    }

    /// Everything before has left: the next sends in one piece, `limit` bytes unless the first alone is larger.
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

    /// What the library holds has to leave: it may be half a frame.
    mutating func dropQueue() {
        queue = []
        head = 0
        queued = 0
    }
}
