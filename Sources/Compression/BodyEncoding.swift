package import HTTPModel

/// `Content-Encoding` (RFC 9110 section 8.4).
enum BodyEncoding {
    case identity
    case gzip
    case deflate

    init(contentEncoding: String?) throws(APIError) {
        switch contentEncoding?.filter({ $0 != " " && $0 != "\t" }).lowercased() {
        case nil, "", "identity": self = .identity
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default:
            throw APIError(
                .invalidRequest,
                status: 415,
                code: "unsupported_encoding",
                message: "the content encoding has to be gzip, deflate or none"
            )
        }
    }
}

extension APIError {
    package static func bodyTooLarge(limit: Int) -> APIError {
        APIError(
            .invalidRequest,
            status: 413,
            code: "body_too_large",
            message: "the body is larger than \(limit) bytes"
        )
    }

    package static var invalidGzip: APIError { .invalid("invalid_gzip", "the body is not complete gzip data") }
    package static var invalidDeflate: APIError { .invalid("invalid_deflate", "the body is not complete zlib data") }
}
