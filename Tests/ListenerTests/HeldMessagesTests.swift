import Testing

@testable import Listener

@Suite struct HeldMessagesTests {
    @Test func givesBackInOrderAndOnce() {
        var held = HeldMessages()
        #expect(held.isEmpty)
        for number in 0..<3 {
            let isHeld = held.hold((bytes: [UInt8(number)], isText: number != 1))
            #expect(isHeld)
        }
        #expect(!held.isEmpty)
        let messages = held.takeAll()
        #expect(messages.map(\.bytes) == [[0], [1], [2]])
        #expect(messages.map(\.isText) == [true, false, true])
        #expect(held.isEmpty)
    }

    @Test(arguments: [0, 1, 1000, 60_000])
    func isBoundedByTheirSizeAndNumber(size: Int) {
        var held = HeldMessages()
        let message = [UInt8](repeating: 0, count: size)
        var count = 0
        while count <= HeldMessages.limit, held.hold((bytes: message, isText: true)) { count += 1 }
        #expect(count > 0 && count * max(size, 1) <= HeldMessages.limit)
        _ = held.takeAll()
        let hasRoomAgain = held.hold((bytes: message, isText: true))
        #expect(hasRoomAgain)
    }

    @Test func oneThatIsTooLargeIsNotHeld() {
        var held = HeldMessages()
        let isHeld = held.hold((bytes: [UInt8](repeating: 0, count: HeldMessages.limit), isText: true))
        #expect(!isHeld && held.isEmpty)
    }
}
