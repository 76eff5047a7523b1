import EventModel
import JSON

/// Tells the client of a stream without replies that the requested position is gone. The client must reload its
/// state, and gets the events after `start`.
public struct StreamReset: Sendable {
    private let start: StreamStart

    public init(_ start: StreamStart) {
        self.start = start
    }

    /// A WebSocket text frame.
    public var frame: [UInt8] {
        WebSocketFrame.text(json { $0.field("event", "reset") })
    }

    /// The data of a server-sent event. The event's name is added elsewhere.
    var data: [UInt8] { json { _ in } }

    private func json(_ opening: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        opening(&writer)
        writer.field("epoch", start.position.epoch)
        writer.field("seq", start.position.seq)
        writer.field("recovered", false)
        writer.endObject()
        return writer.bytes
    }
}
