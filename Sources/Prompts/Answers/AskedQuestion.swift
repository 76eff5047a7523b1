internal import JSON

/// A question of AskUserQuestion. People see the question and its options with secrets masked. Claude Code knows them
/// unmasked.
struct AskedQuestion {
    let text: String
    let takesSeveral: Bool
    private let shownText: String
    private let labels: [(asked: String, shown: String)]

    /// - Parameters:
    ///   - asked: the tool's input.
    ///   - shown: the same, masked.
    static func all(asked: JSONValue, shown: JSONValue?) -> [AskedQuestion] {
        let masked = shown?["questions"]?.array ?? []
        return (asked["questions"]?.array ?? []).enumerated().compactMap { place, question in
            AskedQuestion(question, shown: masked.count > place ? masked[place] : question)
        }
    }

    private init?(_ asked: JSONValue, shown: JSONValue) {
        guard let text = asked["question"]?.string else { return nil }
        self.text = text
        shownText = shown["question"]?.string ?? text
        takesSeveral = asked["multiSelect"]?.bool ?? false
        labels = zip(AskedQuestion.labels(asked), AskedQuestion.labels(shown)).map { ($0, $1) }
    }

    private static func labels(_ question: JSONValue) -> [String] {
        (question["options"]?.array ?? []).map { $0["label"]?.string ?? "" }
    }

    func isNamed(_ name: String) -> Bool { name == text || name == shownText }

    /// The unmasked label, or the person's own text.
    func label(_ given: String) -> String { labels.first { $0.shown == given }?.asked ?? given }
}
