import Foundation
import Workers

/// Follows the stream across reconnects until it is cancelled or the server refuses.
struct EventFollower: Sendable {
    var source: EventSource
    var printer: EventPrinter
    var since: LogPosition?
    /// Number of events to begin with, if no position is given.
    var last: Int

    func run() async throws {
        var state = FollowState(position: since)
        var random = SystemRandomNumberGenerator()
        var backoff = Backoff(1...30)
        var isFirst = true
        while !Task.isCancelled {
            do {
                let isResumable = state.position != nil
                let stream = try await EventStream.open(
                    source.client,
                    query: source.filter,
                    lastEventID: state.position?.text
                )
                if !isFirst { Output.note("monitorctl: connected again") }
                if !isResumable { try await catchUp(&state, isFirst: isFirst) }
                isFirst = false
                try await read(stream, &state, &backoff)
                if !Task.isCancelled { Output.note("monitorctl: the server ended the stream; reconnecting") }
            } catch is EventStream.Lagging {
                continue
            } catch let error as CommandError where isFirst || !isTransient(error) {
                throw error
            } catch let error as Output.Closed {
                throw error
            } catch {
                if Task.isCancelled { return }
                Output.note("monitorctl: the connection was lost; reconnecting")
            }
            try await Task.sleep(for: .seconds(backoff.next(using: &random)))
        }
    }

    /// The stream is already open. Events that are listed here and arrive again in the stream are recognized by their
    /// seq.
    private func catchUp(_ state: inout FollowState, isFirst: Bool) async throws {
        if isFirst {
            let page = try await source.newest(last)
            for event in page.events { try printer.show(event) }
            state.shown(max(page.lastSeq, page.head), epoch: page.epoch)
        } else {
            try await source.after(state.seq, epoch: nil) { page in
                for event in page.events { try printer.show(event) }
                state.shown(page.lastSeq, epoch: page.epoch)
            }
        }
    }

    private func read(_ stream: EventStream, _ state: inout FollowState, _ backoff: inout Backoff) async throws {
        var parser = ServerSentEvents()
        for try await part in stream {
            backoff.reset()
            for message in try parser.receive(part) {
                switch state.receive(message) {
                case .show(let event): try printer.show(Array(event.utf8))
                case .warn(let text): Output.note("monitorctl: \(text)")
                case .nothing: break
                }
            }
            if let id = parser.lastEventID { state.reached(id) }
        }
    }

    private func isTransient(_ error: CommandError) -> Bool {
        error.kind == .unreachable || error.status == 429 || (error.status ?? 0) >= 500
    }
}
