internal import JSON
internal import RPC
internal import Signing
internal import WorkspaceFiles

/// A page of a file: `file/get`.
struct FileContent: Sendable {
    let offset: Int64
    let limit: Int
    /// Whether the content is to be Base64 in any case.
    let isBase64: Bool
    /// The version of the page before.
    let version: String?

    static let mostBytes = 384 << 10
    /// What a text may take in a message: quotes and control characters take more room there.
    private static let mostTextBytes = 800 << 10

    init(_ params: RPCParams) throws(RPCError) {
        offset = try params.integer("offset", in: 0...Int64(1) << 53) ?? 0
        limit = Int(try params.integer("limit", in: 1...Int64(FileContent.mostBytes)) ?? Int64(FileContent.mostBytes))
        let encoding = try params.string("encoding", limit: 16) ?? "auto"
        guard ["auto", "base64"].contains(encoding) else {
            throw .invalidParameter("encoding", "is neither auto nor base64")
        }
        isBase64 = encoding == "base64"
        version = try params.string("version", limit: 128)
    }

    func run(_ place: ServedPlace) throws(CommandRefusal) -> JSONValue {
        let shown = String(decoding: place.absolute, as: UTF8.self)
        guard place.opened.status.kind == .file else { throw CommandRefusal(.notFile, shown) }
        try place.requireReadable()
        let page: (bytes: [UInt8], status: FileStatus)
        do throws(FileFault) {
            page = try place.opened.read(from: offset, count: limit)
        } catch {
            throw CommandRefusal(error, shown)
        }
        guard version == nil || version == page.status.version else {
            throw CommandRefusal(.changedMeanwhile, "\(shown) has changed since the page before.")
        }
        let isEnd = page.bytes.count < limit
        let text = isBase64 ? nil : FileContent.text(page.bytes, isEnd: isEnd)
        let count = Int64(text?.utf8.count ?? page.bytes.count)
        let end = offset + count
        var members = FileFacts.text("path", place.absolute) + FileFacts.text("root", place.root.path)
        members += FileFacts.members(of: page.status)
        members += [
            ("version", .string(page.status.version)), ("is_secret", .bool(place.isSecret())),
            ("offset", .integer(offset)), ("bytes", .integer(count)),
            ("encoding", .string(text == nil ? "base64" : "utf-8")),
            ("content", .string(text ?? Base64.encode(page.bytes))),
            ("next_offset", count > 0 && end < page.status.size ? .integer(end) : .null),
        ]
        return .object(members)
    }

    /// The bytes as text, without a character that the page cuts. `nil` if they are no text.
    static func text(_ bytes: [UInt8], isEnd: Bool) -> String? {
        var bytes = bytes[...]
        if !isEnd {
            // At most three bytes of a character that the next page continues.
            var cut = bytes.endIndex
            while cut > bytes.startIndex, bytes.endIndex - cut < 3, bytes[cut - 1] & 0xC0 == 0x80 { cut -= 1 }
            if cut > bytes.startIndex, let length = bytes[cut - 1].characterLength, cut - 1 + length > bytes.endIndex {
                bytes = bytes[..<(cut - 1)]
            }
            guard !bytes.isEmpty else { return nil }
        }
        var room = mostTextBytes
        for byte in bytes {
            guard byte != 0 else { return nil }
            let isPlain = byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            room -= isPlain ? 1 : byte == 9 || byte == 10 || byte == 13 || byte > 0x20 ? 2 : 6
        }
        guard room >= 0 else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The bytes of the UTF-8 character that begins with this one; `nil` for one byte.
    fileprivate var characterLength: Int? {
        switch self {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }
}
