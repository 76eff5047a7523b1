import ArgumentParser
import Foundation

/// A picture of a message, read from a file.
struct MessagePicture: Encodable, Equatable {
    var mediaType: String
    var data: String

    /// The most bytes that the server takes of one picture.
    static let mostBytes = 5 << 20

    /// - Throws: `CommandError` if the file cannot be read, is too large, or is no picture that Claude Code takes.
    init(path: String) throws {
        let contents: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            contents = try file.read(upToCount: MessagePicture.mostBytes + 1) ?? Data()
        } catch {
            throw CommandError.refused("\(path) cannot be read")
        }
        guard contents.count <= MessagePicture.mostBytes else {
            throw CommandError.refused("\(path) has more than 5 MiB")
        }
        guard let mediaType = MessagePicture.mediaType(of: contents) else {
            throw CommandError.refused("\(path) is no PNG, JPEG, GIF or WebP picture")
        }
        (self.mediaType, data) = (mediaType, contents.base64EncodedString())
    }

    /// The media type that the first bytes show. The name of the file does not count.
    static func mediaType(of contents: Data) -> String? {
        let head = [UInt8](contents.prefix(12))
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) { return "image/gif" }
        let isWebP = head.starts(with: Array("RIFF".utf8)) && head.dropFirst(8).elementsEqual(Array("WEBP".utf8))
        return isWebP ? "image/webp" : nil
    }
}
