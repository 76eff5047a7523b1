import Foundation
import HTTPModel
import Logging
import Synchronization
import Workers

@testable import Listener

/// What a test handler saw, in order; `wait` waits until it is there.
final class Journal: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }

    func wait(for entry: String, times: Int = 1) async throws {
        let end = ContinuousClock.now + .seconds(RawClient.patience)
        while all.count(where: { $0 == entry }) < times {
            guard ContinuousClock.now < end else {
                throw RawClient.Failure(description: "never saw \(entry) in \(all)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

final class TestHandler: RequestHandler {
    let journal: Journal
    var lastChannel: ChannelID?
    var unanswered: [ExchangeID] = []

    init(journal: Journal) { self.journal = journal }

    func admit(_ request: HTTPRequest, bodyLength: Int?, on loop: isolated NetworkLoop) -> Admission {
        if request.path == "/refused" {
            return .refuse(
                APIError(.authentication, status: 401, code: "no", message: "no").response(requestID: request.requestID)
            )
        }
        return .read(limit: 1024 * 1024)
    }

    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        let summary = "\(request.method.rawValue) \(request.path)?\(request.query) \(request.body.count)"
        switch request.path {
        case "/later":
            DispatchQueue.global().async { loop.post { $0.respond(exchange, .text(summary)) } }
        case "/big":
            let count = Int(request.query.dropFirst(2)) ?? 0
            let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            DispatchQueue.global().async { loop.post { $0.respond(exchange, HTTPResponse(status: 200, body: body)) } }
        case "/never":
            unanswered.append(exchange)
            journal.add("unanswered")
        case "/stream":
            let head = HTTPResponse(
                status: 200,
                headers: [("content-type", "text/event-stream")],
                body: Array(": hi\n\n".utf8)
            )
            lastChannel = loop.openStream(exchange, head)
            journal.add("stream")
        case "/wait":
            unanswered.append(exchange)
            loop.wait(for: exchange, seconds: Double(request.query) ?? 0) { [journal] end, _ in
                journal.add("ended \(end)")
                return end == .deadline ? .text("nothing yet") : nil
            }
            journal.add("waiting")
        case "/pieces", "/endless", "/flood", "/quiet":
            var response = HTTPResponse(status: 200, body: Array("first\n".utf8))
            response.stream = StreamSamples(journal: journal).stream(request)
            loop.respond(exchange, response)
        case "/headers":
            let lines = request.headers.fields.map { "\($0.name)=\($0.value)" }.sorted()
            loop.respond(exchange, .text(lines.joined(separator: "\n")))
        case "/injection":
            loop.respond(exchange, HTTPResponse(status: 200, headers: [("x-a", "1\r\nx-b: 2")]))
        case "/empty":
            loop.respond(exchange, HTTPResponse(status: 204))
        case "/peer":
            loop.respond(exchange, .text(request.peerAddress))
        default:
            loop.respond(exchange, .text(summary))
        }
    }

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        if request.path == "/ws" { return .accept }
        return .refuse(
            APIError(.authentication, status: 401, code: "no", message: "no").response(requestID: request.requestID)
        )
    }

    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        lastChannel = channel
        journal.add("opened \(request.path)?\(request.query)")
        if request.query.hasPrefix("size="), let size = Int(request.query.dropFirst(5)) {
            _ = loop.send(serverFrame(1, [UInt8](repeating: 66, count: size)), to: channel)
        }
    }

    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop) {
        let text = String(decoding: message, as: UTF8.self)
        if text.hasPrefix("close ") {
            loop.close(channel, code: UInt16(text.dropFirst(6))!, reason: "asked")
            return
        }
        _ = loop.send(serverFrame(isText ? 1 : 2, message), to: channel)
    }

    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop) { journal.add("drained") }
    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop) { journal.add("closed") }
    func tick(on loop: isolated NetworkLoop) { journal.add("tick") }
    func notified(on loop: isolated NetworkLoop) { journal.add("notified") }
}

private let producerThreads = Result { try TaskThreads<Int>(name: "producers", count: 3) }

/// A loop on free ports, stopped after the body.
func withLoop<Result>(
    _ addresses: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0)],
    configure: (inout ListenerConfiguration) -> Void = { _ in },
    _ body: (NetworkLoop, [ListenAddress], Journal) async throws -> Result
) async throws -> Result {
    var configuration = ListenerConfiguration(addresses: addresses)
    // Tests block the threads of Swift's pool.
    configuration.taskExecutor = try producerThreads.get().executor(of: 0)
    configure(&configuration)
    let journal = Journal()
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    if ProcessInfo.processInfo.environment["LISTENER_LOG"] != nil {
        logger = Logger(label: "listener")
        logger.logLevel = .debug
    }
    let loop = NetworkLoop(configuration: configuration, logger: logger) { _ in TestHandler(journal: journal) }
    let bound = try loop.start()
    do {
        let result = try await body(loop, bound.map(\.address), journal)
        await loop.stop(graceSeconds: 0)
        return result
    } catch {
        await loop.stop(graceSeconds: 0)
        throw error
    }
}

extension NetworkLoop {
    var testHandler: TestHandler { handler as! TestHandler }

    func onChannel<Value: Sendable>(_ work: @Sendable (isolated NetworkLoop, ChannelID) -> Value) -> Value? {
        testHandler.lastChannel.map { work(self, $0) }
    }

    /// That the loop's thread has used; those of other tests are not in it.
    func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func turn<Value: Sendable>(_ work: @Sendable (isolated NetworkLoop) -> Value) -> Value { work(self) }
}

func temporaryPath(_ name: String) -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("listener-\(UUID().uuidString)-\(name)").path
}
