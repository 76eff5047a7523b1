/// Writes an archive in the ustar format (POSIX.1-2017, pax, "ustar Interchange Format"). The same files give the same
/// bytes: owner and time are those of nobody.
package struct TarWriter {
    private static let blockBytes = 512

    private var bytes: [UInt8] = []

    package init() {}

    /// - Parameter path: at most 100 bytes of ASCII, relative.
    package mutating func add(_ path: String, _ contents: [UInt8], isExecutable: Bool) {
        var header = [UInt8](repeating: 0, count: TarWriter.blockBytes)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        precondition(path.utf8.count <= 100)
        put(path, at: 0)
        put(isExecutable ? "0000755" : "0000644", at: 100)
        for owner in [108, 116] { put("0000000", at: owner) }
        put(TarWriter.octal(contents.count, digits: 11), at: 124)
        put(TarWriter.octal(0, digits: 11), at: 136)
        // The checksum counts its own field as spaces.
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar\u{0}00", at: 257)
        put(TarWriter.octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\u{0}", at: 148)
        bytes += header + contents
        bytes += [UInt8](repeating: 0, count: -contents.count & (TarWriter.blockBytes - 1))
    }

    /// The archive with its end, two blocks of zeros.
    package var archive: [UInt8] { bytes + [UInt8](repeating: 0, count: 2 * TarWriter.blockBytes) }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
