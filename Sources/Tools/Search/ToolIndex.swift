/// The words of all tools, in memory. An index never changes; after a change of the registry another one is made.
struct ToolIndex: Sendable {
    /// A tool that has a word.
    struct Posting: Sendable {
        var tool: Int32
        var places: ToolLexeme.Places
    }

    /// All tools. Tools that fit equally well are listed in this order.
    let tools: [IndexedTool]
    private let postings: [String: [Posting]]
    /// How many different words the name of each tool has.
    private let nameWords: [Double]
    private let synonyms: ToolSynonyms
    private let near: NearWords

    /// - Parameter tools: in the order of lists.
    init(_ tools: [IndexedTool], _ synonyms: ToolSynonyms) {
        var postings: [String: [Posting]] = [:]
        for (number, tool) in tools.enumerated() {
            for lexeme in tool.lexemes {
                postings[lexeme.text, default: []].append(Posting(tool: Int32(number), places: lexeme.places))
            }
        }
        nameWords = tools.map { tool in Double(tool.lexemes.count { $0.places.contains(.name) }) }
        self.tools = tools.map { tool in
            var tool = tool
            tool.lexemes = []
            return tool
        }
        (self.postings, self.synonyms, near) = (postings, synonyms, NearWords(postings.keys))
    }

    /// The tools that have at least one of the words or of their synonyms, the best first.
    ///
    /// - Parameter words: the stems of each word that was written.
    func find(_ words: [[String]], _ isWanted: (IndexedTool) -> Bool) -> [Int] {
        let stems = words.joined().reduce(into: [String]()) { found, stem in
            if !found.contains(stem) { found.append(stem) }
        }
        let terms = stems.map { term($0, among: stems) }
        var ranking = ToolRanking(tools: tools.count, weight: terms.reduce(0) { $0 + $1.rarity })
        for term in terms { ranking.add(term, postings) }
        return ranking.order(nameWords) { isWanted(tools[$0]) }
    }

    /// What a word stands for, and how much each of that counts.
    private func term(_ stem: String, among stems: [String]) -> ToolTerm {
        var weights = [stem: 1.0]
        for other in synonyms.of(stem) where !stems.contains(other) { weights[other] = ToolRanking.synonym }
        let isKnown = weights.keys.contains { postings[$0] != nil }
        let near = postings[stem] == nil ? self.near.of(stem) { postings[$0]?.count ?? 0 } : nil
        if let near, near.isBeginning || !isKnown {
            let weight = near.isBeginning ? ToolRanking.beginning : ToolRanking.similar
            for word in near.words { weights[word] = max(weights[word] ?? 0, weight) }
        }
        let known = weights.keys.filter { postings[$0] != nil }
        let rarity = postings[stem] != nil ? rarity(stem) : known.map(rarity).max() ?? 0
        return ToolTerm(weights: weights, rarity: rarity)
    }

    /// The value of a word: the fewer tools have it, the higher it is.
    private func rarity(_ stem: String) -> Double {
        let having = Double(postings[stem]?.count ?? 0)
        return ToolRanking.rarity(having: having, of: Double(tools.count))
    }
}

/// A word of a search.
struct ToolTerm: Sendable {
    /// Stems, and how much each counts: 1 for the word itself.
    var weights: [String: Double]
    var rarity: Double
}
