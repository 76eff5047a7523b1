package import HTTPModel
package import JSON
internal import Signing

/// A picture in a message.
package struct MessageImage: Sendable, Equatable {
    package let mediaType: String
    /// Base64 with padding, as Claude Code takes it.
    package let data: String

    /// The pictures of a message.
    static let most = 10
    private static let mostBytes = 5 << 20
    /// Bytes of all pictures of a message. In Base64 they fit into the longest line that Claude Code was seen to take,
    /// which is 20 MB.
    private static let mostTotal = 13 << 20
    /// Bytes of a request with pictures.
    package static let mostBody = 20 << 20

    /// A picture that was checked before.
    package init(mediaType: String, data: String) { (self.mediaType, self.data) = (mediaType, data) }

    private init(_ value: JSONValue, _ param: String) throws(APIError) {
        guard let type = value["media_type"]?.string, let text = value["data"]?.string else {
            throw .invalid("invalid_parameter", "A picture has 'media_type' and 'data'.", param: param)
        }
        guard let bytes = Base64.decode(text), !bytes.isEmpty else {
            throw .invalid("invalid_parameter", "'data' is not Base64.", param: param)
        }
        guard bytes.count <= MessageImage.mostBytes else {
            throw MessageImage.tooLarge("A picture has at most \(MessageImage.mostBytes >> 20) MiB.", param)
        }
        guard MessageImage.type(of: bytes) == type else {
            let types = "image/png, image/jpeg, image/gif and image/webp"
            throw .invalid(
                "invalid_parameter",
                "The picture is not of its 'media_type'; taken are \(types).",
                param: param
            )
        }
        (mediaType, data) = (type, Base64.encode(bytes))
    }

    /// The member `images` of a request's body.
    package static func list(of body: JSONValue) throws(APIError) -> [MessageImage] {
        guard let value = body["images"], value != .null else { return [] }
        guard let list = value.array, list.count <= most else {
            throw .invalid("invalid_parameter", "'images' is a list of at most \(most) pictures.", param: "images")
        }
        var images: [MessageImage] = []
        var total = 0
        for (number, item) in list.enumerated() {
            let image = try MessageImage(item, "images[\(number)]")
            total += image.data.utf8.count / 4 * 3
            images.append(image)
        }
        guard total <= mostTotal else {
            throw tooLarge("The pictures of a message have at most \(mostTotal >> 20) MiB together.", "images")
        }
        return images
    }

    /// The media type of a picture by its first bytes; `nil` for everything else.
    package static func type(of bytes: [UInt8]) -> String? {
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(with: "\(text)".utf8)
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has("GIF87a") || has("GIF89a") { return "image/gif" }
        if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
        return nil
    }

    private static func tooLarge(_ message: String, _ param: String) -> APIError {
        APIError(.invalidRequest, status: 413, code: "image_too_large", message: message, param: param)
    }

    /// For the schemas of requests.
    package static let schema = JSONSchema.array(
        JSONSchema.object([
            "media_type": JSONSchema.words("image/png", "image/jpeg", "image/gif", "image/webp"),
            "data": JSONSchema.text,
        ])
    )
}
