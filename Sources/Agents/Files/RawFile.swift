internal import HTTPModel

/// The bytes of a file as an answer. A browser never runs what it contains.
enum RawFile {
    /// - Parameter isWhole: whether the bytes are the file's first ones, by which its type is told.
    static func response(_ bytes: [UInt8], path: String, isWhole: Bool) -> HTTPResponse {
        var response = HTTPResponse(status: 200, body: bytes)
        response.headers.append(("content-security-policy", "default-src 'none'; sandbox"))
        response.headers.append(("cache-control", "no-store"))
        if isWhole, let type = pictureType(of: bytes) {
            response.headers.append(("content-type", type))
            return response
        }
        let name = path.split(separator: "/").last.map(String.init) ?? "file"
        response.headers.append(("content-type", "application/octet-stream"))
        response.headers.append(("content-disposition", "attachment; filename*=UTF-8''\(PercentEncoding.encode(name))"))
        return response
    }

    /// By the first bytes, whatever the file's name.
    static func pictureType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) { return "image/gif" }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return nil
    }
}
