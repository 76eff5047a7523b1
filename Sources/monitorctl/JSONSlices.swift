/// Extracts the elements of a list from a JSON document as unchanged bytes.
enum JSONSlices {
    /// The elements of the array under `key` in the document's top-level object, or `nil` if there is no such array.
    /// The document must be valid JSON. Removes line breaks between tokens, so each element is one line.
    static func elements(of key: String, in document: some Collection<UInt8>) -> [[UInt8]]? {
        var depth = 0
        var inString = false
        var escaped = false
        var word: [UInt8] = []
        var lastKey: [UInt8] = []
        var elements: [[UInt8]]?
        var current: [UInt8] = []

        for byte in document {
            let collecting = elements != nil
            if inString {
                if collecting { current.append(byte) } else if depth == 1 { word.append(byte) }
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                    if depth == 1 { word.removeLast() }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                inString = true
                word.removeAll()
            case UInt8(ascii: ":") where depth == 1:
                lastKey = word
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 2, byte == UInt8(ascii: "["), lastKey.elementsEqual(key.utf8) {
                    elements = []
                    continue
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 1, var found = elements {
                    if !current.isEmpty { found.append(current) }
                    return found
                }
            case UInt8(ascii: ",") where collecting && depth == 2:
                elements?.append(current)
                current.removeAll()
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                continue
            default:
                break
            }
            if collecting { current.append(byte) }
        }
        return nil
    }
}
