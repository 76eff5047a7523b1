/// One value of a parsed document: a cursor into simdjson's tape that copies nothing.
///
/// Valid only inside the `JSONParser.withDocument` call that gave it; never store one.
///
/// The tape (simdjson doc/tape.md) is an array of words whose top byte says the type and whose other bytes are a
/// payload: for `{` and `[` the low 32 bits hold the place after the closing bracket, for `"` the place of the string
/// (32-bit length, then the bytes), and `l`, `u`, `d` are followed by a word with the number itself.
///
/// Safe because each read stays inside the tape that the parser wrote, for as long as the document lives.
@safe public struct JSONElement {
    let tape: UnsafePointer<UInt64>
    let strings: UnsafePointer<UInt8>
    let index: Int

    @unsafe init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
        unsafe self.tape = unsafe tape
        unsafe self.strings = unsafe strings
        self.index = index
    }

    public enum Kind: UInt8, Sendable {
        case object = 0x7B
        case array = 0x5B
        case string = 0x22
        case integer = 0x6C
        /// An integer above `Int64.max`.
        case unsigned = 0x75
        case double = 0x64
        case `true` = 0x74
        case `false` = 0x66
        case null = 0x6E
    }

    public var kind: Kind { Kind(rawValue: tag) ?? .null }
    public var isObject: Bool { tag == Kind.object.rawValue }
    public var isArray: Bool { tag == Kind.array.rawValue }
    public var isString: Bool { tag == Kind.string.rawValue }

    /// `nil` for what is not a string.
    public var string: String? {
        guard isString else { return nil }
        return unsafe String(decoding: text, as: UTF8.self)
    }

    /// Bytes of the string in UTF-8; `nil` for what is not a string.
    public var utf8Count: Int? { unsafe isString ? text.count : nil }

    /// Valid UTF-8 without NUL; `nil` for what is not a string.
    @discardableResult
    public func withUTF8<Output>(_ body: (Span<UInt8>) -> Output) -> Output? {
        guard isString else { return nil }
        return unsafe body(text.span)
    }

    /// Whether this is the string `text`.
    public func equals(_ text: StaticString) -> Bool {
        unsafe isString && JSONElement.equal(self.text, text)
    }

    /// An integer, or a double without a fraction, that fits.
    public var integer: Int64? {
        switch kind {
        case .integer: Int64(bitPattern: number)
        case .double: Int64(exactly: Double(bitPattern: number))
        default: nil
        }
    }

    /// Any number, rounded where it has to be.
    public var double: Double? {
        switch kind {
        case .integer: Double(Int64(bitPattern: number))
        case .unsigned: Double(number)
        case .double: Double(bitPattern: number)
        default: nil
        }
    }

    /// The 64 bits of a number of whichever kind; 0 for what is not a number.
    public var numberBits: UInt64 {
        switch kind {
        case .integer, .unsigned, .double: number
        default: 0
        }
    }

    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The first member of that name; `nil` also for what is not an object. Linear in the number of members.
    public subscript(name: StaticString) -> JSONElement? {
        guard isObject else { return nil }
        let end = closingIndex
        var key = index + 1
        while key < end {
            let value = at(key + 1)
            if unsafe JSONElement.equal(at(key).text, name) { return value }
            key = value.nextIndex
        }
        return nil
    }

    var word: UInt64 { unsafe tape[index] }
    private var tag: UInt8 { UInt8(truncatingIfNeeded: word >> 56) }
    var number: UInt64 { unsafe tape[index + 1] }
    /// Where the closing bracket of an array or object stands.
    var closingIndex: Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) - 1 }

    /// Where the value after this one starts.
    var nextIndex: Int {
        switch tag {
        case Kind.object.rawValue, Kind.array.rawValue: closingIndex + 1
        case Kind.integer.rawValue, Kind.unsigned.rawValue, Kind.double.rawValue: index + 2
        default: index + 1
        }
    }

    func at(_ index: Int) -> JSONElement { unsafe JSONElement(tape: tape, strings: strings, index: index) }

    /// Only for strings.
    var text: UnsafeBufferPointer<UInt8> {
        let start = unsafe strings + Int(truncatingIfNeeded: word & 0x00FF_FFFF_FFFF_FFFF)
        let length = unsafe UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return unsafe UnsafeBufferPointer(start: start + 4, count: Int(length))
    }

    private static func equal(_ text: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
        guard text.count == other.utf8CodeUnitCount else { return false }
        for position in text.indices where unsafe text[position] != other.utf8Start[position] { return false }
        return true
    }
}
