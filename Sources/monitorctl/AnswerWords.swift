import ArgumentParser
import Foundation

/// The options of `monitorctl answer`, and the request body that they make.
struct AnswerWords: ParsableArguments {
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case once, session, always
    }

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case `default`, acceptEdits
    }

    @Option(help: "How long an 'allow' applies.")
    var scope: Scope?

    @Option(help: "The message to Claude with a 'deny'.")
    var message: String?

    @Flag(help: "With 'deny': end the turn.")
    var interrupt = false

    @Option(help: "QUESTION=ANSWER; may be repeated, also for several labels of one question.")
    var answers: [String] = []

    @Option(help: "QUESTION=NOTE, in addition to an answer; may be repeated.")
    var notes: [String] = []

    @Option(help: "With 'allow' of a plan: the mode in which Claude continues.")
    var mode: Mode?

    @Option(help: "With 'allow' of a plan: the edited text of the plan.")
    var plan: String?

    @Option(name: .customLong("input"), help: "With 'allow': the tool's changed input, a JSON object.")
    var updatedInput: String?

    @Option(help: "With 'accept' of a form: its content, a JSON object.")
    var content: String?

    @Option(help: "A suggestion of Claude Code to accept, such as setMode or addDirectories; may be repeated.")
    var permissions: [String] = []

    @Option(help: "The body of the answer, a JSON object. The other options add to it.")
    var body: String?

    var isEmpty: Bool { answers.isEmpty && body == nil }

    /// - Parameter questions: the questions of the prompt.
    func members(asked questions: [String] = []) throws -> [String: Any] {
        var members = try body.map { try AnswerWords.object($0, "--body") } ?? [:]
        if let scope { members["scope"] = scope.rawValue }
        if let message { members["message"] = message }
        if interrupt { members["interrupt"] = true }
        if let mode { members["mode"] = mode.rawValue }
        if let plan { members["plan"] = plan }
        if let updatedInput { members["updated_input"] = try AnswerWords.object(updatedInput, "--input") }
        if let content { members["content"] = try AnswerWords.object(content, "--content") }
        if !permissions.isEmpty { members["permissions"] = permissions }
        if !answers.isEmpty {
            members["answers"] = try AnswerWords.pairs(answers, questions, "--answers").mapValues { labels -> Any in
                labels.count == 1 ? labels[0] : labels
            }
        }
        if !notes.isEmpty {
            members["notes"] = try AnswerWords.pairs(notes, questions, "--notes").mapValues {
                $0.joined(separator: "\n")
            }
        }
        return members
    }

    /// Splits each word at its equals sign. A question of the prompt may contain one itself.
    private static func pairs(
        _ texts: [String],
        _ questions: [String],
        _ option: String
    ) throws -> [String: [String]] {
        var pairs: [String: [String]] = [:]
        for text in texts {
            let asked = questions.first { text.hasPrefix($0 + "=") }
            guard let question = asked ?? text.firstIndex(of: "=").map({ String(text[..<$0]) }), !question.isEmpty
            else { throw ValidationError("\(option) is QUESTION=TEXT") }
            pairs[question, default: []].append(String(text.dropFirst(question.count + 1)))
        }
        return pairs
    }

    private static func object(_ text: String, _ option: String) throws -> [String: Any] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw ValidationError("\(option) must be a JSON object")
        }
        return object
    }
}
