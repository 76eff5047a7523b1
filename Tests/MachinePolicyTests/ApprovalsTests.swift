import EventModel
import Foundation
import JSON
import Testing

@testable import MachinePolicy

@Suite("The approvals file, read as the hooks read it")
struct ApprovalsTests {
    private static let files: [String?] = [
        nil, "", "# nothing\n\n", "tool=Bash who=off\ntool=Bash who=notify", "tool=Read who=off\ntool=Bash who=notify",
        "tool=Read,Ba* who=off", "risk=execute who=notify", "risk=read,edit who=notify", "project=/home/u/p who=off",
        "project=/home/u/p/ who=off", "project=/home/u who=off", "project=/home/u/pp who=off",
        "project=/home/*/p who=off", "project=~/p who=off", "project=~ who=notify", "project=/x,~/p// who=off",
        "# a comment\n\n  tool=Bash\twho=off # rest\r\n", "project=\"/home/u/p\" who=off",
        "project=\"/home/my work\",/home/u/p who=off", "project=\"/home/my work,/home/u/p\" who=off", "hold=60",
        "hold=99999", "hold=0", "hold=007", "after=deny", "always=yes", "change_input=yes", "devices=1,operator",
        "who=everybody", "tool=Bash who", "hold=-1", "hold=1e9", "hold=123456", "risk=everything", "risk=",
        "risk=,read",
        "color=red", "who=answer,off", "project=\"/x who=answer", "quiet=25:00-07:00", "quiet=07:00-7:30",
        "always=true",
        "devices=a;b", "who=answer\ngarbage", "tool=a,,b", "tool=\"\" who=off", "who=\"off\"x", "who=off who=notify",
        "messages=off", "messages=on who=off", "messages=off project=/home/u/p", "=x", "who=off#x", "who=off #x=y",
        "quiet=22:00-07:00", "quiet=00:00-23:59 after=deny", "quiet=12:00-12:01", "risk=delete who=notify",
        "tool=Bash who=notify", "tool=Bash risk=edit who=off", "tool=MultiEdit who=notify",
        "tool=B* risk=delete hold=0",
        "risk=delete devices=1", "devices=1\nrisk=delete devices=1", "risk=credentials who=notify\nalways=yes",
        "tool=*a*h always=yes", "tool=B**h who=off", "tool=*sh*h who=off", "tool=* who=off",
        "after=deny always=yes hold=5",
    ]

    private static let hooks: [JSONValue] = [
        permission("Bash", #"{"command":"npm test"}"#),
        permission("Bash", #"{"command":"rm -rf /x"}"#, #","agent_id":"a1""#),
        permission("Read", #"{"file_path":"/home/u/.ssh/id_rsa"}"#, cwd: "/home/u/p/x"),
        permission("ExitPlanMode", #"{"plan":"x"}"#, cwd: "/home/u/pp"),
        json(#"{"hook_event_name":"Elicitation","mcp_server_name":"m","cwd":"/home/u/p"}"#),
        permission("Bash", #"{"command":"ls","dangerouslyDisableSandbox":1}"#, cwd: "/"),
    ]

    private static func permission(
        _ tool: String,
        _ input: String,
        _ more: String = "",
        cwd: String = "/home/u/p"
    ) -> JSONValue {
        let head = #"{"hook_event_name":"PermissionRequest","tool_name":"\#(tool)","#
        return json(head + #""tool_input":\#(input),"cwd":"\#(cwd)"\#(more)}"#)
    }

    @Test("the words of each file and prompt are those of the hook")
    func words() throws {
        let reader = try HookReader()
        defer { reader.remove() }
        var compared = 0
        for (index, text) in ApprovalsTests.files.enumerated() {
            let file = text.map { Approvals(Array($0.utf8)) } ?? .absent
            // Each file with two of the prompts, the rules of permissions and projects with all.
            let isLong = text?.contains("project") == true || text?.contains("risk") == true
            for (number, hook) in ApprovalsTests.hooks.enumerated() where isLong || (index + number) % 3 == 0 {
                let headless = number == 2
                let now = number % 2 == 0 ? "23:30" : "12:00"
                let wanted = try reader.words(hook, approvals: text, headless: headless, now: now, home: "/home/u")
                let waiter = headless ? SettledRule.Waiter.headless : .terminal
                let rule = SettledRule(PromptCall(hook: hook), in: file, for: waiter, now: now, home: "/home/u")
                #expect(rule.words == wanted, "\(text ?? "no file") \(number)")
                compared += 1
            }
        }
        #expect(compared > 150)
    }

    @Test("a session of the agent waits, and quiet hours silence pushes only")
    func agent() {
        func rule(_ text: String) -> SettledRule {
            let call = PromptCall(hook: ApprovalsTests.hooks[0])
            return SettledRule(call, in: Approvals(Array(text.utf8)), for: .agent, now: "23:30", home: "/home/u")
        }
        #expect(rule("").words.hasPrefix("who=answer hold=3600 after=ask"))
        #expect(!rule("").isHoldWritten)
        #expect(rule("hold=60 after=deny").hold == 60)
        #expect(rule("hold=60 after=deny").isHoldWritten)
        let quiet = rule("quiet=22:00-07:00 after=deny")
        #expect(quiet.who == .answer && quiet.after == .deny && quiet.isQuiet)
        #expect(quiet.words.contains(" quiet=now"))
        #expect(!rule("hold=0").isAnswerable)
        #expect(!rule("nonsense").isAnswerable)
    }

    @Test("the cases of exact rules that the hooks pass")
    func exact() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "hooks/exact-cases.tsv")
        var count = 0
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 3)
            let call = PromptCall(
                hook: .object([
                    ("hook_event_name", .string("PermissionRequest")), ("tool_name", .string(fields[0])),
                    ("tool_input", json(fields[1])),
                ])
            )
            var rule = "-"
            if let command = ExactCall.command(of: call) { rule = "Bash(\(command))" }
            if let path = ExactCall.path(of: call) { rule = "\(fields[0] == "Read" ? "Read" : "Edit")(/\(path))" }
            #expect(rule == fields[2], "\(line)")
            count += 1
        }
        #expect(count > 20)
    }

    @Test("messages to sessions")
    func messages() {
        func allows(_ text: String, _ project: String = "/home/u/p") -> Bool {
            Approvals(Array(text.utf8)).allowsMessages(project: project, home: "/home/u")
        }
        #expect(allows(""))
        #expect(!allows("messages=off"))
        #expect(!allows("garbage"))
        #expect(!allows("messages=off project=~/p\nmessages=on", "/home/u/p/x"))
        #expect(allows("messages=off project=~/p\nmessages=on", "/home/u/q"))
    }
}
