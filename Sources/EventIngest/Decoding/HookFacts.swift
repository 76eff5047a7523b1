internal import EventModel
internal import JSON
internal import Masking

/// Reads the members from which the session state is derived.
enum HookFacts {
    /// - Parameter project: the project's directory, if known.
    static func facts(
        of hook: JSONElement,
        event: HookEventName?,
        policy: ContentPolicy,
        project: String? = nil
    ) -> SessionFacts {
        let usage = hook["usage"] ?? hook["token_usage"]
        var facts = SessionFacts(
            toolUseID: word(hook["tool_use_id"]),
            toolInputHash: hook["tool_input"].map(InputHash.of),
            agentID: word(hook["agent_id"]),
            agentType: word(hook["agent_type"]),
            permissionMode: word(hook["permission_mode"]),
            model: model(of: hook, event: event?.known),
            title: policy == .none ? nil : title(of: hook),
            detail: detail(of: hook, event: event?.known),
            promptIsInjected: event?.known == .userPromptSubmit && isInjected(hook),
            usage: usage.flatMap(tokenUsage),
            costUSD: (hook["total_cost_usd"]?.double).flatMap { $0.isFinite && $0 >= 0 ? min($0, 1e9) : nil }
        )
        if event?.known == .postToolUseFailure, hook["is_interrupt"]?.bool != true {
            facts.errorHash = (hook["error"] ?? hook["tool_response"]).map(InputHash.of)
        }
        facts.risk = HookRisk.risk(of: hook, event: event?.known, project: project ?? "")
        return facts
    }

    /// Returns a masked string of at most 200 bytes. Longer strings are not names and give `nil`.
    static func word(_ element: JSONElement?) -> String? {
        guard let element, let length = element.utf8Count, length <= 200 else { return nil }
        return element.maskedString
    }

    /// Like `word`, without invisible characters and those that reorder others.
    static func name(_ element: JSONElement?) -> String? {
        guard let word = word(element) else { return nil }
        if word.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return word }
        let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        let seen = word.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
        return String(String.UnicodeScalarView(seen))
    }

    private static func model(of hook: JSONElement, event: HookEventName.Known?) -> String? {
        switch event {
        case .sessionStart: word(hook["model"])
        case .postModelSwitch: word(hook["to_model"])
        default: nil
        }
    }

    private static func title(of hook: JSONElement) -> String? {
        var line = SummaryLine()
        return line.append(hook["session_title"], firstLineOnly: true) ? line.finished() : nil
    }

    private static func detail(of hook: JSONElement, event: HookEventName.Known?) -> String? {
        switch event {
        case .sessionStart: word(hook["source"])
        case .sessionEnd: word(hook["reason"])
        case .notification: word(hook["notification_type"]) ?? notificationType(hook["message"])
        case .stopFailure: word(hook["error"])
        default: nil
        }
    }

    private static func notificationType(_ message: JSONElement?) -> String? {
        message?.string.flatMap(NotificationType.type(ofMessage:))
    }

    private static func isInjected(_ hook: JSONElement) -> Bool {
        let source = hook["source"]?.string
        return hook["prompt"]?.withUTF8 { InjectedPrompt.isInjected($0, source: source) }
            ?? InjectedPrompt.isInjected("", source: source)
    }

    private static func tokenUsage(_ usage: JSONElement) -> TokenUsage? {
        func tokens(_ names: StaticString...) -> Int64? {
            for name in names {
                if let count = usage[name]?.integer, count >= 0 { return count }
            }
            return nil
        }
        let input = tokens("input_tokens")
        let output = tokens("output_tokens")
        let cacheRead = tokens("cache_read_input_tokens", "cache_read_tokens")
        let cacheCreation = tokens("cache_creation_input_tokens", "cache_creation_tokens")
        guard input != nil || output != nil || cacheRead != nil || cacheCreation != nil else { return nil }
        return TokenUsage(
            input: input ?? 0,
            output: output ?? 0,
            cacheRead: cacheRead ?? 0,
            cacheCreation: cacheCreation ?? 0
        )
    }
}
