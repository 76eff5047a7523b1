import ClaudeRunner
import Foundation
import Testing

@Suite struct LiveSessionsTests {
    private let id = "c9f27308-9411-4aa4-8cec-8858d0d20fc4"
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        let directory = sandbox.root + "/sessions"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    private func register(_ pid: Int32, _ more: String = "", file: String? = nil) throws {
        let text =
            #"{"pid":\#(pid),"sessionId":"\#(id)","kind":"interactive","entrypoint":"cli","status":"busy"\#(more)}"#
        let path = "\(sandbox.root)/sessions/\(file ?? "\(pid).json")"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private var holder: LiveSession? { LiveSessions.holder(of: id, configuration: sandbox.root) }

    private func startTime(_ pid: Int32) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return String(text[text.lastIndex(of: ")")!...].split(separator: " ")[20])
    }

    @Test func aLiveProcessHasItsSession() throws {
        try register(getpid(), #","procStart":"\#(try startTime(getpid()))","cwd":"/p","messagingSocketPath":"/s""#)
        #expect(holder?.pid == getpid())
        #expect(holder?.kind == "interactive")
        #expect(holder?.status == "busy")
        #expect(holder?.directory == "/p")
        #expect(holder?.socket == "/s")
        #expect(LiveSessions.holder(of: "another", configuration: sandbox.root) == nil)
    }

    @Test func anotherProcessGotThePid() throws {
        try register(getpid(), #","procStart":"1""#)
        #expect(holder == nil)
    }

    @Test func theProcessHasEnded() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        try register(process.processIdentifier)
        #expect(holder == nil)
    }

    /// It has ended, but its parent has not yet asked how.
    @Test func aZombieHasNoSession() async throws {
        let parent = Process()
        parent.executableURL = URL(fileURLWithPath: "/bin/sh")
        parent.arguments = ["-c", "true & echo $!; exec sleep 60"]
        let output = Pipe()
        parent.standardOutput = output
        try parent.run()
        defer { parent.terminate() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let pid = try #require(Int32(line.dropLast()))
        let isZombie = try await eventually {
            (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") Z ") == true
        }
        #expect(isZombie)
        try register(pid)
        #expect(holder == nil)
    }

    /// Its pid means nothing here.
    @Test func aProcessOfAContainerCountsAsAlive() throws {
        try register(999_999_999, #","pidDomain":"linux:00000000000000000000000000000000:pid:[1]""#)
        let hasMachineID = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))?.isEmpty == false
        #expect((holder != nil) == hasMachineID)
    }

    @Test func filesThatAreNoEntriesAreIgnored() throws {
        try register(getpid(), file: "1.json")
        try register(getpid(), file: "x.json")
        try register(getpid(), file: "\(getpid()).json.tmp")
        try "nonsense".write(toFile: sandbox.root + "/sessions/2.json", atomically: true, encoding: .utf8)
        #expect(LiveSessions.all(configuration: sandbox.root).isEmpty)
        #expect(LiveSessions.all(configuration: "/nowhere").isEmpty)
    }

    @Test func theConfigurationIsBelowTheHome() {
        #expect(LiveSessions.configuration(environment: ["HOME=/h"]) == "/h/.claude")
        #expect(LiveSessions.configuration(environment: ["HOME=/h", "CLAUDE_CONFIG_DIR=/c"]) == "/c")
        #expect(LiveSessions.configuration(environment: []) == nil)
    }
}
