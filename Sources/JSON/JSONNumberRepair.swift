/// Rewrites numbers that simdjson cannot represent, so that the document around them is still accepted. JSON numbers
/// are unbounded, but simdjson reads only 64-bit integers and finite doubles. A longer integer becomes the nearest
/// double. A number that no double can hold (`1e999`) becomes a string of its digits.
enum JSONNumberRepair {
    /// Does not change malformed numbers, which the parser rejects.
    static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let end = endOfString(in: bytes, from: index)
                output.append(contentsOf: bytes[index..<end])
                index = end
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = bytes[index...].firstIndex { !isNumberByte($0) } ?? bytes.count
                append(bytes[index..<end], to: &output)
                index = end
            default:
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    private static func append(_ token: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let isInteger = token.dropFirst().allSatisfy(isDigit)
        // Neither 18 digits nor a double without an exponent in under 18 characters can be out of range.
        guard token.count > 18 || token.contains(where: isExponentMark), isWellFormed(token) else {
            return output.append(contentsOf: token)
        }
        let text = String(decoding: token, as: UTF8.self)
        if isInteger, Int64(text) != nil || UInt64(text) != nil { return output.append(contentsOf: token) }
        guard let value = Double(text), value.isFinite else {
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: token)
            output.append(UInt8(ascii: "\""))
            return
        }
        output.append(contentsOf: token)
        if isInteger { output.append(contentsOf: "e0".utf8) }
    }

    /// RFC 8259 section 6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private static func isWellFormed(_ token: ArraySlice<UInt8>) -> Bool {
        var rest = token
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let hasLeadingZero = rest.first == UInt8(ascii: "0")
        let integerDigits = skipDigits(&rest)
        guard integerDigits == 1 || integerDigits > 1 && !hasLeadingZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard skipDigits(&rest) > 0 else { return false }
        }
        if let mark = rest.first, isExponentMark(mark) {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard skipDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func skipDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let before = rest.count
        rest = rest.drop(while: isDigit)
        return before - rest.count
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return bytes.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isExponentMark(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "e") }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || isExponentMark(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: ".")
    }
}
