package import HTTPModel
internal import JSON

/// The answers of OTLP/HTTP, in the format of the request.
package enum OTLPAnswer {
    /// - Parameters:
    ///   - rejected: number of records that are refused permanently. 0 means full success.
    ///   - reason: the reason for the refusal, for people.
    package static func success(
        _ signal: OTLPSignal,
        _ format: OTLPFormat,
        rejected: Int = 0,
        reason: String = ""
    ) -> HTTPResponse {
        let body: [UInt8]
        switch format {
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            if rejected > 0 {
                writer.beginObject("partialSuccess")
                // The JSON mapping of protobuf writes 64-bit integers as strings.
                writer.field(signal.rejectedMember, String(rejected))
                writer.field("errorMessage", reason)
                writer.endObject()
            }
            writer.endObject()
            body = writer.bytes
        case .protobuf:
            var message = ProtobufWriter()
            if rejected > 0 {
                var partial = ProtobufWriter()
                partial.varint(UInt64(rejected), field: 1)
                partial.bytes(Array(reason.utf8), field: 2)
                message.bytes(partial.bytes, field: 1)
            }
            body = message.bytes
        }
        return HTTPResponse(status: 200, headers: [("content-type", format.contentType)], body: body)
    }

    /// The error as a `google.rpc.Status`, with the same headers as the server's usual error response.
    package static func failure(_ error: APIError, _ format: OTLPFormat, requestID: String) -> HTTPResponse {
        var response = error.response(requestID: requestID)
        response.headers.removeAll { $0.name == "content-type" }
        response.headers.append(("content-type", format.contentType))
        let text = "\(error.code): \(error.message)"
        switch format {
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("code", error.statusCode)
            writer.field("message", text)
            writer.endObject()
            response.body = writer.bytes
        case .protobuf:
            var message = ProtobufWriter()
            message.varint(UInt64(error.statusCode), field: 1)
            message.bytes(Array(text.utf8), field: 2)
            response.body = message.bytes
        }
        return response
    }
}

extension APIError {
    /// The google.rpc.Code for an HTTP status.
    fileprivate var statusCode: Int64 {
        switch status {
        case 401: 16
        case 403: 7
        case 404: 5
        case 429: 8
        case 500...502: 13
        case 503...: 14
        default: 3
        }
    }
}
