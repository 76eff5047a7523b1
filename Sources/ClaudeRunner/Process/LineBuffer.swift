/// Cuts what a client writes into lines.
package struct LineBuffer {
    package enum Line: Equatable, Sendable {
        /// Without its end.
        case text([UInt8])
        /// A line that was longer than the limit and is lost.
        case tooLong
    }

    /// Bytes of a line. Answers of 3 MB were seen, and inputs of 20 MB come back in a prompt.
    package static let limit = 32 << 20

    private let limit: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    package init(limit: Int = LineBuffer.limit) {
        self.limit = limit
    }

    package mutating func append(_ bytes: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var begin = bytes.startIndex
        while let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            take(bytes[begin..<end])
            if isSkipping {
                isSkipping = false
                lines.append(.tooLong)
            } else if !rest.isEmpty {
                lines.append(.text(rest))
            }
            rest = []
            begin = end + 1
        }
        take(bytes[begin...])
        return lines
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        guard rest.count + bytes.count <= limit else {
            isSkipping = true
            rest = []
            return
        }
        rest.append(contentsOf: bytes)
    }
}
