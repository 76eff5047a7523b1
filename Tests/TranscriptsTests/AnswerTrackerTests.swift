import EventModel
import JSON
import Testing

@testable import Transcripts

/// Reads lines one after another and gives each answer's line a number: the same one for lines of one answer.
private func answers(_ lines: [String], stored: Bool = false) -> [Int] {
    var tracker = AnswerTracker()
    var keys: [String] = []
    var numbers: [Int] = []
    let parser = JSONParser()
    for (place, text) in lines.enumerated() {
        if stored { tracker = AnswerTracker(stored: tracker.stored) }
        let line = try? parser.withDocument(Array(text.utf8)) { TranscriptLine($0) }
        guard let line else { continue }
        guard let request = line.request else {
            tracker.take(line)
            continue
        }
        let name = tracker.name(of: request, in: line, place: "line \(place)")
        let key = "\(request.requestID ?? "") \(request.messageID ?? "") \(name ?? "")"
        if !keys.contains(key) { keys.append(key) }
        numbers.append((keys.firstIndex(of: key) ?? -1) + 1)
    }
    return numbers
}

private func prompt(_ turn: String? = nil, text: String = "go", more: String = "") -> String {
    let name = turn.map { #","promptId":"\#($0)""# } ?? ""
    return #"{"type":"user","uuid":"\#(text)","message":{"content":"\#(text)"}\#(name)\#(more)}"#
}

private func result(_ turn: String? = nil) -> String {
    #"{"type":"user","message":{"content":[{"type":"tool_result"}]}\#(turn.map { #","promptId":"\#($0)""# } ?? "")}"#
}

private func block(_ ids: (String?, String?), prompt: Int, index: Int? = nil, side: Bool = false) -> String {
    let request = ids.0.map { #","requestId":"\#($0)""# } ?? ""
    let message = ids.1.map { #","id":"\#($0)""# } ?? ""
    let place = index.map { #","apiBlockIndex":\#($0)"# } ?? ""
    return #"{"type":"assistant","isSidechain":\#(side)\#(request)\#(place),"message":{"model":"m"\#(message),"#
        + #""usage":{"input_tokens":\#(prompt),"output_tokens":5}}}"#
}

@Suite("Answers in a transcript")
struct AnswerTrackerTests {
    private static let same: [(String?, String?)] = [("r", "m"), (nil, "m"), ("r", nil), (nil, nil)]

    @Test("blocks of one answer are one, also with results of tools between them", arguments: same)
    func blocks(ids: (String?, String?)) {
        let lines = [prompt(), block(ids, prompt: 9, index: 0), block(ids, prompt: 9, index: 1), result()]
        #expect(answers(lines + [block(ids, prompt: 9, index: 2)]) == [1, 1, 1])
        #expect(answers([prompt(), block(ids, prompt: 9), result(), block(ids, prompt: 9)]) == [1, 1])
    }

    @Test("ids that do not change join no answers", arguments: same)
    func repeated(ids: (String?, String?)) {
        let turns = [prompt(text: "a"), block(ids, prompt: 9), prompt(text: "b"), block(ids, prompt: 9)]
        let tools = [result(), block(ids, prompt: 12), block(ids, prompt: 12)]
        for stored in [false, true] { #expect(answers(turns + tools, stored: stored) == [1, 2, 3, 3]) }
    }

    @Test("a block that begins anew begins an answer, and the client's name of the turn counts")
    func marks() {
        let ids: (String?, String?) = ("r", "m")
        #expect(answers([prompt(), block(ids, prompt: 9, index: 0), block(ids, prompt: 9, index: 0)]) == [1, 2])
        #expect(answers([prompt("1"), block(ids, prompt: 9), result("1"), block(ids, prompt: 9)]) == [1, 1])
        #expect(answers([prompt("1"), block(ids, prompt: 9), prompt("2"), block(ids, prompt: 9)]) == [1, 2])
    }

    @Test("a gateway that begins to count anew in each turn names other answers")
    func counted() {
        for id in [nil, "r"] {
            let lines = [
                prompt(text: "a"), block((id, "1"), prompt: 9), result(), block((id, "2"), prompt: 12),
                prompt(text: "b"), block((id, "1"), prompt: 15), result(), block((id, "2"), prompt: 18),
            ]
            #expect(answers(lines) == [1, 2, 3, 4])
        }
    }

    @Test("what the client writes by itself ends no answer")
    func notes() {
        for note in ["<local-command-stdout>", "<bash-input>", "[Request interrupted by user]"] {
            let lines = [prompt(), block((nil, "m"), prompt: 9), prompt(text: note), block((nil, "m"), prompt: 9)]
            #expect(answers(lines) == [1, 1])
        }
        let meta = prompt(text: "caveat", more: #","isMeta":true"#)
        #expect(answers([prompt(), block((nil, "m"), prompt: 9), meta, block((nil, "m"), prompt: 9)]) == [1, 1])
    }

    @Test("a subagent in the same file does not end an answer, and its answers are others", arguments: same)
    func sides(ids: (String?, String?)) {
        let main = block(ids, prompt: 9)
        let side = block(ids, prompt: 3, side: true)
        #expect(answers([prompt(), main, side, main, side]) == [1, 2, 1, 2])
    }
}
