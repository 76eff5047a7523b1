import Foundation
import Testing

@testable import monitorctl

struct MachineChecksTests {
    private final class Home {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)").path

        func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
            let file = path + "/" + name
            let directory = (file as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func check(_ home: Home, _ name: String, path: String = "/usr/bin:/bin") -> DoctorCheck? {
        MachineChecks(environment: ["HOME": home.path, "PATH": path]).run().first { $0.name == name }
    }

    @Test func bareMachineWarnsAndFailsNothingButCurl() {
        let home = Home()
        #expect(check(home, "hooks")?.status == .warning)
        #expect(check(home, "hook config")?.status == .warning)
        #expect(check(home, "spool")?.status == .ok)
        #expect(check(home, "curl", path: "/nowhere")?.status == .failed)
    }

    @Test func installedMachineIsWell() throws {
        let home = Home()
        try home.write(".claude/settings.json", #"{"hooks":{"Stop":[{"command":"/o/session-monitor.sh"}]}}"#)
        try home.write(".config/claude-monitor/config", "url=http://x\nkey=cmk_x\nmachine_id=m\n")
        try home.write(".local/state/claude-monitor/spool/.lock", "")
        for name in ["hooks", "hook config", "spool"] { #expect(check(home, name)?.status == .ok, "\(name)") }
    }

    @Test func proxyOfTheEnvironmentIsNamedAndNotShown() throws {
        let home = Home()
        let environment = [
            "HOME": home.path, "https_proxy": "http://u:secret@proxy:1", "ALL_PROXY": "", "HTTP_PROXY": "x",
        ]
        func found() -> DoctorCheck? {
            MachineChecks(environment: environment).run().first { $0.name == "proxy" }
        }
        #expect(found()?.detail == "the hooks ignore these variables of the environment: HTTP_PROXY, https_proxy")
        try home.write(".config/claude-monitor/config", "url=http://x\nkey=cmk_x\nproxy=http://u:secret@proxy:1\n")
        #expect(found()?.status == .warning)
        #expect(found()?.detail == "the hooks ignore these variables of the environment: HTTP_PROXY")
        #expect(check(home, "proxy")?.status == .ok)
    }

    @Test func settingsThatAreNotJSON() throws {
        let home = Home()
        try home.write(".claude/settings.json", "{ session-monitor.sh")
        #expect(check(home, "hooks")?.status == .failed)
    }

    @Test func keyThatOthersMayRead() throws {
        let home = Home()
        try home.write(".config/claude-monitor/config", "URL=http://x\nKEY=cmk_secret\n", mode: 0o644)
        let found = check(home, "hook config")
        #expect(found?.status == .failed)
        #expect(found?.detail.contains("cmk_secret") == false)
    }

    @Test(arguments: [
        ("MONITOR_URL='http://x'\nMONITOR_KEY=cmk_x", []), ("url = http://x", ["key"]),
        ("#URL=x\nKEY=", ["url", "key"]),
    ])
    func settingsOfTheHook(_ text: String, _ missing: [String]) {
        #expect(MachineChecks.missingSettings(text) == missing)
    }

    @Test func backlogIsCountedWithItsReason() throws {
        let home = Home()
        for name in ["1.ev", "1.ok", "2.ev", ".lock"] {
            try home.write(".local/state/claude-monitor/spool/\(name)", "{}")
        }
        try home.write(".local/state/claude-monitor/last_error", "refused\nHTTP 503\n")
        let found = check(home, "spool")
        #expect(found?.status == .warning)
        #expect(found?.detail == "2 events wait to be sent; last error: HTTP 503")
    }
}
