import Glibc
import Testing

@testable import Listener

@Suite struct SendRingTests {
    /// A sandbox may refuse it; whatever else keeps it from being had is a fault.
    static let isAllowed: Bool = {
        do throws(SendRing.Refused) {
            _ = try SendRing()
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

    @Test(.enabled(if: isAllowed)) func moreThanGoWithOneCallGetThemAll() throws {
        let ring = try SendRing()
        let pairs = try (0..<130).map { _ in try Pair() }
        for number in 0..<5 {
            let message = Array("message \(number)".utf8)
            #expect(ring.offer(message, to: sockets(pairs)) == pairs.map { _ in message.count })
            #expect(pairs.allSatisfy { $0.read(100) == message })
        }
        #expect(!ring.isBroken)
    }

    @Test(.enabled(if: isAllowed)) func whoIsGoneOrFullTakesNothingOrApartAndTheOthersAll() throws {
        let ring = try SendRing()
        let pairs = try (0..<6).map { _ in try Pair() }
        pairs[1].closeFar()
        let large = [UInt8](repeating: 7, count: 1 << 20)
        let apart = ring.offer(large, to: [LWSConnection.Socket(descriptor: pairs[3].near)])
        #expect((1..<large.count).contains(apart[0]))

        let message = Array("hello".utf8)
        #expect(ring.offer(message, to: sockets(pairs)) == [5, 0, 5, 0, 5, 5])
        #expect(ring.offer(message, to: [LWSConnection.Socket(descriptor: -1)]) == [0])
        #expect(ring.offer(message, to: sockets([pairs[0]])) == [5])
        #expect(pairs[0].read(100) == message + message)
        #expect(pairs[3].read(large.count) == [UInt8](repeating: 7, count: apart[0]))
        #expect(!ring.isBroken)
    }

    @Test(.enabled(if: isAllowed)) func toEachItsOwnPart() throws {
        let ring = try SendRing()
        let pairs = try (0..<200).map { _ in try Pair() }
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let taken = ring.offer(bytes, to: sockets(pairs)) { $0..<($0 * 3) }
        #expect(taken == pairs.indices.map { $0 * 2 })
        for (index, pair) in pairs.enumerated() { #expect(pair.read(1000) == Array(bytes[index..<(index * 3)])) }
    }

    @Test(.enabled(if: isAllowed)) func nobodyIsNoCall() throws {
        let ring = try SendRing()
        #expect(ring.offer([1], to: []) == [])
    }
}
