internal import EventModel
internal import JSON
internal import Signing
internal import WorkspaceFiles

/// What commands say of files.
enum FileFacts {
    typealias Members = [(String, JSONValue)]

    /// A name or a path. Its bytes stand beside it if they are not UTF-8.
    static func text(_ name: String, _ bytes: [UInt8]) -> Members {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return [
                (name, .string(String(decoding: bytes, as: UTF8.self))),
                ("\(name)_b64", .string(Base64.encode(bytes))),
            ]
        }
        return [(name, .string(text))]
    }

    static func members(of place: ServedPlace) -> Members {
        text("path", place.absolute) + text("root", place.root.path) + members(of: place.opened.status) + [
            ("version", .string(place.opened.status.version)), ("is_secret", .bool(place.isSecret())),
        ]
    }

    static func members(of status: FileStatus) -> Members {
        [
            ("type", .string(status.kind.rawValue)), ("size", .integer(status.kind == .directory ? 0 : status.size)),
            ("modified_at", .string("\(Timestamp(microseconds: status.modified))")),
        ]
    }
}
