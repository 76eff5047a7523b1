/// Finds the end of a request's head in bytes that arrive in pieces. Reads each byte once.
struct HeadScanner {
    /// Both are offsets from the first byte of the head.
    private var position = 0
    private var lineStart = 0

    /// Returns the length of the head in bytes, including the empty line at its end, or nil if the head is incomplete.
    ///
    /// The head begins at `start`. Until it is complete, each call must pass the bytes of the previous call, followed
    /// by more. Throws as soon as the bytes cannot become a head.
    mutating func length(of bytes: [UInt8], from start: Int) throws(HeadFault) -> Int? {
        if position == 0, start < bytes.count, !bytes[start].isTokenByte { throw .badRequestLine }
        while start + position < bytes.count {
            defer { position += 1 }
            guard bytes[start + position] == .lineFeed else { continue }
            guard position > lineStart, bytes[start + position - 1] == .carriageReturn else { throw .badLineEnd }
            if position == lineStart + 1 { return position + 1 }
            lineStart = position + 1
        }
        return nil
    }
}

extension UInt8 {
    static var lineFeed: UInt8 { 10 }
    static var carriageReturn: UInt8 { 13 }

    /// RFC 9110 section 5.6.2: `tchar`.
    var isTokenByte: Bool {
        switch self {
        case 48...57, 65...90, 94...122, 33, 35...39, 42, 43, 45, 46, 124, 126: true
        default: false
        }
    }

    /// RFC 9110 section 5.5: a visible character, a byte of a larger character, a space or a tab.
    var isFieldValueByte: Bool { self >= 32 && self != 127 || self == 9 }

    var isBlank: Bool { self == 32 || self == 9 }

    /// ASCII letters in lower case; other bytes unchanged.
    var lowercased: UInt8 { (65...90).contains(self) ? self | 32 : self }
}
