/// libwebsockets hands out paths and queries decoded. Encoding them again gives each request one spelling, whatever the
/// client escaped; a slash that the client had escaped (`%2F`) is a plain slash afterwards.
enum PercentEncoding {
    static func path(_ bytes: some Collection<UInt8>) -> String {
        bytes.allSatisfy(isPathByte) ? String(decoding: bytes, as: UTF8.self) : encode(bytes, keeping: isPathByte)
    }

    /// One `name=value` of a query, without the separators around it.
    static func queryItem(_ bytes: some Collection<UInt8>) -> String {
        let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = encode(bytes[..<(equals ?? bytes.endIndex)], keeping: isQueryByte)
        guard let equals else { return name }
        return name + "=" + encode(bytes[bytes.index(after: equals)...], keeping: isQueryByte)
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || byte == UInt8(ascii: "/") || ":@!$'()*,;=".utf8.contains(byte)
    }

    private static func isQueryByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "/:@!$'()*,?".utf8.contains(byte)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == 45 || byte == 46 || byte == 95 || byte == 126
    }

    private static func encode(_ bytes: some Sequence<UInt8>, keeping keeps: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        for byte in bytes {
            if keeps(byte) {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
