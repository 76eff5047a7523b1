/// Parses without a library, for programs that run where there is no simdjson.
final class PortableBackend {
    private let maxDepth: Int
    private(set) var tape: JSONTape?

    init(maxDepth: Int) {
        self.maxDepth = maxDepth
    }

    func parse(_ text: [UInt8]) -> JSONParseStatus {
        tape = nil
        do throws(JSONParseStatus) {
            tape = try JSONTape(text, maxDepth: maxDepth)
            return .parsed
        } catch {
            return error
        }
    }

    func withRoot<Output>(_ body: (JSONElement) -> Output) -> Output? {
        guard let tape else { return nil }
        return unsafe tape.words.withUnsafeBufferPointer { words in
            unsafe tape.strings.withUnsafeBufferPointer { strings in
                guard let first = words.baseAddress, let texts = strings.baseAddress else { return nil }
                return body(unsafe JSONElement(tape: first, strings: texts, index: 1))
            }
        }
    }

    static func mentionsNULEscape(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            if text[backslash...].starts(with: "\\u0000".utf8) { return true }
            rest = text[(backslash + 1)...]
        }
        return false
    }

    func releaseMemory() { tape = nil }
}
