internal import API
internal import HTTPModel

/// The bytes of a file as an answer. A browser never runs what it contains.
enum RawFile {
    /// - Parameter isWhole: whether the bytes are the file's first ones, by which its type is told.
    static func response(_ bytes: [UInt8], path: String, isWhole: Bool) -> HTTPResponse {
        var response = HTTPResponse(status: 200, body: bytes)
        response.headers.append(("content-security-policy", "default-src 'none'; sandbox"))
        response.headers.append(("cache-control", "no-store"))
        if isWhole, let type = MessageImage.type(of: bytes) {
            response.headers.append(("content-type", type))
            return response
        }
        let name = path.split(separator: "/").last.map(String.init) ?? "file"
        response.headers.append(("content-type", "application/octet-stream"))
        response.headers.append(("content-disposition", "attachment; filename*=UTF-8''\(PercentEncoding.encode(name))"))
        return response
    }
}
