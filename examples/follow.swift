// Lists the sessions of a monitor server, then prints its events as they are committed, as server-sent events.
//
//     swiftc -parse-as-library examples/follow.swift -o follow
//     MONITOR_URL=http://127.0.0.1:8766 MONITOR_TOKEN=... ./follow [EPOCH:SEQ]
//
// EPOCH:SEQ is the last position that an earlier run printed; the program then continues after that event.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Session: Decodable {
    var id: String
    var state: String
    var title: String?
}

struct Event: Decodable {
    var epoch: String
    var seq: Int
    var type: String
    var sessionId: String?
    var summary: String?
}

/// An answer of the server after which a retry does not help.
struct Refused: Error {
    var status: Int
}

/// The lines of an answer, as they come.
final class LineStream: NSObject, URLSessionDataDelegate, Sendable {
    let pieces: AsyncThrowingStream<Data, any Error>
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

    override init() {
        (pieces, continuation) = AsyncThrowingStream.makeStream()
    }

    func urlSession(
        _: URLSession,
        dataTask _: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        do {
            try check(response)
            completionHandler(.allow)
        } catch {
            continuation.finish(throwing: error)
            completionHandler(.cancel)
        }
    }

    func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(data)
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }
}

func check(_ response: URLResponse) throws {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if [400, 401, 403].contains(status) { throw Refused(status: status) }
    if status != 200 { throw URLError(.badServerResponse) }
}

/// Writes a line at once, also to a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func decode<Value: Decodable>(_ data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: data)
}

struct Monitor {
    var url: String
    var token: String

    func request(_ path: String) throws -> URLRequest {
        guard let url = URL(string: url + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        // A comment comes every 20 s in a stream; a connection without them is dead.
        request.timeoutInterval = 45
        return request
    }

    func get<Answer: Decodable>(_ path: String) async throws -> Answer {
        let (data, response) = try await URLSession.shared.data(for: request(path))
        try check(response)
        return try decode(data)
    }

    func sessions() async throws -> [Session] {
        struct Page: Decodable { var sessions: [Session] }
        let page: Page = try await get("/v1/sessions?limit=50")
        return page.sessions
    }

    /// The position of the newest event.
    func head() async throws -> String {
        struct Page: Decodable {
            struct Meta: Decodable {
                var epoch: String
                var head: Int
            }
            var meta: Meta
        }
        let page: Page = try await get("/v1/events?limit=1&order=desc")
        return "\(page.meta.epoch):\(page.meta.head)"
    }

    /// Prints the events after `place` until the connection ends. Each event moves `place`.
    func stream(after place: inout String) async throws {
        var request = try request("/v1/events")
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue(place, forHTTPHeaderField: "Last-Event-ID")
        let lines = LineStream()
        let session = URLSession(configuration: .ephemeral, delegate: lines, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
        var buffer = Data()
        var fields: [Substring: Substring] = [:]
        for try await piece in lines.pieces {
            buffer.append(piece)
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                if line.isEmpty {
                    try await take(fields, place: &place)
                    fields = [:]
                } else {
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    fields[parts[0]] = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
                }
            }
        }
    }

    func take(_ fields: [Substring: Substring], place: inout String) async throws {
        if let id = fields["id"] { place = String(id) }
        guard let data = fields["data"] else { return }
        if fields["event"] == "reset" {
            say("reset")
            printAll(try await sessions())
            return
        }
        let event: Event = try decode(Data(data.utf8))
        say("\(event.epoch):\(event.seq) \(event.type) \(event.sessionId ?? "-") \(event.summary ?? "")")
    }

    func printAll(_ sessions: [Session]) {
        for session in sessions { say("session \(session.id) \(session.state) \(session.title ?? "")") }
    }
}

@main
enum Follow {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        guard let token = environment["MONITOR_TOKEN"] else {
            fail("set MONITOR_TOKEN to the admin token or to the access token of a device")
        }
        let monitor = Monitor(url: environment["MONITOR_URL"] ?? "http://127.0.0.1:8766", token: token)
        do {
            // The position is read before the sessions. So an event in between is shown twice, but none is missed.
            var place = ""
            if CommandLine.arguments.count > 1 {
                place = CommandLine.arguments[1]
            } else {
                place = try await monitor.head()
            }
            monitor.printAll(try await monitor.sessions())
            while true {
                do {
                    try await monitor.stream(after: &place)
                } catch is URLError {
                    // The connection broke, or the server starts or stops.
                }
                try await Task.sleep(for: .seconds(1))
            }
        } catch let refused as Refused {
            fail("the server answers \(refused.status)")
        } catch {
            fail("\(error)")
        }
    }

    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("follow: \(message)\n".utf8))
        exit(1)
    }
}
