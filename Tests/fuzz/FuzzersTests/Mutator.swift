/// Changes inputs at random: bytes, bits, pieces left out, doubled, moved to another input, and words.
struct Mutator {
    let inputs: [[UInt8]]
    let words: [[UInt8]]
    static let longest = 16384

    func next() -> [UInt8] {
        var bytes = Array((inputs.randomElement() ?? []).prefix(Self.longest))
        for _ in 0..<Int.random(in: 1...4) { change(&bytes) }
        return Array(bytes.prefix(Self.longest))
    }

    private func change(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count)
        let end = min(bytes.count, place + Int.random(in: 1...32))
        switch Int.random(in: 0..<7) {
        case 0 where place < bytes.count: bytes[place] = .random(in: 0...255)
        case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4: bytes.insert(contentsOf: words.randomElement() ?? [], at: place)
        case 5: bytes.removeSubrange(place...)
        default:
            let other = inputs.randomElement() ?? []
            bytes.replaceSubrange(place..<end, with: other.dropFirst(Int.random(in: 0...other.count)).prefix(64))
        }
    }
}
