internal import HTTPModel

/// Reads one chunked body (RFC 9112 section 7.1) in pieces of any size. Loop thread only.
///
/// Chunk extensions and trailers are read and dropped. Refuses forms that readers are known to understand differently:
/// a bare CR or LF, a space beside a size, a size with leading zeros or with more than eight digits, and a trailer that
/// would say where a body ends.
struct ChunkReader: Equatable, Sendable {
    /// Maximum bytes of all extensions and trailers of a body.
    static let maximumExtras = 8 * 1024
    private static let maximumDigits = 8
    /// Fields that say where a body ends. They are forbidden in trailers (RFC 9110 section 6.5.1).
    private static let forbiddenTrailers = ["content-length", "transfer-encoding"].map { Array($0.utf8) }

    /// What a piece of input contains.
    struct Piece: Equatable {
        var data: [UInt8] = []
        /// How many bytes of the input belong to the body. All of them, unless the body is complete.
        var used = 0
        var isComplete = false
    }

    enum Fault: Error, Equatable {
        case malformed
        case tooManyExtras
        case forbiddenTrailer
        /// The body would have more than this many bytes.
        case tooLarge(limit: Int)
    }

    private enum State {
        case size, sizeLineFeed, chunkExtension
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case complete
    }

    /// Maximum bytes of the body.
    private let limit: Int
    private var state = State.size
    /// What is left of the current chunk.
    private var size = 0
    private var digits = 0
    private var length = 0
    private var extras = 0
    /// The name of the current trailer in lower case, as far as it decides whether the trailer is forbidden.
    private var trailerName: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    /// Reads up to the end of the body, or of the input. After a fault or the end of the body the reader is used up.
    mutating func read(_ input: ArraySlice<UInt8>) throws(Fault) -> Piece {
        var piece = Piece()
        var rest = input
        while state != .complete, let byte = rest.first {
            if state == .data {
                let data = rest.prefix(size)
                piece.data += data
                size -= data.count
                rest = rest.dropFirst(data.count)
                if size == 0 { state = .dataReturn }
            } else {
                try read(byte)
                rest = rest.dropFirst()
            }
        }
        piece.used = input.count - rest.count
        piece.isComplete = state == .complete
        return piece
    }

    /// Reads one byte that is not data.
    private mutating func read(_ byte: UInt8) throws(Fault) {
        switch state {
        case .size: try readSize(byte)
        case .chunkExtension where byte == .carriageReturn: try endSize()
        case .chunkExtension: try readExtra(byte, if: byte.isFieldValueByte)
        case .sizeLineFeed: try expect(.lineFeed, byte, then: size == 0 ? .trailerStart : .data)
        case .dataReturn: try expect(.carriageReturn, byte, then: .dataLineFeed)
        case .dataLineFeed: try expect(.lineFeed, byte, then: .size)
        case .trailerStart where byte == .carriageReturn: state = .lastLineFeed
        case .trailerStart:
            trailerName = []
            try readTrailerName(byte)
            state = .trailerName
        case .trailerName where byte == UInt8(ascii: ":"):
            try readExtra(byte, if: !Self.forbiddenTrailers.contains(trailerName), else: .forbiddenTrailer)
            state = .trailerValue
        case .trailerName: try readTrailerName(byte)
        case .trailerValue where byte == .carriageReturn: state = .trailerLineFeed
        case .trailerValue: try readExtra(byte, if: byte.isFieldValueByte)
        case .trailerLineFeed: try expect(.lineFeed, byte, then: .trailerStart)
        case .lastLineFeed: try expect(.lineFeed, byte, then: .complete)
        case .data, .complete: break
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(Fault) {
        if let digit = byte.hexDigitValue {
            guard digits == 0 || size > 0, digits < Self.maximumDigits else { throw .malformed }
            size = size << 4 | digit
            digits += 1
        } else if digits > 0, byte == UInt8(ascii: ";") {
            try readExtra(byte, if: true)
            state = .chunkExtension
        } else if digits > 0, byte == .carriageReturn {
            try endSize()
        } else {
            throw .malformed
        }
    }

    private mutating func endSize() throws(Fault) {
        length += size
        guard length <= limit else { throw .tooLarge(limit: limit) }
        digits = 0
        state = .sizeLineFeed
    }

    private mutating func readTrailerName(_ byte: UInt8) throws(Fault) {
        try readExtra(byte, if: byte.isTokenByte)
        // One byte more than the longest forbidden name tells it from a longer one.
        if trailerName.count <= "transfer-encoding".utf8.count { trailerName.append(byte.lowercased) }
    }

    private mutating func readExtra(
        _ byte: UInt8,
        if isAllowed: Bool,
        else fault: Fault = .malformed
    ) throws(Fault) {
        guard isAllowed else { throw fault }
        extras += 1
        guard extras <= Self.maximumExtras else { throw .tooManyExtras }
    }

    private mutating func expect(_ expected: UInt8, _ byte: UInt8, then next: State) throws(Fault) {
        guard byte == expected else { throw .malformed }
        state = next
    }
}

extension ChunkReader.Fault {
    var error: APIError {
        switch self {
        case .malformed:
            .invalid(
                "bad_chunk",
                "A chunk is its size in hexadecimal without leading zeros, CR LF, so many bytes, and CR LF. "
                    + "The last chunk has the size 0, and an empty line ends the body."
            )
        case .tooManyExtras:
            .invalid(
                "bad_chunk",
                "The chunk extensions and trailers of a body have at most \(ChunkReader.maximumExtras) bytes."
            )
        case .forbiddenTrailer:
            .invalid("bad_chunk", "Content-Length and Transfer-Encoding are not allowed in the trailers of a body.")
        case .tooLarge(let limit): .bodyTooLarge(limit)
        }
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    fileprivate var hexDigitValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self) - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self) - 55
        default: nil
        }
    }
}
