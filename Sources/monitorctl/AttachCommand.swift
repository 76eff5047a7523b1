import ArgumentParser
import Foundation

struct AttachCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Use a session's terminal from this one.",
        discussion: """
            The session must run in a terminal of the machine's agent: `monitorctl start MACHINE DIRECTORY --mode
            interactive`. Ctrl-] leaves the session, which goes on. Several terminals may be attached; the last one
            determines the size.
            """
    )

    /// Ctrl-]
    private static let detachKey: UInt8 = 0x1d

    @Argument(help: "The session's id, as `monitorctl sessions` shows it.")
    var session: String

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let attachment = TerminalAttachment(client: client, session: session)
        // Opened first: what is drawn at the new size must not be missed.
        let stream = try await attachment.open()
        let terminal = try RawTerminal()
        let changes = RawTerminal.sizeChanges()
        let end: TerminalAttachment.End
        do {
            try await attachment.resize()
            end = try await withThrowingTaskGroup(of: TerminalAttachment.End.self) { group in
                group.addTask { try await attachment.show(stream) }
                group.addTask { try await attachment.type(RawTerminal.keys(), until: AttachCommand.detachKey) }
                group.addTask {
                    for await _ in changes { try await attachment.resize() }
                    try await Task.sleep(for: .seconds(Int32.max))
                    return .detached
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .detached
            }
        } catch {
            terminal.restore()
            throw error
        }
        terminal.restore()
        switch end {
        case .detached: Output.note("Detached. The session goes on.")
        case .ended: Output.note("The session has ended.")
        }
    }
}

/// The connection of a terminal with that of a session.
struct TerminalAttachment: Sendable {
    enum End: Sendable {
        case detached
        case ended
    }

    private struct Piece: Decodable {
        var data: String
        var restarts: Bool?
    }

    private struct Keys: Encodable { var data: String }
    private struct Size: Encodable { var columns, rows: Int }

    let client: HTTPClient
    let session: String

    /// Clears the terminal and sets it back.
    private static let clear = "\u{1b}c"
    private static let ends = ["session_end", "session_gone"]

    func open() async throws(CommandError) -> EventStream {
        let types = (["pty_output"] + TerminalAttachment.ends).joined(separator: ",")
        return try await EventStream.open(
            client,
            query: [URLQueryItem(name: "session_id", value: session), URLQueryItem(name: "type", value: types)],
            lastEventID: nil
        )
    }

    /// Shows what the session's terminal shows, until the session ends.
    func show(_ first: EventStream) async throws -> End {
        var stream = first
        while true {
            var parser = ServerSentEvents()
            do {
                for try await part in stream {
                    for message in try parser.receive(part) where try show(message) { return .ended }
                }
            } catch let error as Output.Closed {
                throw error
            } catch let error where error is EventStream.Lagging || error is URLError {}
            // The next stream begins with all that counts.
            stream = try await open()
        }
    }

    /// Returns whether the session has ended.
    private func show(_ message: ServerSentEvents.Message) throws -> Bool {
        if TerminalAttachment.ends.contains(message.event) { return true }
        guard message.event == "pty_output" else { return false }
        let piece = try ServerJSON.decode(Piece.self, Data(message.data.utf8))
        let text = (piece.restarts ?? false ? TerminalAttachment.clear : "") + piece.data
        try Output.bytes(Array(text.utf8))
        return false
    }

    func type(_ keys: AsyncStream<[UInt8]>, until detachKey: UInt8) async throws -> End {
        let path = "/v1/sessions/\(try PathSegment.encode(session))/terminal/keys"
        for await typed in keys {
            let isLast = typed.contains(detachKey)
            let sent = isLast ? Array(typed.prefix { $0 != detachKey }) : typed
            if !sent.isEmpty {
                let body = try JSONEncoder().encode(Keys(data: String(decoding: sent, as: UTF8.self)))
                _ = try await client.expectSuccess(client.send("POST", path, body: body))
            }
            if isLast { return .detached }
        }
        return .detached
    }

    func resize() async throws {
        guard let size = RawTerminal.size else { return }
        let path = "/v1/sessions/\(try PathSegment.encode(session))/terminal/size"
        let body = try JSONEncoder().encode(Size(columns: size.columns, rows: size.rows))
        _ = try await client.expectSuccess(client.send("PUT", path, body: body))
    }
}
