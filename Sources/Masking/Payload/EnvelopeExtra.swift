package import JSON

/// The envelope members that this version does not know. They are stored with the hook's object, as the object
/// `_envelope`, so that no data is lost.
package struct EnvelopeExtra {
    package static let ownMembers: [StaticString] = [
        "event_id", "event_type", "machine_id", "timestamp", "project_dir", "approvals", "stream", "data",
    ]

    private let envelope: JSONElement?
    private let known: [StaticString]

    package init(envelope: JSONElement?, known: [StaticString] = EnvelopeExtra.ownMembers) {
        self.envelope = envelope
        self.known = known
    }

    /// Writes nothing if there are no unknown members. Returns `false` if the writer holds more than `limit` bytes.
    func write(to writer: inout JSONWriter, rewriting: inout some JSONRewriting, limit: Int) -> Bool {
        guard let envelope, envelope.members.contains(where: { !isKnown($0.name) }) else { return true }
        var unknownOnly = UnknownOnly(base: rewriting, known: known)
        writer.beginObject("_envelope")
        let isComplete = envelope.writeMembers(to: &writer, rewriting: &unknownOnly, limit: limit)
        writer.endObject()
        return isComplete
    }

    private func isKnown(_ name: JSONElement) -> Bool { known.contains { name.equals($0) } }

    private struct UnknownOnly<Base: JSONRewriting>: JSONRewriting {
        var base: Base
        let known: [StaticString]

        mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision {
            if depth == 0, known.contains(where: { name.equals($0) }) { return .drop }
            return base.member(name, value: value, depth: depth)
        }

        mutating func replacement(for string: JSONElement) -> [UInt8]? { base.replacement(for: string) }

        mutating func begin(_ container: JSONElement, depth: Int) { base.begin(container, depth: depth) }
    }
}
