import EventModel
import JSON
import Testing

@testable import Interaction

struct HeldContentTests {
    private let bash = #"{"tool_name":"Bash","tool_input":{"command":"npm test"}}"#
    private let edit =
        #"{"tool_name":"Edit","tool_input":{"file_path":"/p/a.swift","old_string":"a","new_string":"b"}}"#

    @Test("the policy's words")
    func policy() {
        let policy = HoldPolicy("always=yes devices=3,phone who=answer nonsense")
        #expect(policy.terms.allowsAlways && !policy.terms.allowsChangedInput && policy.terms.after == .ask)
        let strict = HoldPolicy("who=answer hold=600 after=deny always=no change_input=yes").terms
        #expect(!strict.allowsAlways && strict.allowsChangedInput && strict.after == .deny)
        #expect(policy.allows(device: ("3", "tablet")) && policy.allows(device: ("9", "phone")))
        #expect(!policy.allows(device: ("9", "tablet")) && !policy.allows(device: nil))
        #expect(HoldPolicy("").allows(device: nil))
    }

    @Test("the address that an elicitation asks a person to open")
    func address() {
        let asked = Array(#"{"hook_event_name":"Elicitation","mode":"url","url":"https://example.com/a?b=c"}"#.utf8)
        #expect(HeldContent(sent: asked, shown: asked).shown?.url == "https://example.com/a?b=c")
        let call = Array(#"{"hook_event_name":"PermissionRequest","url":"https://example.com"}"#.utf8)
        #expect(HeldContent(sent: call, shown: call).shown?.url == nil)
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
}
