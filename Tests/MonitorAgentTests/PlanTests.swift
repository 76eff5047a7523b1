import Foundation
import JSON
import MachinePolicy
import Testing
import WebSocketClient

@testable import MonitorAgent

@Suite("Places and files of the agent")
struct PlaceTests {
    @Test("the places are those of the hooks")
    func places() throws {
        let plain = try #require(AgentPlaces(["HOME": "/home/u"]))
        #expect(plain.configuration == "/home/u/.config/claude-monitor/config")
        #expect(plain.state == "/home/u/.local/state/claude-monitor/agent")
        let other = try #require(
            AgentPlaces([
                "HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative", "CLAUDE_MONITOR_STATE_DIR": "/s",
            ])
        )
        #expect(other.configuration == "/c/claude-monitor/config" && other.state == "/s/agent")
        #expect(AgentPlaces([:]) == nil && AgentPlaces(["HOME": "x"]) == nil)
    }

    @Test("the configuration of the hooks")
    func configuration() {
        let text = "# x\nurl=https://m/api/events\r\nkey=cmk_a=b\nca_file=/ca\nkey2=z\nmachine_id=box\n"
        let read = HookConfiguration(Array(text.utf8))
        #expect(read.url == "https://m" && read.key == "cmk_a=b" && read.certificates == "/ca" && read.machine == "box")
        #expect(HookConfiguration(Array("url=https://m\u{1}\nkey=a\u{7F}".utf8)) == HookConfiguration([]))
    }

    @Test("where to connect")
    func endpoint() throws {
        let configuration = HookConfiguration(Array("url=https://m:1\nkey=k\nca_file=/ca".utf8))
        let file = AgentFile(Array("proxy=http://u:p@proxy:3128/".utf8), home: "/h")
        let endpoint = try LinkPlan.endpoint(configuration, file, certificates: nil)
        #expect(endpoint.path == "/api/agent" && endpoint.certificates == "/ca" && endpoint.proxy == "u:p@proxy:3128")
        #expect(try LinkPlan.endpoint(configuration, .absent, certificates: "/x").certificates == "/x")
        let plain = HookConfiguration(Array("url=http://10.0.0.1\nkey=k".utf8))
        #expect(throws: LinkPlan.Fault.self) { try LinkPlan.endpoint(plain, .absent, certificates: nil) }
        let allowed = AgentFile(Array("plaintext=yes".utf8), home: "/h")
        #expect(throws: Never.self) { try LinkPlan.endpoint(plain, allowed, certificates: nil) }
        let faulty = AgentFile(Array("plaintext=yes\nnonsense".utf8), home: "/h")
        #expect(throws: LinkPlan.Fault.self) { try LinkPlan.endpoint(plain, faulty, certificates: nil) }
    }

    @Test("the pause after a connection")
    func pauses() {
        #expect(LinkPlan.pause(after: .lost) == .backOff)
        #expect(LinkPlan.pause(after: .closed(code: 4409, reason: "")) == .long(30))
        #expect(LinkPlan.pause(after: .closed(code: 4403, reason: "")) == .long(300))
        #expect(LinkPlan.pause(after: .refused(status: 401)) == .long(60))
        #expect(LinkPlan.pause(after: .refused(status: 503)) == .backOff)
        #expect(LinkPlan.pause(after: .closed(code: 1012, reason: "")) == .backOff)
    }
}

@Suite("The audit")
struct AuditTrailTests {
    @Test("a new file goes on with the chain of the old one")
    func rotation() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let path = place.path + "/audit.jsonl"
        let trail = try AuditTrail(path, limit: 1000)
        for number in 0..<100 {
            try trail.record("x", at: .init(microseconds: 0), [("n", .integer(Int64(number)))])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        #expect(names == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2", "audit.jsonl.3", "audit.jsonl.4"])
        let old = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".1")))
        let new = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(old.count >= 1000 && old.count < 1400)
        #expect(AuditTrail.fault(in: old + new) == nil)
        var changed = old
        changed[30] ^= 1
        #expect(AuditTrail.fault(in: changed) == 1)
        let lines = old.split(separator: UInt8(ascii: "\n"))
        #expect(AuditTrail.fault(in: Array((lines[..<2] + lines[3...]).joined(separator: [UInt8(ascii: "\n")]))) == 3)
        let again = try AuditTrail(path, limit: 1 << 20)
        try again.record("y", at: .init(microseconds: 0))
        #expect(AuditTrail.fault(in: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))) == nil)
    }
}

@Suite("What install writes")
struct InstallPlanTests {
    @Test("the file that is written is valid")
    func file() {
        let text = InstallPlan.file(roots: ["/srv/a", "/srv/my work", "/srv/a#b"], claude: "/usr/bin/claude")
        let file = AgentFile(Array(text.utf8), home: "/h")
        #expect(file.isUsable && file.roots.map(\.path) == ["/srv/a", "/srv/my work", "/srv/a#b"])
        #expect(file.roots.allSatisfy { $0.allowance.control && $0.allowance.git == .off })
        #expect(!InstallPlan.isWritable("/a\"b") && !InstallPlan.isWritable("/a\nb"))
    }

    @Test("trusted projects without those inside others")
    func projects() {
        let record = """
            {"projects":{"/b/c":{"hasTrustDialogAccepted":true},"/b":{"hasTrustDialogAccepted":true},"/bc":
            {"hasTrustDialogAccepted":true},"/no":{"hasTrustDialogAccepted":false},"/h":{"hasTrustDialogAccepted":true},
            "/gone":{"hasTrustDialogAccepted":true},"/":{"hasTrustDialogAccepted":true},
            "rel":{"hasTrustDialogAccepted":true}}}
            """
        #expect(InstallPlan.projects(record: Array(record.utf8), home: "/h") { $0 != "/gone" } == ["/b", "/bc"])
        #expect(InstallPlan.projects(record: Array("{".utf8), home: "/h") { _ in true }.isEmpty)
    }

    @Test("the service ends only its own process, odd paths stay one word, and nothing in them is expanded")
    func unit() {
        let unit = InstallPlan.unit(program: "/opt/my \"agent\" 100% $HOME\\x", certificates: "/ca $x")
        #expect(unit.contains("KillMode=process\n") && unit.contains("OOMPolicy=continue\n"))
        #expect(unit.contains(#"ExecStart="/opt/my \"agent\" 100%% $HOME\\x" run --ca-file "/ca $$x""#))
    }

    @Test("variables that are kept")
    func variables() {
        let entries = ["PATH=/bin", "SECRET=x", "LANG=C", "HOME=/h\nX=1"]
        #expect(InstallPlan.stored(entries, allowed: ["PATH=/bin", "LANG=C", "HOME=/h"]) == "LANG=C\nPATH=/bin\n")
    }
}

@Suite("The command line")
struct ArgumentTests {
    @Test("words")
    func words() throws {
        #expect(try Arguments.parse(["run", "--ca-file=/x"]).certificates == "/x")
        #expect(try Arguments.parse(["install", "--yes", "--root", "/a", "--root=/b"]).roots == ["/a", "/b"])
        #expect(try Arguments.parse(["status", "--help"]).command == .help)
        for words in [
            [], ["fly"], ["run", "--json"], ["status", "x"], ["run", "--ca-file"], ["install", "--yes=no"],
        ] {
            #expect(throws: Arguments.Fault.self) { try Arguments.parse(words) }
        }
    }
}
