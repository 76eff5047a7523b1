internal import JSON
internal import MachinePolicy
internal import RPC

/// A picture that a message names.
struct UploadReference: Sendable, Equatable {
    var id: String
    var mediaType: String

    init(id: String, mediaType: String) { (self.id, self.mediaType) = (id, mediaType) }

    init(_ json: JSONValue) throws(RPCError) {
        let params = try RPCParams(json)
        id = try params.required("upload", limit: 64)
        mediaType = try params.required("media_type", limit: 32)
        guard Uploads.mediaTypes.contains(mediaType) else {
            throw .invalidParameter("media_type", "is not the type of a picture that Claude Code takes")
        }
    }
}

/// Pictures that the server sends in parts, before the message that contains them. Bounded: a new picture pushes out
/// the oldest. Pure.
struct Uploads: Sendable {
    static let method = "upload/part"
    static let mediaTypes: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]
    /// Bytes of one picture in Base64, and of all.
    private static let mostOfOne = 8 << 20
    private static let mostOfAll = 40 << 20

    private struct Upload {
        var id: String
        /// Base64.
        var data: [UInt8] = []
        var size: Int
    }

    /// In order of their beginnings.
    private var uploads: [Upload] = []

    /// Adds a part, of which the first begins the picture anew.
    ///
    /// - Returns: the bytes that have come.
    mutating func add(_ params: RPCParams) throws -> Int {
        let id = try params.required("upload", limit: 64)
        let size = Int(try params.integer("size", in: 1...Int64(Uploads.mostOfOne)) ?? 0)
        let offset = Int(try params.integer("offset", in: 0...Int64(Uploads.mostOfOne)) ?? 0)
        let data = Array(try params.required("data", limit: 1 << 20).utf8)
        if offset == 0 { begin(id, size) }
        guard let index = uploads.firstIndex(where: { $0.id == id }), uploads[index].data.count == offset else {
            throw CommandRefusal(.uploadLost, "The parts of the picture before this one are lost.")
        }
        guard offset + data.count <= uploads[index].size else { throw RPCError.invalidParameter("data", "is too long") }
        uploads[index].data += data
        return offset + data.count
    }

    private mutating func begin(_ id: String, _ size: Int) {
        uploads.removeAll { $0.id == id }
        while uploads.reduce(size, { $0 + $1.size }) > Uploads.mostOfAll { uploads.removeFirst() }
        uploads.append(Upload(id: id, size: size))
    }

    /// The content of a message with its pictures.
    func content(_ content: JSONValue, _ images: [UploadReference]) throws(CommandRefusal) -> JSONValue {
        guard !images.isEmpty else { return content }
        var blocks: [JSONValue] = []
        for image in images {
            guard let upload = uploads.first(where: { $0.id == image.id }), upload.data.count == upload.size else {
                throw CommandRefusal(.uploadLost, "A picture of the message is lost.")
            }
            blocks.append(.image(image.mediaType, String(decoding: upload.data, as: UTF8.self)))
        }
        return .array(blocks + (content.array ?? [.object([("type", .string("text")), ("text", content)])]))
    }

    /// The message is with Claude Code.
    mutating func remove(_ images: [UploadReference]) {
        uploads.removeAll { upload in images.contains { $0.id == upload.id } }
    }
}

extension JSONValue {
    /// A block as Claude Code takes it.
    fileprivate static func image(_ mediaType: String, _ data: String) -> JSONValue {
        .object([
            ("type", .string("image")),
            (
                "source",
                .object([
                    ("type", .string("base64")), ("media_type", .string(mediaType)), ("data", .string(data)),
                ])
            ),
        ])
    }
}

extension Agent {
    func take(_ params: JSONValue?) -> Result<RPCResult, RPCError> {
        do {
            try files.agent().requireUsable()
            let received = try uploads.add(try RPCParams(params))
            return .success(RPCResult { $0.field("received", Int64(received)) })
        } catch let refusal as CommandRefusal {
            return .failure(refusal.error)
        } catch {
            return .failure(error as? RPCError ?? .internalError("the part cannot be kept"))
        }
    }
}
