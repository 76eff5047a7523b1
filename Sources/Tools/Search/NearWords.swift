/// All words of the tools. Finds those that somebody may have meant who wrote another word.
struct NearWords: Sendable {
    private struct Entry: Sendable {
        var word: String
        var bytes: [UInt8]
        /// The letters that the word has. Words of very different letters need no closer look.
        var letters: UInt32
    }

    struct Found: Equatable {
        var words: [String]
        /// The words begin with the one that was written; otherwise they are similar.
        var isBeginning: Bool
    }

    /// The lengths in bytes of words for which other words are tried.
    private static let lengths = 4...40
    /// The length in bytes from which two mistakes are forgiven. In shorter words it is one.
    private static let long = 8
    private static let most = 8

    /// The keys are lengths in bytes.
    private let entries: [Int: [Entry]]

    init(_ vocabulary: some Collection<String>) {
        let known = vocabulary.map { word in
            Entry(word: word, bytes: Array(word.utf8), letters: NearWords.letters(word.utf8))
        }
        entries = Dictionary(grouping: known) { $0.bytes.count }
    }

    /// The words that begin with this one; if there are none, the most similar ones.
    ///
    /// - Parameter frequency: the number of tools in which a word occurs. More frequent words come first.
    func of(_ word: String, frequency: (String) -> Int) -> Found? {
        let bytes = Array(word.utf8)
        guard NearWords.lengths.contains(bytes.count) else { return nil }
        let longer = entries.filter { $0.key > bytes.count }.values.joined().filter { $0.bytes.starts(with: bytes) }
        if !longer.isEmpty { return Found(words: NearWords.first(longer, frequency), isBeginning: true) }
        let nearest = similar(bytes)
        return nearest.isEmpty ? nil : Found(words: NearWords.first(nearest, frequency), isBeginning: false)
    }

    private func similar(_ bytes: [UInt8]) -> [Entry] {
        var allowed = bytes.count >= NearWords.long ? 2 : 1
        let letters = NearWords.letters(bytes)
        var nearest: [Entry] = []
        for length in bytes.count - allowed...bytes.count + allowed {
            for candidate in entries[length] ?? [] {
                // Each mistake adds one letter, removes one, or both.
                guard (candidate.letters ^ letters).nonzeroBitCount <= 2 * allowed,
                    let distance = NearWords.distance(bytes, candidate.bytes, atMost: allowed)
                else { continue }
                if distance < allowed { (allowed, nearest) = (distance, []) }
                nearest.append(candidate)
            }
        }
        return nearest
    }

    private static func letters(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 | 1 << UInt32($1 % 32) }
    }

    private static func first(_ entries: [Entry], _ frequency: (String) -> Int) -> [String] {
        Array(entries.map(\.word).sorted { (frequency($1), $0) < (frequency($0), $1) }.prefix(most))
    }

    /// Letters that must be added, removed, replaced or exchanged with their neighbour. `nil` if there are more than
    /// the bound.
    static func distance(_ one: [UInt8], _ other: [UInt8], atMost bound: Int) -> Int? {
        guard abs(one.count - other.count) <= bound else { return nil }
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var next = [row + 1]
            next.reserveCapacity(other.count + 1)
            for column in other.indices {
                let isSame = one[row] == other[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            guard let least = next.min(), least <= bound else { return nil }
            (before, last) = (last, next)
        }
        return last[other.count] <= bound ? last[other.count] : nil
    }
}
