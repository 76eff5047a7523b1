internal import EventModel
package import JSON
package import Sessions

/// The content of a hook's request. The unmasked form stays in memory and is never stored or shown.
package struct HeldContent: Sendable, Equatable {
    /// The maximum bytes of the content that people are shown. A larger request can only be refused.
    package static let maximumShownBytes = 256 << 10

    /// The relevant members of the hook's object, as sent. They may contain secrets.
    private let sent: [UInt8]
    /// The same members with secrets masked; `nil` if nothing is masked.
    private let masked: [UInt8]?
    /// JSON Pointers into the tool's input: the values that people see masked. Empty if nothing is masked.
    package let maskedMembers: [String]
    /// Whether the content policy hides the request.
    private let isHidden: Bool
    /// Whether parts of the request are lost.
    private let isCut: Bool

    /// - Parameter shown: `nil` if the content policy hides it.
    package init(sent: [UInt8], shown: [UInt8]?) {
        self.sent = sent
        masked = shown == sent ? nil : shown
        isHidden = shown == nil
        isCut = false
        maskedMembers = HeldContent.maskedMembers(sent, masked)
    }

    /// Content that is read from the log, for a server that did not receive the request itself. A request that the log
    /// masks or cuts can only be refused.
    ///
    /// - Parameter isWhole: nothing of it is masked or cut.
    package init(stored payload: [UInt8], isWhole: Bool) {
        (sent, masked, maskedMembers) = (payload, nil, isWhole ? [] : StoredContent.maskedMembers(payload))
        (isHidden, isCut) = (false, !isWhole)
    }

    /// Names the whole input if something else that a person decides by is masked, such as a suggested rule.
    private static func maskedMembers(_ sent: [UInt8], _ masked: [UInt8]?) -> [String] {
        guard let masked else { return [] }
        let hooks = [sent, masked].map { try? JSONValue.parse($0, maxDepth: 200) }
        let members = MaskedMembers.pointers(hooks[0]?["tool_input"], shownAs: hooks[1]?["tool_input"])
        return members.isEmpty ? [""] : members
    }

    package var bytes: Int { sent.count + (masked?.count ?? 0) }

    /// The hook's object, unmasked.
    package var hook: JSONValue { (try? JSONValue.parse(sent, maxDepth: 200)) ?? .object([]) }

    /// The hook's object as people see it; `nil` if nothing is masked.
    var maskedHook: JSONValue? { masked.flatMap { try? JSONValue.parse($0, maxDepth: 200) } }

    /// The content that people see.
    package var shown: PromptContent? {
        guard !isHidden else { return nil }
        var content = PromptContent(hook: masked ?? sent, maximumBytes: HeldContent.maximumShownBytes)
        content.masked = maskedMembers
        content.isTruncated = content.isTruncated || !isWhole
        return content
    }

    /// The same content with nothing masked.
    var revealed: PromptContent? {
        isHidden || isCut ? nil : PromptContent(hook: sent, maximumBytes: HeldContent.maximumShownBytes)
    }

    /// Whether a person who answers has seen the whole request, or all that the content policy shows to anybody.
    /// The unmasked form counts too: who reveals it must get all of it.
    package var isWhole: Bool {
        isHidden || !isCut && max(sent.count, masked?.count ?? 0) <= HeldContent.maximumShownBytes
    }
}

extension PromptContent {
    /// - Parameter hook: a hook's object, with secrets masked.
    package init(hook: [UInt8], maximumBytes: Int) {
        self.init()
        guard hook.count <= maximumBytes, let object = try? JSONValue.parse(hook, maxDepth: 200) else {
            isTruncated = true
            return
        }
        let input = object["tool_input"]
        toolInput = input.map(PromptContent.text)
        suggestions = object["permission_suggestions"].flatMap { $0.array == nil ? nil : PromptContent.text($0) }
        switch object["tool_name"]?.string {
        case "AskUserQuestion": questions = input?["questions"].map(PromptContent.text)
        case "ExitPlanMode": plan = input?["plan"]?.string
        default: break
        }
        schema = object["requested_schema"].map(PromptContent.text)
        if object["hook_event_name"]?.string == "Elicitation" { url = object["url"]?.string }
    }

    var bytes: Int {
        [toolInput, questions, schema, suggestions].reduce(plan?.utf8.count ?? 0) { $0 + ($1?.count ?? 0) }
    }

    private static func text(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }
}
