import Testing

@testable import MachinePolicy
@testable import MonitorAgent

@Suite("Discovery of projects")
struct DiscoveryTests {
    /// A disk of directories; those in `repositories` have a `.git`.
    private func disk(_ paths: Set<String>, repositories: Set<String> = [], isLate: Bool = false) -> Discovery.Disk {
        Discovery.Disk(
            directories: { parent in
                let base = parent == "/" ? "/" : parent + "/"
                return paths.filter { $0.hasPrefix(base) && !$0.dropFirst(base.count).contains("/") && $0 != parent }
                    .map { String($0.dropFirst(base.count)) }.sorted()
            },
            isRepository: repositories.contains,
            modified: { _ in 7 },
            realPath: { paths.contains($0) ? $0 : nil },
            isDirectory: paths.contains,
            isLate: { isLate }
        )
    }

    private let tree: Set<String> = [
        "/w", "/w/app", "/w/app/src", "/w/app/src/deep", "/w/notes", "/w/.hidden", "/w/node_modules",
        "/w/node_modules/x",
        "/w/closed", "/w/closed/app", "/outside", "/w/a", "/w/a/b", "/w/a/b/c",
    ]
    private let file = AgentFile(Array("control=on roots=/w\nroots=/w/closed control=off\n".utf8), home: "/home/dev")

    private func history(_ paths: String...) -> ConversationHistory {
        let past = ConversationHistory.Past(count: 2, newest: 9)
        return ConversationHistory(
            Dictionary(uniqueKeysWithValues: paths.map { (ConversationHistory.name(of: $0), past) })
        )
    }

    @Test("repositories and directories with conversations below the roots, and no others")
    func everywhere() throws {
        let repositories: Set<String> = ["/w/app", "/w/closed/app", "/outside", "/w/node_modules/x", "/w/.hidden"]
        let search = Discovery(file, disk(tree, repositories: repositories), history("/w/notes", "/w/app/src/deep"))
        let (found, isComplete) = try search.run(nil, depth: 5)
        #expect(isComplete)
        #expect(
            found == [
                .init(path: "/w/app", isRepository: true, conversations: 0, modified: 7),
                .init(path: "/w/notes", isRepository: false, conversations: 2, modified: 9),
                .init(path: "/w/app/src/deep", isRepository: false, conversations: 2, modified: 9),
            ]
        )
    }

    @Test("the inside of a repository is of no interest unless Claude Code knows a part of it")
    func inside() throws {
        let search = Discovery(file, disk(tree, repositories: ["/w/app", "/w/app/src"]), history("/w/notes"))
        #expect(try search.run(nil, depth: 5).found.map(\.path) == ["/w/app", "/w/notes"])
    }

    @Test("the search ends at its depth and its time, and says so")
    func bounds() throws {
        let search = Discovery(file, disk(tree), history("/w/a/b", "/w/a/b/c"))
        #expect(try search.run(nil, depth: 2).found.map(\.path) == ["/w/a/b"])
        let late = Discovery(file, disk(tree, isLate: true), history("/w/a/b"))
        #expect(try !late.run(nil, depth: 5).isComplete)
    }

    @Test(
        "a path that is named must be a directory below a root",
        arguments: ["/outside", "/w/nothing", "/", "/w/../outside"]
    )
    func outside(path: String) {
        let search = Discovery(file, disk(tree), history())
        #expect(throws: CommandRefusal(.outsideRoots, "\(path) is no directory below a root of this machine.")) {
            try search.run([path], depth: 0)
        }
    }

    @Test("with depth 0 the named directories themselves are found, whatever they are")
    func exact() throws {
        let search = Discovery(file, disk(tree), history())
        #expect(try search.run(["/w/a"], depth: 0).found.map(\.path) == ["/w/a"])
        #expect(throws: CommandRefusal.self) { try search.run(["/w/closed/app"], depth: 0) }
    }

    @Test("without a usable file nothing is found")
    func absent() throws {
        let search = Discovery(.absent, disk(tree, repositories: ["/w/app"]), history())
        #expect(try search.run(nil, depth: 5).found.isEmpty)
    }

    @Test(
        "the names of directories for conversations",
        arguments: [("/home/dev/my.app_1", "-home-dev-my-app-1"), ("/ä/😀", "-----")]
    )
    func names(path: String, name: String) {
        #expect(ConversationHistory.name(of: path) == name)
    }
}
