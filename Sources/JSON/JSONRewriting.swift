/// Decides how each part of a value is changed while the value is rewritten.
public protocol JSONRewriting {
    /// Called for each member before its value is read. `depth` is 0 for members of the outermost object.
    mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision
    /// Called for each string value that is kept. Return `nil` to leave it unchanged, or a replacement in UTF-8.
    mutating func replacement(for string: JSONElement) -> [UInt8]?
    /// Called before the calls for the members of an object or the items of an array. `depth` is that of its members.
    mutating func begin(_ container: JSONElement, depth: Int)
}

extension JSONRewriting {
    public mutating func begin(_ container: JSONElement, depth: Int) {}
}

public enum JSONMemberDecision: Sendable {
    case keep
    case drop
    /// Replaces the value by this string (UTF-8), and the name by `name`, if given.
    case replace([UInt8], name: [UInt8]? = nil)
    /// Replaces the name by this string (UTF-8) and keeps the value.
    case rename([UInt8])
}

extension JSONElement {
    /// Writes the value without insignificant white space.
    public func write(to writer: inout JSONWriter) {
        var keepAll = KeepAll()
        _ = write(to: &writer, rewriting: &keepAll, limit: .max)
    }

    /// Returns `false` if the writer holds more than `limit` bytes. The value is then incomplete.
    public func write(to writer: inout JSONWriter, rewriting: inout some JSONRewriting, limit: Int) -> Bool {
        write(to: &writer, rewriting: &rewriting, limit: limit, depth: 0)
    }

    /// Writes the members of an object without its brackets.
    public func writeMembers(to writer: inout JSONWriter, rewriting: inout some JSONRewriting, limit: Int) -> Bool {
        writeMembers(to: &writer, rewriting: &rewriting, limit: limit, depth: 0)
    }

    /// Recursion is bounded by the depth that the parser accepts.
    private func write(
        to writer: inout JSONWriter,
        rewriting: inout some JSONRewriting,
        limit: Int,
        depth: Int
    ) -> Bool {
        switch kind {
        case .object:
            rewriting.begin(self, depth: depth)
            writer.beginObject()
            guard writeMembers(to: &writer, rewriting: &rewriting, limit: limit, depth: depth) else { return false }
            writer.endObject()
        case .array:
            rewriting.begin(self, depth: depth)
            writer.beginArray()
            for element in elements {
                guard element.write(to: &writer, rewriting: &rewriting, limit: limit, depth: depth + 1) else {
                    return false
                }
            }
            writer.endArray()
        case .string:
            if let replacement = rewriting.replacement(for: self) {
                writer.string(utf8: replacement.span)
            } else {
                withUTF8 { writer.string(utf8: $0) }
            }
        default: writeScalar(to: &writer)
        }
        return writer.bytes.count <= limit
    }

    private func writeMembers(
        to writer: inout JSONWriter,
        rewriting: inout some JSONRewriting,
        limit: Int,
        depth: Int
    ) -> Bool {
        for (name, value) in members {
            switch rewriting.member(name, value: value, depth: depth) {
            case .drop: continue
            case .replace(let text, let other):
                if let other { writer.key(utf8: other.span) } else { name.withUTF8 { writer.key(utf8: $0) } }
                writer.string(utf8: text.span)
                continue
            case .rename(let text): writer.key(utf8: text.span)
            case .keep: name.withUTF8 { writer.key(utf8: $0) }
            }
            guard value.write(to: &writer, rewriting: &rewriting, limit: limit, depth: depth + 1) else { return false }
        }
        return writer.bytes.count <= limit
    }

    private func writeScalar(to writer: inout JSONWriter) {
        switch kind {
        case .integer: writer.integer(Int64(bitPattern: number))
        case .unsigned: writer.raw(String(number))
        case .double: writer.number(Double(bitPattern: number))
        case .true: writer.bool(true)
        case .false: writer.bool(false)
        default: writer.raw("null")
        }
    }
}

private struct KeepAll: JSONRewriting {
    mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision { .keep }
    mutating func replacement(for string: JSONElement) -> [UInt8]? { nil }
}
