/// A first-in first-out queue, bounded by the sum of its elements' stated sizes. An empty queue takes an element of any
/// size.
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

    /// False: full, and the element was not kept.
    mutating func offer(_ element: Element, bytes: Int) -> Bool {
        guard elements.isEmpty || self.bytes + bytes <= byteLimit else { return false }
        elements.append(element)
        sizes.append(bytes)
        self.bytes += bytes
        return true
    }

    /// Removes elements up to both limits, but at least one if there is one. Mostly that is all, and the array is
    /// handed over as it is.
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
