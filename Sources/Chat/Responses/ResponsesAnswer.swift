internal import EventModel
internal import HTTPModel
internal import JSON

/// Writes the answer to one request of the Responses API: whole, or as events.
struct ResponsesAnswer: ChatStreamAnswer {
    private let id: String
    private let created: Int64
    private var model: String?
    private let echoed: [(String, JSONValue)]
    private let sampling: ChatSampling
    private var sequence: Int64 = 0
    /// What was sent of the answer's message.
    private var text = ""
    private var hasMessage = false
    private var isOpen = false

    init(_ answer: ChatAnswer, _ request: ResponsesRequest, _ sampling: ChatSampling) {
        (created, model, echoed) = (answer.created, answer.model, request.echoed)
        self.sampling = sampling
        id = String(answer.id.dropFirst("chatcmpl-".count))
    }

    // MARK: Whole

    func whole(_ text: String, _ result: ChatResult) -> [UInt8] {
        var writer = JSONWriter(reserving: text.utf8.count + 512)
        writer.value(response(text, result))
        return writer.bytes
    }

    /// - Parameter result: `nil` while the answer is written.
    private func response(_ text: String, _ result: ChatResult?) -> JSONValue {
        let reason = result.flatMap { ResponsesAnswer.incomplete[$0.finishReason] }
        let status = result == nil ? "in_progress" : reason == nil ? "completed" : "incomplete"
        var members: [(String, JSONValue)] = [
            ("id", .string("resp_" + id)), ("object", .string("response")), ("created_at", .integer(created)),
            ("status", .string(status)), ("error", .null),
            ("incomplete_details", reason.map { JSONValue.object([("reason", .string($0))]) } ?? .null),
            ("model", .string(result?.model ?? model ?? "claude")),
            ("output", .array(result.map { output(text, $0, status) } ?? [])), ("parallel_tool_calls", .bool(true)),
            ("previous_response_id", .null), ("store", .bool(false)),
            ("temperature", sampling.temperature.map(JSONValue.number) ?? .null),
            ("top_p", sampling.topP.map(JSONValue.number) ?? .null),
            ("truncation", .string("disabled")), ("usage", result?.usage?.ofResponses ?? .null),
        ]
        let usual: [(String, JSONValue)] = [
            ("instructions", .null), ("tools", .array([])), ("tool_choice", .string("auto")),
            ("metadata", .object([])), ("text", .object([("format", .object([("type", .string("text"))]))])),
            ("max_output_tokens", .null),
        ]
        for (name, value) in usual { members.append((name, echoed.first { $0.0 == name }?.1 ?? value)) }
        return .object(members)
    }

    private static let incomplete = ["length": "max_output_tokens", "content_filter": "content_filter"]

    private func output(_ text: String, _ result: ChatResult, _ status: String) -> [JSONValue] {
        let message = text.isEmpty && !result.calls.isEmpty ? [] : [self.message(text, status)]
        return message + result.calls.map { ResponsesAnswer.item($0) }
    }

    private var messageID: String { "msg_" + id }

    private func message(_ text: String?, _ status: String) -> JSONValue {
        .object([
            ("id", .string(messageID)), ("type", .string("message")), ("role", .string("assistant")),
            ("status", .string(status)),
            ("content", .array(text.map { [ResponsesAnswer.part($0)] } ?? [])),
        ])
    }

    private static func part(_ text: String) -> JSONValue {
        .object([
            ("type", .string("output_text")), ("text", .string(text)), ("annotations", .array([])),
            ("logprobs", .array([])),
        ])
    }

    private static func item(_ call: ChatFunctionCall, isDone: Bool = true) -> JSONValue {
        .object([
            ("id", .string("fc_" + call.id)), ("type", .string("function_call")), ("call_id", .string(call.id)),
            ("name", .string(call.name)), ("arguments", .string(isDone ? call.arguments : "")),
            ("status", .string(isDone ? "completed" : "in_progress")),
        ])
    }

    // MARK: As events

