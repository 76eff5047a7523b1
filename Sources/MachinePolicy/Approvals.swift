internal import EventModel

/// The approvals file of the machine: which prompts devices may answer, and how. It means the same as for the hooks
/// (hooks/lib/approvals.awk).
///
/// A rule is a line. The first rule that matches applies. Keys that it does not contain have their defaults. A line
/// with `messages=` is a rule for messages to sessions, not for prompts.
package struct Approvals: Sendable {
    struct Rule: Equatable, Sendable {
        var number: Int
        var values: [String: [UInt8]]

        subscript(key: String) -> [UInt8]? { values[key] }

        func text(_ key: String) -> String? { values[key].map { String(decoding: $0, as: UTF8.self) } }
    }

    private(set) var rules: [Rule] = []
    /// Why the file is not valid. Then no device may answer.
    package private(set) var flaw: FileFlaw?

    /// No file: the defaults apply.
    package static let absent = Approvals()
    package static let unreadable = Approvals(flaw: FileFlaw("it cannot be read"))

    private init(flaw: FileFlaw? = nil) { self.flaw = flaw }

    package init(_ text: [UInt8]) {
        do throws(FileFlaw) {
            // The programs of the hooks differ in what they make of NUL.
            guard !text.contains(0) else { throw FileFlaw("it has a NUL") }
            for line in try RuleLine.lines(of: text, isValid: Approvals.isValid) { try add(line) }
        } catch {
            flaw = error
        }
    }

    private mutating func add(_ line: RuleLine) throws(FileFlaw) {
        let keys = Set(line.words.map(\.key))
        guard !keys.contains("messages") || keys.isSubset(of: ["messages", "project"]) else {
            throw FileFlaw("line \(line.number): only project= may be beside messages=")
        }
        let values = Dictionary(line.words.map { ($0.key, $0.value) }) { $1 }
        rules.append(Rule(number: line.number, values: values))
    }

    private static func isValid(_ key: String, _ value: [UInt8]) -> Bool? {
        let text = String(decoding: value, as: UTF8.self)
        switch key {
        case "tool", "project": return TextPattern.parts(value).allSatisfy { !$0.isEmpty }
        case "risk":
            return TextPattern.parts(value).allSatisfy {
                ToolRisk(rawValue: String(decoding: $0, as: UTF8.self)) != nil
            }
        case "who": return ["off", "notify", "answer"].contains(text)
        case "hold": return (1...5).contains(value.count) && value.allSatisfy(\.isASCIIDigit)
        case "after": return ["ask", "deny"].contains(text)
        case "always", "change_input": return ["yes", "no"].contains(text)
        case "devices":
            return !value.isEmpty
                && value.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || "_.:,-".utf8.contains($0) }
        case "messages": return ["on", "off"].contains(text)
        case "quiet":
            let times = text.split(separator: "-", omittingEmptySubsequences: false)
            return value.count == 11 && times.count == 2 && times.allSatisfy(isTime)
        default: return nil
        }
    }

    private static func isTime(_ text: Substring) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ digits[$0].isASCIIDigit })
        else { return false }
        let hours = Int(digits[0] - 48) * 10 + Int(digits[1] - 48)
        return hours < 24 && digits[3] < UInt8(ascii: "6")
    }

    /// The first rule for this tool, project and risk.
    func rule(tool: [UInt8], risk: ToolRisk, project: [UInt8], home: [UInt8]) -> Rule? {
        rules.first { rule in
            guard rule["messages"] == nil else { return false }
            if let tools = rule["tool"], !TextPattern.matchesAny(tool, tools) { return false }
            if let risks = rule["risk"], !TextPattern.matchesAny(Array(risk.rawValue.utf8), risks) { return false }
            guard let projects = rule["project"] else { return true }
            return TextPattern.matchesAnyProject(project, projects, home: home)
        }
    }

    /// Whether devices may send messages to a session of this project.
    package func allowsMessages(project: String, home: String) -> Bool {
        guard flaw == nil else { return false }
        let rule = rules.first { rule in
            guard rule["messages"] != nil else { return false }
            guard let projects = rule["project"] else { return true }
            return TextPattern.matchesAnyProject(Array(project.utf8), projects, home: Array(home.utf8))
        }
        return rule?.text("messages") != "off"
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 32) }
}
