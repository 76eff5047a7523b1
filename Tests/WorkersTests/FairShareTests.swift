import Testing
import Workers

/// A share that is changed in place.
private final class Shares<Sender: Hashable & Sendable> {
    var share: FairShare<Sender>

    init(bytes: Int, pieces: Int) { share = FairShare(bytes: bytes, pieces: pieces) }

    func take(_ bytes: Int, from sender: Sender) -> Bool { share.take(bytes, from: sender) }
    func hasRoom(for bytes: Int, from sender: Sender) -> Bool { share.hasRoom(for: bytes, from: sender) }
    func giveBack(_ bytes: Int, to sender: Sender) { share.giveBack(bytes, to: sender) }
    var senders: Int { share.senders }
    var heldBytes: Int { share.heldBytes }

    /// Presses until nothing more is taken.
    func flood(_ sender: Sender, _ bytes: Int) -> Int {
        var taken = 0
        while share.take(bytes, from: sender) { taken += 1 }
        return taken
    }
}

@Suite("FairShare")
struct FairShareTests {
    @Test("one alone holds half, and what others send then still goes in")
    func alone() {
        let share = Shares<String>(bytes: 1000, pieces: 1000)
        #expect(share.flood("flooder", 10) == 50)
        #expect(!share.hasRoom(for: 10, from: "flooder"))
        #expect(share.hasRoom(for: 10, from: "quiet"))
        #expect(share.take(200, from: "quiet"))
        #expect(!share.take(10, from: "flooder"))
    }

    @Test("senders that all press end with about equal shares and leave one free", arguments: [2, 3, 9])
    func many(senders: Int) {
        let share = Shares<Int>(bytes: 100_000, pieces: 100_000)
        var counts = Array(repeating: 0, count: senders)
        for _ in 0..<10_000 {
            for sender in 0..<senders where share.take(10, from: sender) { counts[sender] += 1 }
        }
        let fair = 10_000 / (senders + 1)
        #expect(counts.allSatisfy { abs($0 - fair) <= 2 })
        #expect(share.hasRoom(for: 10 * fair, from: -1))
    }

    @Test("one that held all it could goes on when it is given back, and shrinks when others come")
    func moves() {
        let share = Shares<String>(bytes: 1200, pieces: 100)
        #expect(share.flood("a", 100) == 6)
        #expect(share.flood("b", 100) == 3)
        share.giveBack(100, to: "a")
        // With b there it may hold no more than is free: it holds 5, and 4 are free.
        #expect(!share.take(100, from: "a"))
        for _ in 0..<2 { share.giveBack(100, to: "a") }
        #expect(share.flood("a", 100) == 2)
        for _ in 0..<5 { share.giveBack(100, to: "a") }
        for _ in 0..<3 { share.giveBack(100, to: "b") }
        #expect(share.senders == 0 && share.heldBytes == 0)
    }

    @Test("pieces are bounded as well as bytes")
    func pieces() {
        let share = Shares<String>(bytes: 1 << 30, pieces: 20)
        #expect(share.flood("small", 1) == 10)
        #expect(share.hasRoom(for: 1, from: "other"))
    }

    @Test("an empty queue takes one piece of any size, and no second one beside it")
    func oversized() {
        let share = Shares<String>(bytes: 100, pieces: 10)
        #expect(share.take(500, from: "a"))
        #expect(!share.take(1, from: "a"))
        #expect(!share.take(1, from: "b"))
        share.giveBack(500, to: "a")
        #expect(share.take(1, from: "b"))
        share.giveBack(7, to: "stranger")
        #expect(share.heldBytes == 1)
    }
}
