import EventModel

/// Frames for clients that write binary messages. They read binary messages only, and expect an event's members at
/// the top level of a notification, where other clients expect them in `params`. So the frame has both:
///
///     {"jsonrpc":"2.0","method":"event/x","event":"x","payload":{},"params":{"event":"x","payload":{}}}
///
/// No member of an event is named `jsonrpc`, `method`, `params` or `id`.
public enum BinaryFrames {
    /// - Parameter text: whole text frames, concatenated, as the hub makes them. An incomplete frame stays unchanged.
    public static func of(_ text: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(text.count)
        var rest = text[...]
        while let (payload, end) = WebSocketFrame.firstText(in: rest) {
            append(payload, to: &frames)
            rest = rest[end...]
        }
        frames.append(contentsOf: rest)
        return frames
    }

    private static let opening = [UInt8](#"{"jsonrpc":"2.0","method":"event/"#.utf8)
    /// Cannot occur inside a JSON string, where its quotes would be escaped.
    private static let parameters = [UInt8](#","params":{"#.utf8)
    private static let payloadName = [UInt8](#","payload":"#.utf8)

    private static func append(_ payload: ArraySlice<UInt8>, to frames: inout [UInt8]) {
        let whole = withMembersOnTop(payload)
        WebSocketFrame.appendHeader(0x82, payloadLength: whole.count, to: &frames)
        frames.append(contentsOf: whole)
    }

    /// A notification of an event with the event's members at its top level, too. Other payloads stay as they are.
    static func withMembersOnTop(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        guard let members = members(of: payload), !members.isEmpty else { return Array(payload) }
        let repeated = payload.count + 1 + members.count <= MessageLimit.message ? Array(members) : cut(members)
        let end = members.startIndex - parameters.count
        var whole: [UInt8] = []
        whole.reserveCapacity(payload.count + 1 + repeated.count)
        whole.append(contentsOf: payload[..<end])
        whole.append(UInt8(ascii: ","))
        whole.append(contentsOf: repeated)
        whole.append(contentsOf: payload[end...])
        return whole
    }

    /// An event's members without its payload, which is the last of them.
    private static func cut(_ members: ArraySlice<UInt8>) -> [UInt8] {
        guard let payload = members.firstRange(of: payloadName) else { return Array(members) }
        return members[..<payload.lowerBound] + Array(#","\#(MessageLimit.mark)":true"#.utf8) + payloadName
            + MessageLimit.emptyPayload
    }

    /// The content of `params`, the last member of an event's notification, without its braces. Returns `nil` for
    /// other payloads.
    private static func members(of payload: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard payload.starts(with: opening), payload.suffix(2).elementsEqual("}}".utf8) else { return nil }
        var start = payload.startIndex + opening.count
        while start + parameters.count <= payload.endIndex {
            if payload[start...].starts(with: parameters) {
                return payload[(start + parameters.count)..<(payload.endIndex - 2)]
            }
            start += 1
        }
        return nil
    }
}

extension WebSocketFrame {
    /// The payload of the first text frame and the end of that frame, or `nil` if the first frame is incomplete.
    static func firstText(in frames: ArraySlice<UInt8>) -> (payload: ArraySlice<UInt8>, end: Int)? {
        guard frames.count >= 2, frames[frames.startIndex] == 0x81 else { return nil }
        let start = frames.startIndex + 2
        let short = Int(frames[start - 1])
        let width = short < 126 ? 0 : short == 126 ? 2 : 8
        guard start + width <= frames.endIndex else { return nil }
        let length = width == 0 ? short : frames[start..<(start + width)].reduce(0) { $0 << 8 | Int($1) }
        guard (0...(frames.endIndex - start - width)).contains(length) else { return nil }
        let end = start + width + length
        return (frames[(start + width)..<end], end)
    }
}
