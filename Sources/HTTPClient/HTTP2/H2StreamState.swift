/// A header field of an answer that is kept.
struct H2AnswerField {
    /// In lower case.
    let name: [UInt8]
    /// The name as a string; `nil` for `:status`, the only pseudo-header field of answers.
    let text: String?

    static let status = H2AnswerField(name: Array(":status".utf8), text: nil)

    static func kept(_ text: String) -> H2AnswerField { H2AnswerField(name: Array(text.utf8), text: text) }
}

/// One open stream: the progress of its request and the response received so far.
struct H2StreamState {
    /// 0 until nghttp2 has assigned it.
    var id: Int32 = 0
    private let body: [UInt8]
    private var bodyOffset = 0
    /// The request's headers were passed to the connection, so the peer may have seen them.
    var wasSent = false
    private(set) var response = H2Response()
    /// The fields of an interim response (1xx) are dropped when the next response begins.
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

    mutating func received(_ field: H2AnswerField, value: UnsafeBufferPointer<UInt8>) {
        if let name = field.text {
            guard isFinal, response.fields.count < H2Response.fieldLimit else { return }
            response.fields.append((name, unsafe String(decoding: value, as: UTF8.self)))
        } else {
            // nghttp2 guarantees three digits.
            let status = unsafe value.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
            isFinal = status >= 200
            response = H2Response(status: isFinal ? status : 0)
        }
    }

    mutating func received(body bytes: UnsafeBufferPointer<UInt8>) {
        let room = H2Response.bodyLimit - response.body.count
        unsafe response.body.append(contentsOf: bytes.prefix(room))
    }
}
