internal import EventModel
internal import JSON

/// What a machine reports of its approvals file, for people to read. The machine applies the file itself; the server
/// decides nothing by the report.
package struct MachineApprovals: Sendable, Equatable {
    struct Rule: Sendable, Equatable {
        /// From 1.
        var line: Int64
        /// In the order of the file.
        var words: [Word]
    }

    struct Word: Sendable, Equatable {
        var key: String
        var value: String
    }

    /// False if the machine has no such file, so that the defaults apply.
    var exists: Bool
    /// Why the file is not valid. No device may then answer.
    var flaw: String?
    var rules: [Rule] = []
    /// Whether the file has more rules than were reported.
    var isCut = false

    private static let mostRules = 1000
    private static let mostWords = 20
    /// The limit of a key, a value or the flaw, in Unicode scalars. The hooks report at most 30,000 bytes of rules.
    private static let longest = 32_768
    private static let text = JSONSchema.printable(longest)

    /// - Returns: `nil` if the value has another form.
    init?(_ json: JSONValue) {
        guard let exists = json["exists"]?.bool, let rules = json["rules"]?.array, rules.count <= Self.mostRules else {
            return nil
        }
        self.exists = exists
        if let cut = json["cut"], cut != .null {
            guard let isCut = cut.bool else { return nil }
            self.isCut = isCut
        }
        if let flaw = json["flaw"], flaw != .null {
            guard let text = flaw.string, Self.isPrintable(text) else { return nil }
            self.flaw = text
        }
        for rule in rules {
            guard let line = rule["line"]?.integer, line > 0, case .object(let members)? = rule["words"],
                members.count <= Self.mostWords
            else { return nil }
            let words = members.compactMap { key, value in value.string.map { Word(key: key, value: $0) } }
            guard words.count == members.count,
                words.allSatisfy({ Self.isPrintable($0.key) && Self.isPrintable($0.value) })
            else { return nil }
            self.rules.append(Rule(line: line, words: words))
        }
    }

    private static func isPrintable(_ text: String) -> Bool {
        (1...longest).contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static let shape = ObjectShape<MachineApprovals>("MachineApprovals") { it in
        it.member("exists") { $0.exists }
        it.member("flaw", as: text) { $0.flaw }
        it.list("rules", of: ruleShape) { $0.rules }
        it.member("cut") { $0.isCut ? true : nil }
    }

    static let requestSchema = JSONSchema.all(
        of: shape.schema,
        #"{"properties":{"rules":{"maxItems":\#(mostRules)}}}"#
    )

    private static let ruleShape = ObjectShape<Rule>("ApprovalsRule") { it in
        it.member("line", as: JSONSchema.integer(1...(.max))) { $0.line }
        let words = #""maxProperties":\#(mostWords),"propertyNames":\#(text),"additionalProperties":\#(text)"#
        it.custom("words", #"{"type":"object",\#(words)}"#) { rule, writer in
            writer.beginObject()
            for word in rule.words { writer.field(word.key, word.value) }
            writer.endObject()
        }
    }
}

/// A report, and the time at which the server received it.
struct ReportedApprovals: Sendable {
    var at: Timestamp
    var file: MachineApprovals

    static let shape = ObjectShape<ReportedApprovals>(
        "ReportedApprovals",
        extending: MachineApprovals.shape,
        { $0.file },
        { it in it.member("reported_at") { $0.at } }
    )
}
