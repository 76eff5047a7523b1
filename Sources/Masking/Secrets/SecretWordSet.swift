/// A fixed, case-insensitive set of words, stored as a hash table of their hashes.
///
/// Two words with the same 64-bit hash count as equal. A look-up takes at most as many steps as the longest run of
/// occupied slots, which depends on the words only.
struct SecretWordSet: Sendable {
    /// The size is a power of two, at most a quarter full. 0 marks a free slot.
    private var slots: [UInt64]

    init(_ words: some Sequence<String>) {
        let hashes = words.map { SecretName.hash(of: Array($0.utf8).span) }
        var count = 4
        while count < 4 * hashes.count { count *= 2 }
        slots = [UInt64](repeating: 0, count: count)
        for hash in hashes {
            let place = slot(of: hash)
            slots[place] = hash
        }
    }

    func contains(_ word: Span<UInt8>) -> Bool {
        let hash = SecretName.hash(of: word)
        return hash != 0 && slots[slot(of: hash)] == hash
    }

    /// The slot of `hash`, or the free slot where it would be stored.
    private func slot(of hash: UInt64) -> Int {
        let mask = UInt64(slots.count - 1)
        var place = Int(hash & mask)
        while slots[place] != 0, slots[place] != hash { place = (place + 1) & Int(mask) }
        return place
    }
}
