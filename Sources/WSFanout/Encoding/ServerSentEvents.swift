import EventModel

/// The text of `text/event-stream` (HTML standard section 9.2). The id of every block is the cursor to resume from.
public enum ServerSentEvents {
    /// Keeps the connection open through proxies. Clients ignore it.
    public static let heartbeat = [UInt8](": heartbeat\n\n".utf8)

    /// Opens a stream: the pause before a reconnect and the cursor. If the requested position is gone, an event
    /// `reset` tells the client to reload its state.
    public static func opening(_ start: StreamStart) -> [UInt8] {
        var bytes = [UInt8]("retry: 2000\n".utf8)
        if start.recovered {
            // An id without data moves the client's cursor without dispatching an event.
            bytes.append(contentsOf: "id: \(PositionText.format(start.position))\n\n".utf8)
        } else {
            bytes.append(UInt8(ascii: "\n"))
            appendBlock(position: start.position, event: "reset", data: StreamReset(start).data[...], to: &bytes)
        }
        return bytes
    }

    /// The position in `Last-Event-ID`. An unreadable id still counts as a request to resume, which is never
    /// recovered.
    public static func resumePoint(lastEventID: String?) -> ResumePoint? {
        guard let lastEventID, !lastEventID.isEmpty else { return nil }
        return PositionText.parse(lastEventID) ?? .unreadable
    }

    /// `data` must not contain line breaks. Those in `event` are replaced by underscores.
    static func appendBlock(
        position: StreamPosition,
        event: String,
        data: ArraySlice<UInt8>,
        to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: "id: ".utf8)
        bytes.append(contentsOf: PositionText.format(position).utf8)
        bytes.append(contentsOf: "\nevent: ".utf8)
        bytes.append(contentsOf: event.utf8.lazy.map { $0 < 0x20 ? UInt8(ascii: "_") : $0 })
        bytes.append(contentsOf: "\ndata: ".utf8)
        bytes.append(contentsOf: data)
        bytes.append(contentsOf: "\n\n".utf8)
    }
}
