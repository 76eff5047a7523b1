internal import EventModel
internal import JSON

/// Tells the answers of models in one transcript apart, whatever their ids.
///
/// An answer has one line for each of its blocks, with the same ids and the same prompt. Some gateways leave ids out,
/// or give all answers the same ones. Then a prompt of the person, a result with another prompt after it, or a block
/// that begins anew ends an answer. The lines of a file are read in order, from its beginning; what is known after a
/// piece is stored with the file.
struct AnswerTracker: Equatable, Sendable {
    /// The main agent, or the subagents that older clients wrote to the same file.
    private struct Chain: Equatable {
        var turn: String?
        var last: Answer?
    }

    private struct Answer: Equatable {
        var requestID: String?
        var messageID: String?
        /// Tokens of the prompt.
        var prompt: Int64
        var block: Int64?
        var line: String?
        var name: String?
        /// What has come since its last line.
        var gap = Gap.nothing
    }

    private enum Gap: Int64 {
        case nothing
        case result
        case prompt
    }

    private var main = Chain()
    private var side = Chain()

    init() {}

    /// Reads a line that is no answer.
    mutating func take(_ line: TranscriptLine) {
        guard let input = line.input else { return }
        change(line) { chain in
            let turn = input.turn ?? (input.isPrompt ? line.uuid : nil)
            let isNewTurn = input.turn.map { $0 != chain.turn } ?? input.isPrompt
            if let turn { chain.turn = turn }
            let gap = isNewTurn ? Gap.prompt : .result
            if gap.rawValue > chain.last?.gap.rawValue ?? 0 { chain.last?.gap = gap }
        }
    }

    /// Returns the name that tells the answer of a line from other answers with the same ids; `nil` if its ids are
    /// enough.
    ///
    /// - Parameter place: the name of the line itself, which is the same in each copy of it.
    mutating func name(of request: RequestUsage, in line: TranscriptLine, place: String) -> String? {
        let other = line.isSide ? main.last : side.last
        return change(line) { chain in
            var answer = Answer(
                requestID: request.requestID,
                messageID: request.messageID,
                prompt: request.tokens.prompt,
                block: line.block,
                line: line.uuid
            )
            let isRepeated = chain.last.map { AnswerTracker.haveSameIDs($0, answer) } ?? false
            // A copy of an answer has the same prompt.
            let isOfBoth = other.map { AnswerTracker.haveSameIDs($0, answer) && $0.prompt != answer.prompt } ?? false
            if let last = chain.last, isRepeated, AnswerTracker.goesOn(last, with: answer) {
                answer.name = last.name
            } else if isRepeated || isOfBoth || request.requestID == nil && request.messageID == nil {
                answer.name = place
            } else if request.requestID == nil || request.requestID == chain.last?.requestID {
                // Only the message ids differ. A gateway that counts its answers may begin again in another turn.
                answer.name = chain.turn
            }
            chain.last = answer
            return answer.name
        }
    }

    private mutating func change<Result>(_ line: TranscriptLine, _ body: (inout Chain) -> Result) -> Result {
        line.isSide ? body(&side) : body(&main)
    }

    private static func haveSameIDs(_ one: Answer, _ other: Answer) -> Bool {
        one.requestID == other.requestID && one.messageID == other.messageID
    }

    private static func goesOn(_ last: Answer, with next: Answer) -> Bool {
        if last.line != nil, last.line == next.line { return true }
        if let block = last.block, let nextBlock = next.block, nextBlock <= block { return false }
        switch last.gap {
        case .nothing: return true
        // A client that runs tools while the answer is arriving writes results between its blocks.
        case .result: return last.prompt == next.prompt
        case .prompt: return false
        }
    }
}

/// The stored text: a JSON array of two chains, each with its turn and its last answer.
extension AnswerTracker {
    var stored: String {
        var writer = JSONWriter()
        writer.beginArray()
        for chain in [main, side] {
            writer.beginObject()
            writer.field("turn", chain.turn)
            if let last = chain.last {
                writer.field("request", last.requestID)
                writer.field("message", last.messageID)
                writer.field("prompt", last.prompt)
                writer.field("block", last.block)
                writer.field("line", last.line)
                writer.field("name", last.name)
                writer.field("gap", last.gap.rawValue)
            }
            writer.endObject()
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Text that `stored` does not produce is the beginning of a file.
    init(stored: String?) {
        guard let stored, let chains = try? JSONValue.parse(Array(stored.utf8)), let parts = chains.array,
            parts.count == 2
        else { return }
        (main, side) = (AnswerTracker.chain(parts[0]), AnswerTracker.chain(parts[1]))
    }

    private static func chain(_ json: JSONValue) -> Chain {
        var chain = Chain(turn: json["turn"]?.string)
        guard let prompt = json["prompt"]?.integer else { return chain }
        chain.last = Answer(
            requestID: json["request"]?.string,
            messageID: json["message"]?.string,
            prompt: prompt,
            block: json["block"]?.integer,
            line: json["line"]?.string,
            name: json["name"]?.string,
            gap: json["gap"]?.integer.flatMap(Gap.init(rawValue:)) ?? .nothing
        )
        return chain
    }
}
