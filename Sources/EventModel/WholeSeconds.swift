/// Times without fractions, for clients whose parser takes no others.
public enum WholeSeconds {
    /// `"2026-01-05T10:00:00.123Z"` with both quotes; a digit is 0.
    private static let form = [UInt8](#""0000-00-00T00:00:00.000Z""#.utf8)
    private static let fraction = 20..<24

    /// Cuts the fraction of every string that is a time, as `Timestamp` writes it. A time in a longer string, and in
    /// JSON inside a string, stays as it is.
    ///
    /// - Parameter json: any text with JSON in it.
    public static func of(_ json: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var copied = 0
        var place = 0
        while place + form.count <= json.count {
            guard isTime(json, at: place) else {
                place += 1
                continue
            }
            if text.isEmpty { text.reserveCapacity(json.count) }
            text.append(contentsOf: json[copied..<(place + fraction.lowerBound)])
            copied = place + fraction.upperBound
            place += form.count
        }
        guard copied > 0 else { return json }
        text.append(contentsOf: json[copied...])
        return text
    }

    private static func isTime(_ json: [UInt8], at start: Int) -> Bool {
        guard json[start] == form[0], start == 0 || json[start - 1] != UInt8(ascii: "\\") else { return false }
        for offset in form.indices.dropFirst() {
            let byte = json[start + offset]
            let isRight = form[offset] == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == form[offset]
            guard isRight else { return false }
        }
        return true
    }
}
