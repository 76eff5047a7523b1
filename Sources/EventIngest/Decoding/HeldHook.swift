package import EventModel
internal import HTTPModel
internal import JSON
internal import Masking

/// A hook that waits for an answer, and the event that is stored for it.
package struct HeldHook: Sendable {
    package var event: MonitorEvent
    /// The members of the hook's object that an answer needs, as sent. They may hold secrets.
    package var sent: [UInt8]
    /// The same members with secrets masked, but not cut, and with everything that could be code. `nil` if the content
    /// policy hides them.
    package var shown: [UInt8]?
}

/// Writes the members of a hook's object that an answer needs.
enum HeldMembers {
    private static let names: [StaticString] = [
        "hook_event_name", "tool_name", "tool_input", "permission_suggestions", "mcp_server_name", "message", "mode",
        "requested_schema", "url",
    ]

    static func sent(of hook: JSONElement) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        for name in names {
            guard let value = hook[name] else { continue }
            writer.key("\(name)")
            value.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    static func shown(of hook: JSONElement) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        for name in names {
            guard let value = hook[name] else { continue }
            // Each member gets its own rewriter, so that names in a tool's input are not mistaken for those of a hook's
            // object.
            var rewriting = NestedMasking()
            writer.key("\(name)")
            _ = value.write(to: &writer, rewriting: &rewriting, limit: .max)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Masks a value as if it stood inside the hook's object.
    private struct NestedMasking: JSONRewriting {
        private var base: PayloadRewriting

        init() {
            base = PayloadRewriting(maxStringLength: nil, dropsContent: false)
            base.keepsCode = true
        }

        mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision {
            base.member(name, value: value, depth: depth + 1)
        }

        mutating func replacement(for string: JSONElement) -> [UInt8]? { base.replacement(for: string) }

        mutating func begin(_ container: JSONElement, depth: Int) { base.begin(container, depth: depth + 1) }
    }
}
