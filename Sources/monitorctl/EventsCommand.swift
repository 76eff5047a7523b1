import ArgumentParser
import Dispatch
import Foundation

struct EventsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show events, the newest last, and follow new ones.",
        discussion: """
            With --follow the connection is made again by itself after a loss and goes on where it stopped, without a
            hole or a repeat; Ctrl-C ends it with status 0. With --json, each event is one line (NDJSON).
            """
    )

    @Flag(name: .shortAndLong, help: "Follow new events.")
    var follow = false

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(name: .customLong("type"), help: "Only events of this type, e.g. prompt; may be given more than once.")
    var types: [String] = []

    @Option(help: ArgumentHelp("Only events after this position in the log.", valueName: "epoch:seq"))
    var since: String?

    @Option(help: "The number of past events to show. Default: 10 with --follow, else 50.")
    var last: Int?

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard since == nil || last == nil else { throw ValidationError("--since and --last exclude each other") }
        if let since, LogPosition(since) == nil { throw ValidationError("--since must look like EPOCH:SEQ") }
        guard (0...999).contains(last ?? 0) else { throw ValidationError("--last must be from 0 to 999") }
    }

    func execute(_ client: HTTPClient) async throws {
        let source = EventSource(client: client, session: session, types: types)
        let printer = EventPrinter(json: connection.json, style: .ofStandardOutput())
        guard follow else { return try await list(source, printer) }
        let since = self.since.flatMap(LogPosition.init)
        let follower = EventFollower(source: source, printer: printer, since: since, last: last ?? 10)
        try await EventsCommand.untilInterrupted { try await follower.run() }
    }

    private func list(_ source: EventSource, _ printer: EventPrinter) async throws {
        guard let since = since.flatMap(LogPosition.init) else {
            for event in try await source.newest(last ?? 50).events { try printer.show(event) }
            return
        }
        try await source.after(since.seq, epoch: since.epoch) { page in
            for event in page.events { try printer.show(event) }
        }
    }

    /// The first SIGINT or SIGTERM ends the work gracefully. The second one ends the process immediately.
    private static func untilInterrupted(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        do {
            try await task.value
        } catch {
            if !task.isCancelled { throw error }
        }
    }
}
