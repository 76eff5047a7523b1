#if !PORTABLE_JSON
    internal import CSimdJSON

    /// A simdjson DOM parser and the memory of its last document.
    ///
    /// Safe because the handle is private and freed only here, and a document exists only until the next one.
    @safe final class SimdJSONBackend {
        private let maxDepth: Int
        private var handle: OpaquePointer?
        private var document = unsafe csj_document()

        init(maxDepth: Int) {
            self.maxDepth = maxDepth
        }

        deinit {
            if let handle = unsafe handle { unsafe csj_parser_destroy(handle) }
        }

        /// simdjson reads up to `csj_padding` bytes past the end, so this function appends them and then removes them.
        func parse(_ text: inout [UInt8]) -> JSONParseStatus {
            unsafe document = unsafe csj_document()
            if unsafe handle == nil { unsafe handle = csj_parser_create(maxDepth) }
            guard let handle = unsafe handle else { return .outOfMemory }
            let length = text.count
            text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Int(csj_padding)))
            defer { text.removeLast(Int(csj_padding)) }
            let status = unsafe text.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return csj_empty }
                return unsafe csj_parse(handle, base, length, &document)
            }
            return SimdJSONBackend.status(status)
        }

        private static func status(_ status: csj_status) -> JSONParseStatus {
            switch status {
            case csj_ok: .parsed
            case csj_empty: .empty
            case csj_bad_string: .badString
            case csj_bad_utf8: .badUTF8
            case csj_bad_number: .badNumber
            case csj_too_deep: .tooDeep
            case csj_out_of_memory: .outOfMemory
            default: .malformed
            }
        }

        func withRoot<Output>(_ body: (JSONElement) -> Output) -> Output? {
            guard let tape = unsafe document.tape, let strings = unsafe document.strings else { return nil }
            return body(unsafe JSONElement(tape: tape, strings: strings, index: 1))
        }

        static func mentionsNULEscape(_ text: [UInt8]) -> Bool {
            unsafe text.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return false }
                return unsafe csj_mentions_nul_escape(base, bytes.count)
            }
        }

        func releaseMemory() {
            unsafe document = unsafe csj_document()
            if let handle = unsafe handle { unsafe csj_parser_destroy(handle) }
            unsafe handle = nil
        }
    }
#endif
