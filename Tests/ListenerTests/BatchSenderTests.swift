import Glibc
import Logging
import Testing

@testable import Listener

@Suite struct BatchSenderTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A sandbox may refuse io_uring. Any other failure is a fault.
    static let isAllowed: Bool = {
        do throws(RingSender.Refused) {
            _ = try RingSender(logger: logger)
            return true
        } catch {
            return error.errorNumber != EPERM && error.errorNumber != ENOSYS
        }
    }()

    /// Both ends of a stream, closed with it.
    private final class Pair {
        let near: Int32
        private(set) var far: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        func closeFar() {
            close(far)
            far = -1
        }

        func read(_ limit: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = recv(far, &bytes, limit, Int32(MSG_DONTWAIT))
            return Array(bytes.prefix(max(0, count)))
        }

        deinit {
            close(near)
            if far >= 0 { close(far) }
        }
    }

    private func sockets(_ pairs: [Pair]) -> [LWSConnection.Socket] {
        pairs.map { LWSConnection.Socket(descriptor: $0.near) }
    }

    private static let senders = isAllowed ? ["plain", "ring"] : ["plain"]

    private func sender(_ name: String) throws -> any BatchSender {
        name == "plain" ? PlainSender() : try RingSender(logger: Self.logger)
    }

    @Test(arguments: senders) func theSameBytesGoToMoreThanOneCallTakes(name: String) throws {
        let sender = try sender(name)
        let pairs = try (0..<130).map { _ in try Pair() }
        for number in 0..<5 {
            let message = Array("message \(number)".utf8)
            #expect(sender.send(message, to: sockets(pairs)) == pairs.map { _ in message.count })
            #expect(pairs.allSatisfy { $0.read(100) == message })
        }
        #expect((sender as? RingSender)?.isBroken != true)
    }

    @Test(arguments: senders) func aSocketThatIsClosedOrFullDoesNotHinderTheOthers(name: String) throws {
        let sender = try sender(name)
        let pairs = try (0..<6).map { _ in try Pair() }
        pairs[1].closeFar()
        let large = [UInt8](repeating: 7, count: 1 << 20)
        let part = sender.send(large, to: [LWSConnection.Socket(descriptor: pairs[3].near)])
        #expect((1..<large.count).contains(part[0]))

        let message = Array("hello".utf8)
        #expect(sender.send(message, to: sockets(pairs)) == [5, 0, 5, 0, 5, 5])
        #expect(sender.send(message, to: [LWSConnection.Socket(descriptor: -1)]) == [0])
        #expect(sender.send(message, to: sockets([pairs[0]])) == [5])
        #expect(pairs[0].read(100) == message + message)
        #expect(pairs[3].read(large.count) == [UInt8](repeating: 7, count: part[0]))
        #expect((sender as? RingSender)?.isBroken != true)
    }

    @Test(arguments: senders) func eachSocketGetsItsOwnBytes(name: String) throws {
        let sender = try sender(name)
        let pairs = try (0..<200).map { _ in try Pair() }
        let pieces = pairs.indices.map { number in (0..<(2 * number)).map { UInt8(truncatingIfNeeded: $0 + number) } }
        #expect(sender.send(pieces, to: sockets(pairs)) == pieces.map(\.count))
        for (piece, pair) in zip(pieces, pairs) { #expect(pair.read(1000) == piece) }
    }

    @Test(arguments: senders) func noSocketIsNoCall(name: String) throws {
        let sender = try sender(name)
        #expect(sender.send([1], to: []).isEmpty)
        #expect(sender.send([[UInt8]](), to: []).isEmpty)
    }
}
