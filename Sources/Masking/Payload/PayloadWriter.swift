package import JSON

/// Writes a hook's object in its stored form.
package struct PayloadWriter {
    /// Maximum bytes of one event's payload under `summary` and `none`.
    package static let maxPayloadBytes = 32 * 1024
    private static let stringLimits = [2000, 500, 100]
    private static let maxMemberBytes = 2048
    private static let omitted = [UInt8]("[omitted]".utf8)

    package var policy: ContentPolicy
    /// Tried in order, until the object is small enough.
    var stringLimits = PayloadWriter.stringLimits
    /// The maximum size under `summary` and `none`.
    var maxBytes = PayloadWriter.maxPayloadBytes

    package init(policy: ContentPolicy) { self.policy = policy }

    /// `object` is the hook's object. `extra` holds additional members, stored under their own name.
    package func payload(of object: JSONElement, extra: EnvelopeExtra) -> [UInt8] {
        guard policy != .full else { return fullPayload(of: object, extra: extra) }
        let dropsContent = policy == .none
        for limit in stringLimits {
            var rewriting = PayloadRewriting(
                maxStringLength: dropsContent ? min(limit, 200) : limit,
                dropsContent: dropsContent
            )
            var writer = JSONWriter(reserving: 1024)
            writer.beginObject()
            let isComplete =
                object.writeMembers(to: &writer, rewriting: &rewriting, limit: maxBytes)
                && extra.write(to: &writer, rewriting: &rewriting, limit: maxBytes)
            writer.endObject()
            if isComplete, writer.bytes.count <= maxBytes { return writer.bytes }
        }
        return outline(of: object, dropsContent: dropsContent)
    }

    private func fullPayload(of object: JSONElement, extra: EnvelopeExtra) -> [UInt8] {
        var rewriting = PayloadRewriting(maxStringLength: nil, dropsContent: false)
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        _ = object.writeMembers(to: &writer, rewriting: &rewriting, limit: .max)
        _ = extra.write(to: &writer, rewriting: &rewriting, limit: .max)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the identifiers first, then the other members while they fit. Large members are written by name only.
    private func outline(of object: JSONElement, dropsContent: Bool) -> [UInt8] {
        var rewriting = PayloadRewriting(maxStringLength: 100, dropsContent: dropsContent)
        var writer = JSONWriter(reserving: 4096)
        var seen: Set<String> = []
        var omittedMembers: Int64 = 0
        writer.beginObject()
        for (name, value) in object.members where PayloadMember.isIdentifier(name) {
            guard !value.isObject, !value.isArray, let text = name.string, seen.insert(text).inserted else { continue }
            _ = rewriting.member(name, value: value, depth: 0)
            writer.key(named: text)
            _ = value.write(to: &writer, rewriting: &rewriting, limit: .max)
        }
        for (name, value) in object.members where !PayloadMember.isIdentifier(name) {
            let room = maxBytes - writer.bytes.count - 64
            guard let length = name.utf8Count, length <= PayloadRewriting.maxIdentifierLength,
                room > 6 * length + 2 * PayloadWriter.maxMemberBytes
            else {
                omittedMembers += 1
                continue
            }
            outline(name: name, value: value, to: &writer, rewriting: &rewriting)
        }
        if omittedMembers > 0 { writer.field("omitted_members", omittedMembers) }
        writer.endObject()
        return writer.bytes
    }

    private func outline(
        name: JSONElement,
        value: JSONElement,
        to writer: inout JSONWriter,
        rewriting: inout PayloadRewriting
    ) {
        switch rewriting.member(name, value: value, depth: 0) {
        case .drop: return
        case .replace(let text, let other):
            if let other { writer.key(utf8: other.span) } else { writer.key(named: name.string ?? "") }
            return writer.string(utf8: text.span)
        case .rename(let text): writer.key(utf8: text.span)
        case .keep: writer.key(named: name.string ?? "")
        }
        var member = JSONWriter()
        if value.write(to: &member, rewriting: &rewriting, limit: PayloadWriter.maxMemberBytes) {
            writer.raw(member.bytes)
        } else {
            writer.string(utf8: PayloadWriter.omitted.span)
        }
    }
}
