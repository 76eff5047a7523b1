/// Keeps lists within what an answer has room for.
struct AnswerRoom {
    private var entries: Int
    private var bytes: Int
    private(set) var isExceeded = false

    init(entries: Int, bytes: Int) { (self.entries, self.bytes) = (entries, bytes) }

    /// The first of the elements, as many as there is room for.
    mutating func kept<Element>(_ list: [Element], _ path: (Element) -> GitPath) -> ArraySlice<Element> {
        for (index, element) in list.enumerated() {
            // The path, its form as Base64, and what else is said of it.
            entries -= 1
            bytes -= 3 * path(element).bytes.count + 150
            guard entries >= 0, bytes >= 0 else {
                isExceeded = true
                return list[..<index]
            }
        }
        return list[...]
    }
}

extension String {
    /// The beginning of a text that a person may have written at any length.
    func cut(to limit: Int) -> String { utf8.count <= limit ? self : String(prefix(limit / 4)) + "…" }
}