    mutating func write(_ news: ChatRun.News) -> [UInt8] {
        var bytes: [UInt8] = []
        if !isOpen, !news.isEmpty {
            isOpen = true
            model = news.model ?? model
            bytes = opening()
        }
        bytes += add(news.text)
        return bytes + (news.outcome.map { end($0) } ?? [])
    }

    private mutating func opening() -> [UInt8] {
        event("response.created", [("response", response("", nil))])
            + event("response.in_progress", [("response", response("", nil))])
    }

    private mutating func add(_ more: String) -> [UInt8] {
        guard !more.isEmpty else { return [] }
        var bytes: [UInt8] = []
        if !hasMessage {
            hasMessage = true
            bytes += event("response.output_item.added", [place, ("item", message(nil, "in_progress"))])
            bytes += event("response.content_part.added", ofPart + [("part", ResponsesAnswer.part(""))])
        }
        text += more
        return bytes
            + event("response.output_text.delta", ofPart + [("delta", .string(more)), ("logprobs", .array([]))])
    }

    private mutating func end(_ outcome: ChatOutcome) -> [UInt8] {
        switch outcome {
        case .finished(let result): return finished(result)
        case .failed(let error):
            let words: [(String, JSONValue)] = [
                ("code", .string(error.code)), ("message", .string(error.message)),
                ("param", error.param.map(JSONValue.string) ?? .null),
            ]
            // OpenAI's client raises what has this member, and takes a stream that just ends for a whole one.
            let object = JSONValue.object(words + [("type", .string(error.kind.rawValue))])
            return event("error", words + [("error", object)])
        }
    }

    private mutating func finished(_ result: ChatResult) -> [UInt8] {
        let reason = ResponsesAnswer.incomplete[result.finishReason]
        let status = reason == nil ? "completed" : "incomplete"
        var bytes: [UInt8] = []
        if hasMessage {
            bytes += event("response.output_text.done", ofPart + [("text", .string(text)), ("logprobs", .array([]))])
            bytes += event("response.content_part.done", ofPart + [("part", ResponsesAnswer.part(text))])
            bytes += event("response.output_item.done", [place, ("item", message(text, status))])
        }
        for (number, call) in result.calls.enumerated() {
            let index = ("output_index", JSONValue.integer(Int64(number + (hasMessage ? 1 : 0))))
            let item = ("item_id", JSONValue.string("fc_" + call.id))
            bytes += event(
                "response.output_item.added",
                [index, ("item", ResponsesAnswer.item(call, isDone: false))]
            )
            bytes += event(
                "response.function_call_arguments.delta",
                [item, index, ("delta", .string(call.arguments))]
            )
            bytes += event(
                "response.function_call_arguments.done",
                [item, index, ("name", .string(call.name)), ("arguments", .string(call.arguments))]
            )
            bytes += event("response.output_item.done", [index, ("item", ResponsesAnswer.item(call))])
        }
        return bytes + event("response.\(status)", [("response", response(text, result))])
    }

    private var place: (String, JSONValue) { ("output_index", .integer(0)) }

    private var ofPart: [(String, JSONValue)] {
        [("item_id", .string(messageID)), place, ("content_index", .integer(0))]
    }

    private mutating func event(_ type: String, _ members: [(String, JSONValue)]) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.value(
            .object([("type", .string(type)), ("sequence_number", .integer(sequence))] + members)
        )
        sequence += 1
        return Array("event: \(type)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
    }
}

extension ChatUsage {
    fileprivate var ofResponses: JSONValue {
        .object([
            ("input_tokens", .integer(promptTokens)),
            (
                "input_tokens_details",
                .object([
                    ("cached_tokens", .integer(tokens.cacheRead)), ("cache_write_tokens", .integer(tokens.cacheWrite)),
                ])
            ),
            ("output_tokens", .integer(tokens.output)),
            ("output_tokens_details", .object([("reasoning_tokens", .integer(0))])),
            ("total_tokens", .integer(promptTokens + tokens.output)),
            ("total_cost", cost.map(JSONValue.number) ?? .null),
        ])
    }
}
