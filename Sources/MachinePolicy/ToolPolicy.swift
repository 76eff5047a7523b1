/// The file `tools.policy`: which calls of remote MCP servers' tools are made, and who is asked before. Its lines are
/// those of the approvals file, with `server=`, `caller=` and `ask=`. The first line that matches applies.
package struct ToolPolicy: Sendable, Equatable {
    package struct Call: Sendable {
        package var server: String
        package var tool: String
        /// The name of the principal in the audit log.
        package var caller: String

        package init(server: String, tool: String, caller: String) {
            (self.server, self.tool, self.caller) = (server, tool, caller)
        }
    }

    package enum Verdict: Sendable, Equatable {
        /// A person is asked. `seconds` is how long the person has; `nil` if the file does not say. `words` say who
        /// may answer, in the form of a hook's policy.
        case ask(seconds: Double?, words: String)
        /// The call is made without asking.
        ///
        /// - Parameter line: of the file.
        case allow(line: Int)
        /// The call is not made.
        case refuse(reason: String)
    }

    private struct Rule: Sendable, Equatable {
        var number: Int
        var values: [String: [UInt8]]

        func matches(_ key: String, _ subject: String) -> Bool {
            values[key].map { TextPattern.matchesAny(Array(subject.utf8), $0) } ?? true
        }

        func text(_ key: String) -> String? { values[key].map { String(decoding: $0, as: UTF8.self) } }
    }

    private var rules: [Rule] = []
    /// Why the file is not valid. Then no call is made.
    package private(set) var flaw: FileFlaw?

    /// No file: a person is asked about each call.
    package static let absent = ToolPolicy()
    package static let unreadable = ToolPolicy(flaw: FileFlaw("it cannot be read"))

    private init(flaw: FileFlaw? = nil) { self.flaw = flaw }

    package init(_ text: [UInt8]) {
        do throws(FileFlaw) {
            guard !text.contains(0) else { throw FileFlaw("it has a NUL") }
            rules = try RuleLine.lines(of: text, isValid: ToolPolicy.isValid).map { line in
                Rule(number: line.number, values: Dictionary(line.words.map { ($0.key, $0.value) }) { $1 })
            }
        } catch {
            flaw = error
        }
    }

    private static func isValid(_ key: String, _ value: [UInt8]) -> Bool? {
        let text = String(decoding: value, as: UTF8.self)
        switch key {
        case "server", "tool", "caller": return TextPattern.parts(value).allSatisfy { !$0.isEmpty }
        case "who": return ["off", "answer"].contains(text)
        case "ask": return ["yes", "no"].contains(text)
        case "hold": return (1...5).contains(value.count) && value.allSatisfy(\.isASCIIDigit)
        case "devices":
            return !value.isEmpty
                && value.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || "_.:,-".utf8.contains($0) }
        default: return nil
        }
    }

    /// - Parameter isHarmless: the server says that the tool only reads, and a person believes this server.
    package func verdict(on call: Call, isHarmless: Bool) -> Verdict {
        if let flaw { return .refuse(reason: "The file tools.policy is not valid: \(flaw.reason)") }
        let rule = rules.first { rule in
            rule.matches("server", call.server) && rule.matches("tool", call.tool)
                && rule.matches("caller", call.caller)
        }
        guard let rule else { return isHarmless ? .allow(line: 0) : .ask(seconds: nil, words: "") }
        if rule.text("who") == "off" {
            return .refuse(reason: "Line \(rule.number) of the file tools.policy does not allow the call.")
        }
        switch rule.text("ask") {
        case "no": return .allow(line: rule.number)
        case nil where isHarmless: return .allow(line: 0)
        default: break
        }
        let words = rule.text("devices").map { "devices=\($0)" } ?? ""
        return .ask(seconds: rule.text("hold").flatMap { Double($0) }, words: words)
    }
}
