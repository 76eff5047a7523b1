import Foundation
import HTTPModel
import Logging
import Synchronization
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct LifecycleTests {
    private func listen(_ path: String) throws {
        _ = try ListeningSocket(.unix(path: path))
    }

    @Test func listensOnSeveralAddresses() async throws {
        let path = temporaryPath("s")
        let wanted: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0), .unix(path: path)]
        try await withLoop(wanted) { _, addresses, _ in
            for address in addresses {
                if case .tcp(_, let port) = address { #expect(port != 0) }
                let client = try RawClient(address)
                #expect(try client.get("/echo").text == "GET /echo? 0")
                let socket = try RawClient(address)
                try socket.upgrade()
                try socket.send(clientFrame(1, Array("x".utf8)))
                #expect(try socket.readText() == "x")
            }
            #expect(try RawClient(addresses[0]).get("/peer").text == "127.0.0.1")
            #expect(try RawClient(addresses[1]).get("/peer").text == "::1")
            #expect(try RawClient(addresses[2]).get("/peer").text == "")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aUnixSocketDoesNotAskForTheHostAndStaysOpen() async throws {
        try await withLoop([.unix(path: temporaryPath("s"))]) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET /echo HTTP/1.1\r\nHost: anything\r\n\r\n")
            let first = try client.readResponse()
            #expect(first.status == 200)
            #expect(first.headers["connection"] == nil)
            try client.send("POST /echo HTTP/1.1\r\nHost: anything\r\nContent-Length: 4\r\n\r\nbody")
            #expect(try client.readResponse().text == "POST /echo? 4")
        }
    }

    @Test func aStaleSocketFileIsReplacedAndALiveOneIsNot() async throws {
        let path = temporaryPath("s")
        try leaveStaleSocket(at: path)
        try await withLoop([.unix(path: path)]) { (_, addresses, _) async throws in
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
            #expect(throws: ListenerError.addressInUse(.unix(path: path))) { try listen(path) }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
        try Data().write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: ListenerError.notASocket(path: path)) { try listen(path) }
    }

    @Test func aTakenPortIsAnErrorAndStopStillReturns() async throws {
        try await withLoop { _, addresses, _ in
            let configuration = ListenerConfiguration(addresses: [addresses[0]])
            let second = NetworkLoop(configuration: configuration, logger: Logger(label: "test")) { _ in
                TestHandler(journal: Journal())
            }
            #expect(throws: ListenerError.addressInUse(addresses[0])) { try second.start() }
            #expect(throws: ListenerError.alreadyStarted) { try second.start() }
            await second.stop(graceSeconds: 1)
        }
    }

    @Test func aBadConfigurationIsReported() {
        var configuration = ListenerConfiguration(addresses: [])
        configuration.maxHeaderBytes = 1
        configuration.pingSeconds = 0
        #expect(configuration.faults.count == 3)
        #expect(ListenerConfiguration(addresses: [.unix(path: "/x")]).faults.isEmpty)
    }

    @Test func postsRunInOrderFromManyThreads() async throws {
        try await withLoop { loop, _, _ in
            let seen = Mutex<[Int: [Int]]>([:])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<2000 {
                    loop.post { _ in seen.withLock { $0[thread, default: []].append(number) } }
                }
            }
            await loop.turn { _ in }
            let all = seen.withLock { $0 }
            for thread in 0..<4 { #expect(all[thread] == Array(0..<2000)) }
        }
    }

    @Test func postedWorkRunsBeforeStartAndAfterStop() async throws {
        let journal = Journal()
        let configuration = ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        let loop = NetworkLoop(configuration: configuration, logger: Logger(label: "test")) { _ in
            TestHandler(journal: journal)
        }
        loop.post { _ in journal.add("before") }
        #expect(await loop.channelCount == 0)
        _ = try loop.start()
        loop.post { _ in journal.add("during") }
        await loop.stop(graceSeconds: 1)
        loop.post { _ in journal.add("after") }
        #expect(await loop.channelCount == 0)
        #expect(journal.all.filter { $0 != "notified" } == ["before", "during", "after"])
        await loop.stop(graceSeconds: 1)
    }

    @Test func theHandlerIsNotifiedWhenItIsInstalledAndAfterEachCall() async throws {
        let journal = Journal()
        let configuration = ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        let loop = NetworkLoop(configuration: configuration, logger: Logger(label: "test")) { _ in
            TestHandler(journal: journal)
        }
        loop.notifyHandler()
        #expect(journal.all.isEmpty)
        _ = try loop.start()
        #expect(journal.all == ["notified"])
        loop.post { _ in journal.add("posted") }
        loop.notifyHandler()
        await loop.stop(graceSeconds: 1)
        #expect(journal.all.filter { $0 != "tick" } == ["notified", "posted", "notified"])
        loop.notifyHandler()
        #expect(journal.all.last == "notified")
    }

    @Test func stopClosesSocketsWith1001AndStreams() async throws {
        try await withLoop { loop, addresses, journal in
            let socket = try RawClient(addresses[0])
            try socket.upgrade()
            let stream = try RawClient(addresses[0])
            try stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try stream.readHead()
            let idle = try RawClient(addresses[0])
            #expect(try idle.get("/echo").status == 200)
            try await journal.wait(for: "stream")
            async let stopped: Void = loop.stop(graceSeconds: 60)
            #expect(try socket.readClose() == 1001)
            try socket.send(clientFrame(8, [0x03, 0xe9]))
            #expect(try stream.readToEnd() == Array(": hi\n\n".utf8))
            #expect(try idle.isClosedByServer())
            await stopped
            #expect(journal.all.filter { $0 == "closed" }.count == 2)
            let again = try? RawClient(addresses[0])
            #expect(again == nil)
        }
    }

    @Test func stopWaitsForAnswersAndThenSays503() async throws {
        try await withLoop { loop, addresses, journal in
            let late = try RawClient(addresses[0])
            try late.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await journal.wait(for: "unanswered")
            let never = try RawClient(addresses[0])
            try never.send("POST /never HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
            while await loop.turn({ $0.testHandler.unanswered.count }) < 2 { await Task.yield() }
            answerFirstOnceStopping(loop)
            async let stopped: Void = loop.stop(graceSeconds: 3)
            let answer = try late.readResponse()
            #expect(answer.status == 200 && answer.headers["connection"] == "close")
            #expect(try never.readResponse().status == 503)
            await stopped
        }
    }

    /// Answers in the loop's own thread: other tests that block the pool cannot use up the grace.
    private func answerFirstOnceStopping(_ loop: NetworkLoop) {
        loop.post { driver in
            guard driver.isStopping else { return answerFirstOnceStopping(loop) }
            driver.respond(driver.testHandler.unanswered[0], .text("done"))
        }
    }

    @Test func tooManyConnectionsAreTurnedAway() async throws {
        try await withLoop(configure: { $0.maxConnections = 2 }) { _, addresses, _ in
            let first = try RawClient(addresses[0])
            let second = try RawClient(addresses[0])
            #expect(try first.get("/echo").status == 200)
            #expect(try second.get("/echo").status == 200)
            let third = try RawClient(addresses[0])
            #expect(try third.readResponse().status == 503)
            #expect(try first.get("/echo").status == 200)
        }
    }

    /// Alone in its process: it takes every descriptor there is, and libdispatch traps if it looks just then.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LISTENER_EXHAUST"] != nil))
    func acceptingPausesWithoutDescriptors() async throws {
        try await withLoop { _, addresses, _ in
            var clients = [try RawClient(addresses[0])]
            #expect(try clients[0].get("/echo").status == 200)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var low = limit
            low.rlim_cur = rlim_t(clients[0].descriptor) + 40
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            while let client = try? RawClient(addresses[0]) { clients.append(client) }
            let before = clock()
            usleep(200_000)
            #expect(Double(clock() - before) / Double(CLOCKS_PER_SEC) < 0.1)
            #expect(try clients[0].get("/echo").status == 200)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // Taken in when the loop looks again, a second later at most.
            #expect(try clients.last?.get("/echo").status == 200)
        }
    }

    @Test func someDescriptorsAreKeptBack() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = ConnectionLimit.connections(wanted: .max)
        #expect(most <= Int(clamping: limit.rlim_cur) - 64)
        #expect(ConnectionLimit.connections(wanted: 3) == 3)
    }

    @Test func ticks() async throws {
        try await withLoop { _, _, journal in try await journal.wait(for: "tick") }
    }

    @Test func aMissingCertificateIsAnError() {
        var configuration = ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.tls = .init(certificatePath: "/nonexistent/c", keyPath: "/nonexistent/k")
        let loop = NetworkLoop(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in
            TestHandler(journal: Journal())
        }
        #expect(throws: ListenerError.badCertificate) { try loop.start() }
    }
}
