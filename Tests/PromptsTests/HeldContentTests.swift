import EventModel
import JSON
import Testing

@testable import Prompts

struct HeldContentTests {
    private let bash = #"{"tool_name":"Bash","tool_input":{"command":"npm test"}}"#
    private let edit =
        #"{"tool_name":"Edit","tool_input":{"file_path":"/p/a.swift","old_string":"a","new_string":"b"}}"#

    @Test("the policy's words")
    func policy() {
        let policy = HoldPolicy("always=yes devices=3,phone,operators who=answer nonsense")
        #expect(policy.terms.allowsAlways && !policy.terms.allowsChangedInput && policy.terms.after == .ask)
        let strict = HoldPolicy("who=answer hold=600 after=deny always=no change_input=yes").terms
        #expect(!strict.allowsAlways && strict.allowsChangedInput && strict.after == .deny)
        #expect(policy.allows(device: "3") && !policy.allows(device: "9") && !policy.allows(device: nil))
        #expect(HoldPolicy("devices=operator").allows(device: nil))
        #expect(HoldPolicy("").allows(device: nil) && HoldPolicy("").allows(device: "9"))
    }

    @Test("the address that an elicitation asks a person to open")
    func address() {
        let asked = Array(#"{"hook_event_name":"Elicitation","mode":"url","url":"https://example.com/a?b=c"}"#.utf8)
        #expect(HeldContent(sent: asked, shown: asked).shown?.url == "https://example.com/a?b=c")
        let call = Array(#"{"hook_event_name":"PermissionRequest","url":"https://example.com"}"#.utf8)
        #expect(HeldContent(sent: call, shown: call).shown?.url == nil)
    }

    @Test(
        "the members that people see masked, as JSON Pointers",
        arguments: [
            (#"{"command":"a b"}"#, #"{"command":"a b"}"#, []),
            (#"{"command":"a b","n":1}"#, #"{"command":"a ***","n":1}"#, ["/command"]),
            (#"{"a/b~c":{"x":["1","k"]}}"#, #"{"a/b~c":{"x":["1","***"]}}"#, ["/a~1b~0c/x/1"]),
            (#"{"key":5,"b":"x"}"#, #"{"key":"***","b":"x"}"#, ["/key"]),
            (#"{"sk-1":"v"}"#, #"{"sk-***":"v"}"#, ["/sk-***"]),
            (#""a""#, #""***""#, [""]),
            // A slash before a combining accent.
            (#"{"/\#u{301}a":"k"}"#, #"{"/\#u{301}a":"***"}"#, ["/~1\u{301}a"]),
        ]
    )
    func maskedMembers(sent: String, shown: String, pointers: [String]) {
        let hook = { (input: String) in Array(#"{"tool_name":"Bash","tool_input":\#(input)}"#.utf8) }
        let content = HeldContent(sent: hook(sent), shown: hook(shown))
        #expect(content.maskedMembers == pointers && content.shown?.masked == pointers)
        #expect(content.revealed?.toolInput.map { String(decoding: $0, as: UTF8.self) } == sent)
    }

    @Test("what is masked outside the input, or in very many members, counts as the whole input")
    func maskedElsewhere() {
        let call = #"{"tool_name":"Bash","tool_input":{},"permission_suggestions":["a"]}"#
        let content = HeldContent(sent: Array(call.utf8), shown: Array(call.replacing("\"a\"", with: "\"***\"").utf8))
        #expect(content.maskedMembers == [""])
        let many = (0..<100).map { #""m\#($0)":"secret""# }.joined(separator: ",")
        let sent = #"{"tool_input":{\#(many)}}"#
        let all = HeldContent(sent: Array(sent.utf8), shown: Array(sent.replacing("secret", with: "***").utf8))
        #expect(all.maskedMembers == [""])
    }

    @Test("what is asked and is too large is not shown, and text that hides a secret is")
    func content() {
        let large =
            Array(#"{"tool_name":"Bash","tool_input":{"command":""#.utf8)
            + [UInt8](repeating: UInt8(ascii: "x"), count: HeldContent.maximumShownBytes) + Array(#""}}"#.utf8)
        let content = HeldContent(sent: large, shown: large)
        #expect(!content.isWhole && content.shown?.isTruncated == true && content.shown?.toolInput == nil)
        let masked = HeldContent(sent: Array(bash.utf8), shown: Array(edit.utf8))
        #expect(masked.shown?.toolInput.map { String(decoding: $0, as: UTF8.self) }?.contains("a.swift") == true)
        #expect(masked.hook["tool_name"]?.string == "Bash" && masked.isWhole)
        let hidden = HeldContent(sent: Array(bash.utf8), shown: nil)
        #expect(hidden.shown == nil && hidden.isWhole)
    }

    @Test("what cannot be revealed whole cannot be allowed")
    func largeSecret() {
        let secret = String(repeating: "a", count: HeldContent.maximumShownBytes)
        let sent = Array(#"{"tool_input":{"token":"\#(secret)","then":"x"}}"#.utf8)
        let content = HeldContent(sent: sent, shown: Array(#"{"tool_input":{"token":"[masked]","then":"x"}}"#.utf8))
        #expect(!content.isWhole)
        #expect(content.shown?.isTruncated == true)
        #expect(content.revealed?.isTruncated == true)
    }
}
