internal import CSimdJSON

/// Owns a simdjson DOM parser and the memory of its last document. Create one per thread and reuse it.
///
/// Accepts one JSON value of any kind (RFC 8259), a byte order mark before it and repeated names. Reads invalid UTF-8,
/// unpaired surrogate escapes and `\u0000` as U+FFFD. `JSONNumberRepair` describes how it reads numbers beyond 64
/// bits.
///
/// Safe because the handle is private and freed only in `deinit`, and a document exists only inside `withDocument`.
@safe public final class JSONParser {
    /// The memory of a larger document, about 13 bytes per byte of text, is released after the document was read.
    private static let retainedBytes = 512 * 1024

    private let maxDepth: Int
    private var handle: OpaquePointer?
    private var buffer: [UInt8] = []
    private var isReading = false

    /// `maxDepth`: the number of levels of nested arrays and objects that are accepted.
    public init(maxDepth: Int = 64) {
        self.maxDepth = max(1, maxDepth)
    }

    deinit {
        if let handle = unsafe handle { unsafe csj_parser_destroy(handle) }
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
        let document = unsafe try parseRepairing()
        guard let tape = unsafe document.tape, let strings = unsafe document.strings else { throw .malformed }
        return body(unsafe JSONElement(tape: tape, strings: strings, index: 1))
    }

    private func load(_ bytes: ArraySlice<UInt8>) {
        let hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        buffer.removeAll(keepingCapacity: true)
        buffer.reserveCapacity(bytes.count + csj_padding)
        buffer.append(contentsOf: hasByteOrderMark ? bytes.dropFirst(3) : bytes)
    }

    /// Repairs a document only if necessary, because most documents need no repair. Makes each repair at most once.
    private func parseRepairing() throws(JSONError) -> csj_document {
        var mayRepairText = true
        var mayRepairNumbers = true
        if mentionsNULEscape {
            mayRepairText = false
            buffer = JSONSanitizer.sanitized(buffer)
        }
        while true {
            var document = unsafe csj_document()
            switch unsafe try parse(into: &document) {
            case csj_ok: return unsafe document
            case csj_bad_string where mayRepairText, csj_bad_utf8 where mayRepairText:
                mayRepairText = false
                buffer = JSONSanitizer.sanitized(buffer)
            case csj_bad_number where mayRepairNumbers:
                mayRepairNumbers = false
                buffer = JSONNumberRepair.repaired(buffer)
            case csj_empty: throw .empty
            case csj_bad_string: throw .badString
            case csj_bad_number: throw .badNumber
            case csj_too_deep: throw .tooDeep(limit: maxDepth)
            case csj_out_of_memory: throw .outOfMemory
            default: throw .malformed
            }
        }
    }

    private var mentionsNULEscape: Bool {
        unsafe buffer.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe csj_mentions_nul_escape(base, bytes.count)
        }
    }

    /// simdjson reads up to `csj_padding` bytes past the end, so this function appends them and then removes them.
    private func parse(into document: inout csj_document) throws(JSONError) -> csj_status {
        if unsafe handle == nil { unsafe handle = csj_parser_create(maxDepth) }
        guard let handle = unsafe handle else { throw .outOfMemory }
        let length = buffer.count
        buffer.append(contentsOf: repeatElement(UInt8(ascii: " "), count: csj_padding))
        defer { buffer.removeLast(csj_padding) }
        return unsafe buffer.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return csj_empty }
            return unsafe csj_parse(handle, base, length, &document)
        }
    }

    private func releaseLargeMemory() {
        guard buffer.capacity > JSONParser.retainedBytes else { return }
        buffer = []
        if let handle = unsafe handle { unsafe csj_parser_destroy(handle) }
        unsafe handle = nil
    }
}
