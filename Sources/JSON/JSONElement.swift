/// One value of a parsed document: a cursor into simdjson's tape that copies nothing.
///
/// Valid only inside the `JSONParser.withDocument` call that created it. Never store one.
///
/// The tape (simdjson doc/tape.md) is an array of words. The top byte of a word is the type, and the other bytes are
/// a payload. For `{` and `[` the low 32 bits hold the index after the closing bracket. For `"` the payload is the
/// position of the string (32-bit length, then the bytes). `l`, `u` and `d` are followed by a word with the number.
///
/// Safe because every read stays inside the tape that the parser wrote, and happens while the document exists.
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

    /// `nil` if the value is not a string.
    public var string: String? {
        guard isString else { return nil }
        return unsafe String(decoding: text, as: UTF8.self)
    }

    /// The length of the string in bytes of UTF-8, or `nil` if the value is not a string.
    public var utf8Count: Int? { unsafe isString ? text.count : nil }

    /// Calls `body` with valid UTF-8 without NUL. Returns `nil` if the value is not a string.
    @discardableResult
    public func withUTF8<Output>(_ body: (Span<UInt8>) -> Output) -> Output? {
        guard isString else { return nil }
        return unsafe body(text.span)
    }

    /// Whether this is the string `text`.
    public func equals(_ text: StaticString) -> Bool {
        unsafe isString && JSONElement.equal(self.text, text)
    }

    /// The value as an integer, if it is an integer or a double without a fraction and fits.
    public var integer: Int64? {
        switch kind {
        case .integer: Int64(bitPattern: number)
        case .double: Int64(exactly: Double(bitPattern: number))
        default: nil
        }
    }

    /// Any number, rounded if necessary.
    public var double: Double? {
        switch kind {
        case .integer: Double(Int64(bitPattern: number))
        case .unsigned: Double(number)
        case .double: Double(bitPattern: number)
        default: nil
        }
    }

    /// The 64 bits of a number of any kind, or 0 if the value is not a number.
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

    /// The last member with this name, or `nil` if there is none or the value is not an object. Takes time linear in
    /// the number of members.
    public subscript(name: StaticString) -> JSONElement? {
        guard isObject else { return nil }
        let end = closingIndex
        var key = index + 1
        var found: JSONElement?
        while key < end {
            let value = at(key + 1)
            if unsafe JSONElement.equal(at(key).text, name) { found = value }
            key = value.nextIndex
        }
        return found
    }

    var word: UInt64 { unsafe tape[index] }
    private var tag: UInt8 { UInt8(truncatingIfNeeded: word >> 56) }
    var number: UInt64 { unsafe tape[index + 1] }
    /// The index of the closing bracket of an array or object.
    var closingIndex: Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) - 1 }

    /// The index at which the next value starts.
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
