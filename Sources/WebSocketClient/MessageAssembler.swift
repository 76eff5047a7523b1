/// Puts the pieces of a message together. Refuses binary messages and those beyond the limit.
struct MessageAssembler {
    private var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int = WebSocketLimits.message) { self.limit = limit }

    enum Outcome: Equatable {
        case incomplete
        case message([UInt8])
        case refused(code: Int, reason: String)
    }

    mutating func take(_ piece: some Collection<UInt8>, isFirst: Bool, isLast: Bool, isBinary: Bool) -> Outcome {
        guard !isBinary else { return .refused(code: 1003, reason: "a binary message") }
        if isFirst { bytes = [] }
        guard bytes.count + piece.count <= limit else {
            bytes = []
            return .refused(code: 1009, reason: "a message of more than \(limit) bytes")
        }
        bytes.append(contentsOf: piece)
        guard isLast else { return .incomplete }
        defer { bytes = [] }
        return .message(bytes)
    }
}
