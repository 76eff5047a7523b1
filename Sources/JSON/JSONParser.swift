/// Owns a parser and the memory of its last document. Create one per thread and reuse it.
///
/// Accepts one JSON value of any kind (RFC 8259), a byte order mark before it and repeated names. Reads invalid UTF-8,
/// unpaired surrogate escapes and `\u0000` as U+FFFD. `JSONNumberRepair` describes how it reads numbers beyond 64
/// bits.
public final class JSONParser {
    /// The memory of a larger document, about 13 bytes per byte of text, is released after the document was read.
    private static let retainedBytes = 512 * 1024

    /// Room that a backend may need behind the text.
    private static let padding = 64

    private let maxDepth: Int
    private let backend: JSONBackend
    private var buffer: [UInt8] = []
    private var isReading = false

    /// `maxDepth`: the number of levels of nested arrays and objects that are accepted.
    public convenience init(maxDepth: Int = 64) {
        let maxDepth = max(1, maxDepth)
        self.init(maxDepth: maxDepth, .preferred(maxDepth: maxDepth))
    }

    init(maxDepth: Int, _ backend: JSONBackend) {
        (self.maxDepth, self.backend) = (maxDepth, backend)
    }

    public func withDocument<Output>(
        _ bytes: [UInt8],
        _ body: (JSONElement) -> Output
    ) throws(JSONError) -> Output {
        try withDocument(bytes[...], body)
    }

    /// The element and everything reachable from it become invalid when `body` returns.
    public func withDocument<Output>(
        _ bytes: ArraySlice<UInt8>,
        _ body: (JSONElement) -> Output
    ) throws(JSONError) -> Output {
        guard !isReading else { throw .parserInUse }
        isReading = true
        defer {
            isReading = false
            releaseLargeMemory()
        }
        load(bytes)
        try parseRepairing()
        guard let output = backend.withRoot(body) else { throw .malformed }
        return output
    }

    private func load(_ bytes: ArraySlice<UInt8>) {
        let hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        buffer.removeAll(keepingCapacity: true)
        buffer.reserveCapacity(bytes.count + JSONParser.padding)
        buffer.append(contentsOf: hasByteOrderMark ? bytes.dropFirst(3) : bytes)
    }

    /// Repairs a document only if necessary, because most documents need no repair. Makes each repair at most once.
    private func parseRepairing() throws(JSONError) {
        var mayRepairText = true
        var mayRepairNumbers = true
        if backend.mentionsNULEscape(buffer) {
            mayRepairText = false
            buffer = JSONSanitizer.sanitized(buffer)
        }
        while true {
            switch backend.parse(&buffer) {
            case .parsed: return
            case .badString where mayRepairText, .badUTF8 where mayRepairText:
                mayRepairText = false
                buffer = JSONSanitizer.sanitized(buffer)
            case .badNumber where mayRepairNumbers:
                mayRepairNumbers = false
                buffer = JSONNumberRepair.repaired(buffer)
            case .empty: throw .empty
            case .badString: throw .badString
            case .badNumber: throw .badNumber
            case .tooDeep: throw .tooDeep(limit: maxDepth)
            case .outOfMemory: throw .outOfMemory
            case .malformed, .badUTF8: throw .malformed
            }
        }
    }

    private func releaseLargeMemory() {
        guard buffer.capacity > JSONParser.retainedBytes else { return }
        buffer = []
        backend.releaseMemory()
    }
}
