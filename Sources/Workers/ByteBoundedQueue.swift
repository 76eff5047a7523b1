/// First in, first out, bounded by the sum of the bytes its elements are said to cost. An element alone in it is taken
/// in whatever its size.
struct ByteBoundedQueue<Element> {
    let byteLimit: Int
    private var elements: [Element] = []
    /// Of the elements.
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

    /// What is there up to both limits, but at least one of those there are. As a rule it is all, and the array is
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
