extension JSONValue {
    /// Whether a JSON text has at most so many values. Check this before parsing what others send: two bytes of text
    /// can become a value of a hundred bytes in memory. The answer means nothing for a text that is not JSON.
    public static func counts(atMost most: Int, in text: [UInt8]) -> Bool {
        // Each value but the first follows a comma, or is the first one of an array or an object.
        var (count, isString, isEscaped) = (1, false, false)
        for byte in text {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            default: continue
            }
            if count > most { return false }
        }
        return true
    }
}
