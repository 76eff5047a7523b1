import EventModel

/// What subscribers get if the interface is as the documents of the first clients print it: times without fractions,
/// an event's members at the top level of its notification, in text frames as well, and the guide's payloads.
public enum SeedFrames {
    /// - Parameter bytes: whole text frames, or blocks of an event stream, as the hub makes them.
    public static func of(_ bytes: [UInt8], isBinary: Bool) -> [UInt8] {
        guard bytes.first == 0x81 else { return WholeSeconds.of(bytes) }
        var frames: [UInt8] = []
        frames.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let (payload, end) = WebSocketFrame.firstText(in: rest) {
            let text = WholeSeconds.of(BinaryFrames.withMembersOnTop(GuidePayloads.of(payload)))
            WebSocketFrame.appendHeader(isBinary ? 0x82 : 0x81, payloadLength: text.count, to: &frames)
            frames.append(contentsOf: text)
            rest = rest[end...]
        }
        frames.append(contentsOf: rest)
        return frames
    }
}
