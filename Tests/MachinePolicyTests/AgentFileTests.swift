import Foundation
import Testing

@testable import MachinePolicy

@Suite("The file agent")
struct AgentFileTests {
    private func file(_ text: String) -> AgentFile { AgentFile(Array(text.utf8), home: "/home/u") }

    @Test("words for the machine and for a root")
    func words() {
        let file = file(
            """
            # made by install
            control=on modes=default,plan sessions=3 git=read env=FOO,BAR
            roots=~/src files=read git=write
            roots="/srv/my work" control=off plaintext=yes trust=/srv/x
            idle_stop=30m claude=/usr/bin/claude proxy=http://p:3128
            """
        )
        #expect(file.isUsable)
        #expect(file.machine.control && file.machine.modes == ["default", "plan"] && file.machine.files == .off)
        #expect(file.roots.map(\.path) == ["/home/u/src", "/srv/my work"])
        #expect(file.roots[0].allowance.control && file.roots[0].allowance.git == .write)
        #expect(file.roots[0].allowance.files == .read && file.machine.git == .read)
        #expect(!file.roots[1].allowance.control && file.roots[1].allowance.git == .read)
        #expect(file.allowsPlaintext && file.trusted == ["/srv/x"] && file.sessions == 3)
        #expect(file.idleStop == 1800 && file.claude == "/usr/bin/claude" && file.environment == ["FOO", "BAR"])
    }

    @Test("a budget of chats", arguments: [("20", 20), ("2.5", 2.5), ("0", 0), ("999999.9999", 999_999.9999)])
    func chatBudget(_ text: String, _ dollars: Double) {
        #expect(file("chat=on chat_budget=\(text)").chatBudget == dollars)
        #expect(file("chat=on").chatBudget == nil)
    }

    @Test("what is no budget", arguments: ["", "-1", "1.", ".5", "1,5", "5/day", "1e3", "1000000", "1.23456"])
    func noBudget(_ text: String) {
        #expect(file("chat=on chat_budget=\(text)").flaw != nil)
    }

    @Test("what is absent is off")
    func defaults() {
        let file = file("roots=/srv")
        #expect(!file.machine.control && file.machine.git == .off && !file.machine.pty && !file.machine.showsSecrets)
        #expect(file.machine.modes == ["default", "plan", "acceptEdits"] && file.sessions == 8)
        #expect(!AgentFile.absent.isUsable && AgentFile.absent.machine == .nothing)
    }

    @Test(
        "a word that is not known, or not valid, or said twice, allows nothing",
        arguments: [
            "control=yes", "colour=on", "control", "modes=default,everything", "modes=", "git=all", "roots=src",
            "roots=",
            "trust=x", "claude=claude", "sessions=many", "env=A B=C", "env=1A", "idle_stop=30", "pty=yes", "proxy=p:1",
            "control=on\ncontrol=off", "roots=/a git=read git=write", "secrets=maybe", "roots=\"/a", "idle_stop=0m",
        ]
    )
    func faulty(_ text: String) {
        let file = file("roots=/srv control=on\n" + text)
        #expect(file.flaw != nil && !file.isUsable)
        #expect(file.machine == .nothing && file.roots.isEmpty && !file.allowsPlaintext)
    }

    @Test("not text")
    func binary() {
        #expect(AgentFile([0xFF, 0x41], home: "/").flaw != nil)
        #expect(AgentFile(Array("control=on\u{0}".utf8), home: "/").flaw != nil)
        #expect(AgentFile([UInt8](repeating: 0x23, count: 70 << 10), home: "/").flaw != nil)
    }

    @Test("the most special root counts, and only a real path is one")
    func places() {
        let file = file("control=on\nroots=/srv git=read\nroots=/srv/a/ git=push\nroots=/link")
        let real: (String) -> String? = { $0 == "/link" ? "/etc" : $0 }
        func git(_ path: String) -> AgentFile.Git? {
            MachinePlace.root(of: path, in: file, realPath: real)?.allowance.git
        }
        #expect(git("/srv") == .read && git("/srv/b") == .read && git("/srv/a") == .push && git("/srv/a/x") == .push)
        #expect(git("/srv2") == nil && git("/etc/x") == nil && git("/link/x") == nil && git("/") == nil)
        #expect(MachinePlace.contains("/", "/x") && !MachinePlace.contains("/srv", "/srvx"))
    }

    @Test("the place of new projects is a path, and is said once")
    func newProjects() {
        #expect(file("new_projects=~/new").newProjects == "/home/u/new")
        #expect(file("control=on").newProjects == nil)
        #expect(file("new_projects=new").flaw != nil && file("new_projects=/a\nnew_projects=/b").flaw != nil)
    }

