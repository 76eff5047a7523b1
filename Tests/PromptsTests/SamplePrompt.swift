import JSON
import Sessions
import Testing

/// A prompt as stored in its row.
enum SamplePrompt {
    static func open(kind: Prompt.Kind = .permission, _ more: String = "") throws -> Prompt {
        let text = """
            {"event":"018f0000-0000-7000-8000-0000000000aa","seq":7,"opened":1700000000000000,"session":"s",\
            "machine":1,"kind":"\(kind.rawValue)","source":"call","tool":"Bash","tool_use_id":"toolu_1","title":"Bash",\
            "detail":"ls","state":"open"\(more)}
            """
        return try #require(Prompt(stored: try JSONValue.parse(Array(text.utf8))))
    }
}
