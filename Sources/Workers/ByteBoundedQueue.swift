/// A first-in first-out queue, bounded by the sum of its elements' stated sizes. An empty queue accepts an element of
/// any size.
struct ByteBoundedQueue<Element> {
    let byteLimit: Int
    private var elements: [Element] = []
    /// The sizes of the elements, in the same order.
    private var sizes: [Int] = []
    private(set) var bytes = 0

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    /// Returns false if the queue is full. The element was then not added.
    mutating func offer(_ element: Element, bytes: Int) -> Bool {
        guard elements.isEmpty || self.bytes + bytes <= byteLimit else { return false }
        elements.append(element)
        sizes.append(bytes)
        self.bytes += bytes
        return true
    }

    /// Removes elements up to both limits, but at least one if there is one. Usually that is every element; then the
    /// array is returned without copying.
    mutating func take(maxElements: Int = .max, maxBytes: Int = .max) -> [Element] {
        if elements.count <= maxElements, bytes <= maxBytes {
            defer {
                elements = []
                sizes.removeAll(keepingCapacity: true)
                bytes = 0
            }
            return elements
        }
        var count = 0
        var taken = 0
        for size in sizes.prefix(maxElements) {
            guard count == 0 || taken + size <= maxBytes else { break }
            count += 1
            taken += size
        }
        defer {
            elements.removeFirst(count)
            sizes.removeFirst(count)
            bytes -= taken
        }
        return Array(elements.prefix(count))
    }
}
