/// Words that somebody may have meant who wrote another one.
enum NearWords {
    /// Bytes of a word for which other words are tried.
    private static let least = 4
    /// Bytes from which two mistakes are forgiven. Before that it is one.
    private static let long = 8
    private static let most = 8

    /// Words that begin with this one; without any, the most similar ones.
    ///
    /// - Parameter frequency: in how many tools a word occurs. The more frequent ones come first.
    static func of(_ word: String, in vocabulary: some Collection<String>, frequency: (String) -> Int) -> Found? {
        let bytes = Array(word.utf8)
        guard bytes.count >= least else { return nil }
        let longer = vocabulary.filter { $0.utf8.count > bytes.count && $0.hasPrefix(word) }
        if !longer.isEmpty { return Found(words: first(longer, frequency), isBeginning: true) }
        var allowed = bytes.count >= long ? 2 : 1
        var nearest: [String] = []
        for candidate in vocabulary where abs(candidate.utf8.count - bytes.count) <= allowed {
            guard let distance = distance(bytes, Array(candidate.utf8), atMost: allowed) else { continue }
            if distance < allowed { (allowed, nearest) = (distance, []) }
            nearest.append(candidate)
        }
        return nearest.isEmpty ? nil : Found(words: first(nearest, frequency), isBeginning: false)
    }

    struct Found: Equatable {
        var words: [String]
        /// The words begin with the one that was written; otherwise they are similar.
        var isBeginning: Bool
    }

    private static func first(_ words: [String], _ frequency: (String) -> Int) -> [String] {
        Array(words.sorted { (frequency($1), $0) < (frequency($0), $1) }.prefix(most))
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
