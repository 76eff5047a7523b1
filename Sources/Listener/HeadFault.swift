internal import HTTPModel

/// Why bytes are not a request. The connection ends after the answer, because the start of the next request is unknown.
enum HeadFault: Error, Equatable {
    case badRequestLine
    case badLineEnd
    case badTarget
    case badVersion
    case unknownMethod
    case badField
    case foldedField
    case repeatedField(String)
    case tooLarge
    case tooManyFields

    var error: APIError {
        switch self {
        case .badRequestLine:
            .invalid("bad_request_line", "A request begins with METHOD, one space, the target, one space, HTTP/1.1.")
        case .badLineEnd: .invalid("bad_line_end", "Each line of a request's head ends with CR and LF.")
        case .badTarget:
            .invalid(
                "bad_target",
                "The target must be a path of visible ASCII characters, its escapes whole, without %00, %0A and %0D."
            )
        case .badVersion: HeadFault.error(505, "version_not_supported", "Speak HTTP/1.1.")
        case .unknownMethod:
            HeadFault.error(501, "method_not_implemented", "This server does not know that method.")
        case .badField:
            .invalid("bad_header", "A header is NAME, a colon without a space before it, and a value of one line.")
        case .foldedField: .invalid("bad_header", "A header's value may not go on in a second line.")
        case .repeatedField(let name): .invalid("repeated_header", "This header may come once.", param: name)
        case .tooLarge: HeadFault.error(431, "headers_too_large", "The headers are too large.")
        case .tooManyFields: HeadFault.error(431, "headers_too_large", "The request has too many headers.")
        }
    }

    private static func error(_ status: Int, _ code: String, _ message: String) -> APIError {
        APIError(.invalidRequest, status: status, code: code, message: message)
    }
}
