import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct BroadcastTests {
    private func message(_ number: Int) -> String { "\(number) " + String(repeating: "B", count: 20_000) }

    @Test(arguments: [true, false])
    func everyReaderGetsAllMessagesInOrder(usesIOUring: Bool) async throws {
        let configure: (inout ListenerConfiguration) -> Void = { configuration in
            configuration.usesIOUring = usesIOUring
            configuration.maxPendingBytes = 64 << 20
            configuration.pingSeconds = 600
            // The slow ones read only when the others have read everything.
            configuration.stallSeconds = 600
        }
        try await withLoop(configure: configure) { loop, addresses, journal in
            let hasRing = await loop.turn { $0.sender is RingSender }
            #expect(hasRing == (usesIOUring && BatchSenderTests.isAllowed))
            // More than go in the first stride, a slow one in it and one behind it.
            let slowPlaces = [3, NetworkLoop.strides.first + 2]
            var readers: [RawClient] = []
            var channels: [ChannelID] = []
            for place in 0..<NetworkLoop.strides.first + 4 {
                readers.append(try RawClient(addresses[0], receiveBuffer: slowPlaces.contains(place) ? 4096 : nil))
                try readers[place].upgrade()
                channels.append(try await opened(place + 1, on: loop))
            }
            let everybody = channels
            let slow = slowPlaces.map { readers[$0] }
            let slowChannels = slowPlaces.map { everybody[$0] }
            let quick = readers.indices.filter { !slowPlaces.contains($0) }.map { readers[$0] }
            let unknown = ChannelID(rawValue: .max)

            var waited: Set<ChannelID> = []
            for number in 0..<300 {
                let expected = message(number)
                let frame = serverFrame(1, Array(expected.utf8))
                let outcomes = await loop.turn { $0.send(frame, toAll: everybody + [unknown]) }
                #expect(outcomes.contains { $0.channel == unknown && $0.outcome == .gone })
                #expect(outcomes.allSatisfy { slowChannels.contains($0.channel) || $0.channel == unknown })
                for case (let channel, .waiting) in outcomes { waited.insert(channel) }
                for reader in quick { #expect(try reader.readText() == expected) }
            }
            #expect(waited == Set(slowChannels))
            for number in 0..<300 {
                let expected = message(number)
                for reader in slow { #expect(try reader.readText() == expected) }
            }
            try await journal.wait(for: "drained", times: slow.count)
            #expect(await loop.turn { $0.send(serverFrame(1, [65]), toAll: everybody) }.isEmpty)
            for reader in readers { #expect(try reader.readText() == "A") }
            #expect(await loop.turn { $0.sender is RingSender } == hasRing)
        }
    }

    @Test func aClosingOrOverfullChannelIsGone() async throws {
        try await withLoop { loop, addresses, _ in
            let slow = try RawClient(addresses[0], receiveBuffer: 4096)
            try slow.upgrade()
            let slowChannel = try await opened(1, on: loop)
            let closing = try RawClient(addresses[0])
            try closing.upgrade()
            let closingChannel = try await opened(2, on: loop)
            let frame = serverFrame(1, [UInt8](repeating: 66, count: 100_000))

            let first = await loop.turn { loop in
                loop.close(closingChannel, code: 4001, reason: "asked")
                return loop.send(frame, toAll: [closingChannel])
            }
            #expect(first.count == 1 && first.first?.outcome == .gone)
            #expect(try closing.readClose() == 4001)

            var last: SendOutcome?
            for _ in 0..<1000 where last != .gone {
                last = await loop.turn { $0.send(frame, toAll: [slowChannel]) }.first?.outcome
            }
            #expect(last == .gone)
            #expect(try slow.readClose() == 4008)
        }
    }

    @Test func aStreamReceivesABroadcast() async throws {
        try await withLoop { loop, addresses, journal in
            let reader = try RawClient(addresses[0])
            try reader.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await journal.wait(for: "stream")
            let channel = try #require(await loop.onChannel { _, channel in channel })
            #expect(await loop.turn { $0.send(Array("data: 1\n\n".utf8), toAll: [channel]) }.isEmpty)
            _ = await loop.turn { $0.close(channel, code: 1000, reason: "") }
            let bytes = try reader.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(": hi\n\ndata: 1\n\n"))
        }
    }

    /// The channel that was opened as the `count`th.
    private func opened(_ count: Int, on loop: NetworkLoop) async throws -> ChannelID {
        let end = ContinuousClock.now + .seconds(RawClient.patience)
        while await loop.channelCount < count {
            guard ContinuousClock.now < end else { throw RawClient.Failure(description: "not opened") }
            try await Task.sleep(for: .milliseconds(2))
        }
        return try #require(await loop.onChannel { _, channel in channel })
    }
}
