import Foundation
import Synchronization

/// As much of the monitor's HTTP API as the command line needs: keys, a log of events, its pages and its stream.
final class StandInMonitor: Sendable {
    struct State {
        var log: [String] = []
        var epoch = "e1"
        var keys: [String: String] = [:]
        var revoked: [String] = []
        /// The `Last-Event-ID` of every stream opened, "" where there was none.
        var resumedFrom: [String] = []
        /// Streams that the client left while an event was being written.
        var dropped = 0
        /// Ends each stream after so many events.
        var eventsPerStream = Int.max
        /// Answers to give on the stream's route before it works.
        var streamFaults: [Int] = []
        var namesEpochInPages = true
        var isHealthy = true
    }

    static let token = "test-admin-token"

    let state = Mutex(State())
    private let changed = NSCondition()

    func update<T: Sendable>(_ change: @Sendable (inout State) -> T) -> T {
        changed.lock()
        defer { changed.unlock() }
        changed.broadcast()
        return state.withLock { change(&$0) }
    }

    func append(_ count: Int, type: String = "tool", id: String? = nil, padding: Int = 0) {
        update { state in
            for _ in 0..<count {
                let seq = state.log.count + 1
                let fill = String(repeating: "x", count: padding)
                state.log.append(
                    #"{"seq":\#(seq),"event_id":"\#(id ?? "id-\(seq)")","type":"\#(type)","#
                        + #""timestamp":"2026-01-05T10:00:00.5Z","session_id":"s-1","machine_id":"laptop","#
                        + #""tool_name":"Bash","summary":"run \#(seq)\#(fill)","payload":{"n":1.50}}"#
                )
            }
        }
    }

    func serve() throws -> StandInServer {
        try StandInServer { [self] request, exchange in answer(request, exchange) }
    }

    private func answer(_ request: StandInServer.Request, _ exchange: StandInServer.Exchange) {
        let credential = request.headers["authorization"]?.replacingOccurrences(of: "Bearer ", with: "")
        let isAdmin = credential == Self.token
        switch (request.method, request.path) {
        case ("GET", "/health"):
            let healthy = state.withLock { $0.isHealthy }
            exchange.reply(
                healthy ? 200 : 503,
                #"{"ok":\#(healthy),"status":"\#(healthy ? "healthy" : "degraded")","version":"0.1.0","#
                    + #""database":{"ok":\#(healthy)}}"#
            )
        case ("POST", "/api/events") where isAdmin:
            let sent = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any] ?? [:]
            append(1, type: sent["event_type"] as? String ?? "?", id: sent["event_id"] as? String)
            exchange.reply(202, #"{"accepted":1,"duplicates":0,"rejected":0,"events":[]}"#)
        case _ where !isAdmin:
            exchange.reply(401, #"{"error":{"message":"who are you?","request_id":"r-9"}}"#)
        case ("POST", "/v1/keys"):
            let sent = (try? JSONDecoder().decode([String: String].self, from: request.body)) ?? [:]
            let id = update { state in
                let id = "k\(state.keys.count + 1)"
                state.keys[id] = "cmk_\(id)"
                return id
            }
            exchange.reply(
                201,
                #"{"id":"\#(id)","name":"\#(sent["name"] ?? "?")","key":"cmk_\#(id)","machine_id":"1"}"#
            )
        case ("GET", "/v1/keys"):
            exchange.reply(200, #"{"keys":[{"id":"k1","name":"laptop","prefix":"cmk_ab","created_at":null}]}"#)
        case ("DELETE", _):
            update { $0.revoked.append(request.path) }
            exchange.reply(200, #"{"id":"k1","revoked":true}"#)
        case ("GET", "/v1/events") where request.headers["accept"] == "text/event-stream":
            stream(request, exchange)
        case ("GET", "/v1/events"):
            page(request, exchange)
        case ("GET", "/v1/sessions"):
            let status = request.query["status"] ?? "active"
            exchange.reply(
                200,
                #"{"sessions":[{"id":"s-1","machine_name":"laptop","status":"\#(status)","project_path":"/p"}]}"#
            )
        case ("GET", "/v1/machines"):
            let clock = #"{"offset_seconds":1.5,"measured_at":"2026-01-05T10:00:00.000Z"}"#
            let said = #""clock":\#(clock),"hooks_version":"0.9.1""#
            let machine = #""id":"1","name":"laptop","reported_name":"mac","session_count":3"#
            exchange.reply(200, #"{"machines":[{\#(machine),\#(said)}]}"#)
        case ("GET", "/v1/sessions/stats"):
            exchange.reply(200, #"{"sessions":{"active":2},"cost":1.25}"#)
        default:
            exchange.reply(404, #"{"error":{"message":"no such route"}}"#)
        }
    }

    private func page(_ request: StandInServer.Request, _ exchange: StandInServer.Exchange) {
        let (log, epoch) = state.withLock { ($0.log, $0.namesEpochInPages ? $0.epoch : nil) }
        let limit = Int(request.query["limit"] ?? "") ?? 50
        let found =
            request.query["order"] == "desc"
            ? log.reversed().prefix(limit) : log.dropFirst(Int(request.query["after"] ?? "") ?? 0).prefix(limit)
        let meta = epoch.map { #"{"epoch":"\#($0)","head":\#(log.count)}"# } ?? "{}"
        exchange.reply(200, #"{"events":[\#(found.joined(separator: ","))],"next_cursor":null,"meta":\#(meta)}"#)
    }

    private func stream(_ request: StandInServer.Request, _ exchange: StandInServer.Exchange) {
        let from = request.headers["last-event-id"] ?? ""
        let fault = update { state -> Int? in
            guard state.streamFaults.isEmpty else { return state.streamFaults.removeFirst() }
            state.resumedFrom.append(from)
            return nil
        }
        if let fault { return exchange.reply(fault, #"{"error":{"message":"not now"}}"#) }
        // Before the client sees that the stream is open: what is appended then belongs to it.
        var (next, epoch) = state.withLock { ($0.log.count, $0.epoch) }
        exchange.beginStream()
        exchange.send(": open\n\n")
        if let colon = from.lastIndex(of: ":"), from[..<colon] == epoch {
            next = Int(from[from.index(after: colon)...]) ?? next
        } else if !from.isEmpty {
            exchange.send("id: \(epoch):\(next)\nevent: reset\ndata: {}\n\n")
        }
        var left = state.withLock { $0.eventsPerStream }
        while left > 0 {
            changed.lock()
            while state.withLock({ $0.log.count }) <= next {
                guard changed.wait(until: Date().addingTimeInterval(20)) else { return changed.unlock() }
            }
            changed.unlock()
            let batch = state.withLock { $0.log[next...].prefix(min(left, 64)) }
            for event in batch {
                next += 1
                left -= 1
                guard exchange.send("id: \(epoch):\(next)\nevent: tool\ndata: \(event)\n\n") else {
                    return update { $0.dropped += 1 }
                }
            }
        }
    }
}
