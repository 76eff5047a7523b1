/// The name of a header field, in lower case.
struct H2FieldName {
    let text: String
    let bytes: [UInt8]
}

/// One open stream: how far its request has gone and what has come back.
struct H2StreamState {
    /// 0 until nghttp2 has named it.
    var id: Int32 = 0
    private let body: [UInt8]
    private var bodyOffset = 0
    /// The request's headers were handed to the connection: from then on the peer may have seen them.
    var wasSent = false
    private(set) var response = H2Response()
    /// The fields of an interim answer (1xx) are dropped when the next ones begin.
    private var isFinal = false

    init(body: [UInt8]) { self.body = body }

    /// Copies the next bytes of the request's body.
    mutating func nextBody(into space: UnsafeMutableBufferPointer<UInt8>) -> (count: Int, isEnd: Bool) {
        let count = min(space.count, body.count - bodyOffset)
        unsafe body.withUnsafeBufferPointer { body in
            _ = unsafe space.update(fromContentsOf: body[bodyOffset..<bodyOffset + count])
        }
        bodyOffset += count
        return (count, bodyOffset == body.count)
    }

    /// A header field of the answer; of the pseudo-header fields an answer has `:status` alone.
    mutating func received(
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        keeping keptFields: [H2FieldName]
    ) {
        if unsafe name.first == UInt8(ascii: ":") {
            // nghttp2 lets three digits through.
            let status = unsafe value.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
            isFinal = status >= 200
            response = H2Response(status: isFinal ? status : 0)
        } else if isFinal, response.fields.count < H2Response.fieldLimit {
            for field in keptFields where unsafe field.bytes.count == name.count && name.elementsEqual(field.bytes) {
                response.fields.append((field.text, unsafe String(decoding: value, as: UTF8.self)))
            }
        }
    }

    mutating func received(body bytes: UnsafeBufferPointer<UInt8>) {
        let room = H2Response.bodyLimit - response.body.count
        unsafe response.body.append(contentsOf: bytes.prefix(room))
    }
}
