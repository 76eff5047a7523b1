/// Appends JSON text (RFC 8259) to a byte buffer, without an intermediate tree and without formatting.
///
/// The writer places the commas. The caller must balance `begin` and `end`. Fields with a `nil` value are omitted.
/// Control characters and the line separators U+0085, U+2028 and U+2029 are escaped, so the output contains no raw
/// line breaks except those between the tokens of JSON that was passed in.
public struct JSONWriter {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init(reserving capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    public mutating func beginObject(_ name: String) {
        key(name)
        beginObject()
    }

    public mutating func beginArray(_ name: String) {
        key(name)
        beginArray()
    }

    public mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    public mutating func field(_ name: String, _ value: Int64?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    public mutating func field(_ name: String, _ value: Int) { field(name, Int64(value)) }

    public mutating func field(_ name: String, _ value: Double?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    public mutating func field(_ name: String, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bool(value)
    }

    public mutating func null(_ name: String) {
        key(name)
        raw("null")
    }

    public mutating func textOrNull(_ name: String, _ text: String?) {
        if let text { field(name, text) } else { null(name) }
    }

    /// `json` must be one complete JSON value. It is copied, with line separators escaped.
    public mutating func field(_ name: String, json: [UInt8]) {
        key(name)
        raw(json)
    }

    /// The same for JSON text in a string.
    public mutating func field(_ name: String, json: String) {
        key(name)
        raw(json)
    }

    public mutating func field(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    /// `name` is a literal that needs no escaping.
    public mutating func key(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a name that is known only at run time. Escapes it.
    public mutating func key(named name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ value: String) {
        separate()
        JSONEscaping.appendQuoted(value.utf8.span, to: &bytes)
        needsComma = true
    }

    /// `text` must be UTF-8.
    public mutating func string(utf8 text: Span<UInt8>) {
        separate()
        JSONEscaping.appendQuoted(text, to: &bytes)
        needsComma = true
    }

    /// Writes a name in UTF-8. Escapes it.
    public mutating func key(utf8 name: Span<UInt8>) {
        string(utf8: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func integer(_ value: Int64) { raw(String(value)) }
    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// Writes NaN and infinity as `null`, because JSON cannot represent them.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return raw("null") }
        raw(value.description)
    }

    /// `json` must be one complete JSON value. It is copied, with line separators escaped.
    public mutating func raw(_ json: [UInt8]) {
        separate()
        LineSeparators.append(escaping: json.span, to: &bytes)
        needsComma = true
    }

    /// The same for JSON text in a string.
    public mutating func raw(_ json: String) {
        separate()
        LineSeparators.append(escaping: json.utf8.span, to: &bytes)
        needsComma = true
    }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let values):
            beginArray()
            for element in values { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, member) in members {
                key(named: name)
                self.value(member)
            }
            endObject()
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}