    @Test("modes also need the approvals file")
    func modes() {
        let all = file("modes=default,plan,acceptEdits,auto,bypassPermissions,dontAsk").machine
        func allows(_ mode: String, _ approvals: String, _ allowance: AgentFile.Allowance? = nil) -> Bool {
            ModeRule.allows(
                mode,
                allowance ?? all,
                Approvals(Array(approvals.utf8)),
                project: "/p",
                home: "/home/u",
                device: "7"
            )
        }
        #expect(allows("default", "who=off") && allows("plan", "nonsense") && allows("acceptEdits", ""))
        #expect(allows("bypassPermissions", "") && allows("auto", "devices=7"))
        #expect(!allows("acceptEdits", "risk=delete who=notify") && !allows("acceptEdits", "nonsense"))
        #expect(!allows("acceptEdits", "tool=Bash devices=8") && allows("acceptEdits", "tool=Bash devices=8,7"))
        #expect(!allows("bypassPermissions", "tool=WebFetch hold=0") && !allows("auto", "risk=publish devices=1"))
        #expect(
            !allows("auto", "", file("control=on").machine) && !allows("unknown", "")
                && !allows("default", "", .nothing)
        )
    }
}

@Suite("The machine's files")
struct MachineFilesTests {
    private let home: String
    private let files: MachineFiles

    init() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: place.appending(path: "c"),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        home = try #require(SmallFile.realPath(place.path))
        files = MachineFiles(directory: home + "/c", home: home)
    }

    private func write(_ path: String, _ text: String, mode: Int = 0o600) throws {
        let url = URL(fileURLWithPath: home).appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    @Test("a file that others can write, or replace, allows nothing")
    func openness() throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(files.agent().isAbsent)
        try write("c/agent", "control=on")
        #expect(files.agent().machine.control)
        for mode in [0o620, 0o602] {
            try write("c/agent", "control=on", mode: mode)
            #expect(!files.agent().machine.control && files.agent().flaw != nil)
        }
        try write("c/agent", "control=on")
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: home + "/c")
        #expect(files.agent().flaw != nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home + "/c")
        try FileManager.default.removeItem(atPath: home + "/c/agent")
        try FileManager.default.createDirectory(atPath: home + "/c/agent", withIntermediateDirectories: false)
        #expect(files.agent().flaw != nil)
        try FileManager.default.removeItem(atPath: home + "/c/agent")
        try FileManager.default.createSymbolicLink(atPath: home + "/c/agent", withDestinationPath: home + "/nothing")
        #expect(files.agent().flaw != nil)
    }

    @Test("trust is of one folder, and of the worktrees of a repository")
    func trust() throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        for folder in ["repo/.git/worktrees/w", "repo/sub", "tree", "forged"] {
            try FileManager.default.createDirectory(atPath: home + "/" + folder, withIntermediateDirectories: true)
        }
        try write(
            ".claude.json",
            #"{"projects":{"\#(home)/repo":{"hasTrustDialogAccepted":true},"#
                + #""\#(home)/x":{"hasTrustDialogAccepted":false}}}"#
        )
        try write("tree/.git", "gitdir: \(home)/repo/.git/worktrees/w\n")
        try write("forged/.git", "gitdir: \(home)/repo/.git/worktrees/w\n")
        try write("repo/.git/worktrees/w/gitdir", "\(home)/tree/.git\n")
        func trusts(_ path: String, _ text: String = "") -> Bool {
            files.trusts(home + path, AgentFile(Array(text.utf8), home: home), configuration: nil)
        }
        #expect(trusts("/repo") && trusts("/tree"))
        #expect(!trusts("/repo/sub") && !trusts("/forged") && !trusts("/x") && !trusts(""))
        #expect(
            trusts("/forged", "trust=~/forged/") && !trusts("/forged", "trust=~/forge")
                && !trusts("/x", "trust=~/forged")
        )
        #expect(!files.trusts(home + "/repo", .absent, configuration: home + "/elsewhere"))
        try write(".claude.json", "{")
        #expect(!trusts("/repo"))
    }

    @Test("a program inside a root, or that others can write, is not run")
    func program() throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        try write("bin/claude", "#!/bin/sh\n", mode: 0o755)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home + "/bin")
        func fault(_ text: String = "") -> String? {
            MachineFiles.fault(ofProgram: home + "/bin/claude", AgentFile(Array(text.utf8), home: home))
        }
        #expect(fault() == nil)
        #expect(fault("roots=\(home)") != nil && fault("roots=\(home)/other") == nil)
        try write("bin/claude", "#!/bin/sh\n", mode: 0o777)
        #expect(fault() != nil)
        #expect(MachineFiles.fault(ofProgram: "claude", .absent) != nil)
        #expect(MachineFiles.fault(ofProgram: home + "/nothing", .absent) != nil)
    }
}
