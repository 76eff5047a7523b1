/// Orders tools by how well they fit a search: by the rarity of the words that they have, by where they have them, by
/// how many of the search's words they have, and by how much of the tool's name the search has. The numbers were chosen
/// with half of the requests in Tests/system/fixtures/search_requests.tsv. The other half tests them.
struct ToolRanking {
    /// The factor for a synonym.
    static let synonym = 0.85
    /// The factor for a longer word that begins with the one that was written.
    static let beginning = 0.8
    /// The factor for a word that was written with a mistake.
    static let similar = 0.7
    private static let places: [(ToolLexeme.Places, Double)] = [
        (.name, 1), (.description, 1), (.server, 1.5), (.arguments, 0.5),
    ]
    /// The factor for further places beside the best one.
    private static let furtherPlaces = 0.15
    private static let (nameCover, searchCover) = (0.4, 0.5)

    /// The index is the raw value of a set of places.
    private static let values: [Double] = (0..<16).map { set in
        let counted = places.filter { ToolLexeme.Places(rawValue: UInt8(set)).contains($0.0) }.map(\.1)
        guard let best = counted.max() else { return 0 }
        return best + furtherPlaces * (counted.reduce(0, +) - best)
    }

    /// The sum of the rarities of all words.
    private let weight: Double
    private var scores: [Double]
    private var hits: [Double]
    /// The part of each tool's name that the search contains, from 0 to 1.
    private var names: [Double]
    private var touched: [Int] = []
    private var countedNames: [String: Double] = [:]
    /// The best value of each tool for the word that is being added, and the tools that have one.
    private var best: [Double]
    private var having: [Int] = []

    init(tools: Int, weight: Double) {
        self.weight = max(weight, .leastNonzeroMagnitude)
        scores = [Double](repeating: 0, count: tools)
        (hits, names, best) = (scores, scores, scores)
    }

    /// Grows with the logarithm of the share of tools that lack the word; between powers of two, on a straight line.
    static func rarity(having: Double, of all: Double) -> Double {
        let share = 1 + (all - having + 0.5) / (having + 0.5)
        return Double(share.exponent) + share.significand - 1
    }

    mutating func add(_ term: ToolTerm, _ postings: [String: [ToolIndex.Posting]]) {
        for (stem, weight) in term.weights {
            guard let postings = postings[stem] else { continue }
            // If several words of the search mean the same word of a name, it is counted once.
            let counted = countedNames[stem] ?? 0
            let further = max(0, weight - counted)
            countedNames[stem] = max(weight, counted)
            for posting in postings {
                let tool = Int(posting.tool)
                if further > 0, posting.places.contains(.name) { names[tool] += further }
                let value = weight * ToolRanking.values[Int(posting.places.rawValue)]
                guard value > best[tool] else { continue }
                if best[tool] == 0 { having.append(tool) }
                best[tool] = value
            }
        }
        for tool in having {
            if hits[tool] == 0 { touched.append(tool) }
            scores[tool] += best[tool] * term.rarity
            hits[tool] += term.rarity
            best[tool] = 0
        }
        having.removeAll(keepingCapacity: true)
    }

    /// The numbers of the tools, the best first.
    func order(_ nameWords: [Double], _ isWanted: (Int) -> Bool) -> [Int] {
        let scored = touched.filter(isWanted).map { tool in
            let name = 1 + ToolRanking.nameCover * names[tool] / max(1, nameWords[tool])
            return (score: scores[tool] * name * (1 + ToolRanking.searchCover * hits[tool] / weight), tool: tool)
        }
        return scored.sorted { ($1.score, $0.tool) < ($0.score, $1.tool) }.map(\.tool)
    }
}
