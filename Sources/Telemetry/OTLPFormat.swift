package import HTTPModel

/// The kind of data that an OTLP/HTTP request exports (opentelemetry.io/docs/specs/otlp, section OTLP/HTTP).
package enum OTLPSignal: Sendable {
    case logs
    case metrics
    case traces

    /// The member of the partial success that counts the refused records.
    var rejectedMember: String {
        switch self {
        case .logs: "rejectedLogRecords"
        case .metrics: "rejectedDataPoints"
        case .traces: "rejectedSpans"
        }
    }
}

/// The encoding of an OTLP/HTTP message. The answer has the format of the request.
package enum OTLPFormat: Sendable {
    case json
    case protobuf

    package init(contentType: String?) throws(APIError) {
        let type = (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch type {
        case "application/json": self = .json
        case "application/x-protobuf", "application/protobuf": self = .protobuf
        default:
            throw APIError(
                .invalidRequest,
                status: 415,
                code: "unsupported_content_type",
                message: "the content type has to be application/x-protobuf or application/json"
            )
        }
    }

    var contentType: String { self == .json ? "application/json" : "application/x-protobuf" }
}
