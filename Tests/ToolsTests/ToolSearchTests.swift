import EventModel
import Testing

@testable import Tools

struct ToolLexemeTests {
    @Test(
        arguments: [
            ("'commit':2A,5B 'git':1A,3C", ["commit": 3, "git": 5]), ("'a':1", ["a": 8]),
            ("'it''s':4B,9", ["it's": 10]),
            (#"'back\\slash':1A"#, [#"back\slash"#: 1]), ("'bare'", ["bare": 0]), ("", [:]), ("'open", ["open": 0]),
            ("'x y':1C 'é':2", ["x y": 4, "é": 8]),
        ] as [(String, [String: UInt8])]
    )
    func readsVectors(text: String, places: [String: UInt8]) {
        let found = ToolLexeme.all(in: Array(text.utf8))
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.text, $0.places.rawValue) }) == places)
    }

    @Test func keepsTheNameOfLongDescriptions() {
        let words = (0..<1000).map { "'w\($0)':\($0)B" } + ["'zebra':1001A"]
        let found = ToolLexeme.all(in: Array(words.joined(separator: " ").utf8))
        #expect(found.count == 300)
        #expect(found.contains { $0.text == "zebra" })
    }
}

struct NearWordsTests {
    private let vocabulary = NearWords(["branch", "commit", "committe", "repositori", "kubernet", "list", "lisp", "é"])

    @Test(
        arguments: [
            ("brnach", ["branch"]), ("comit", ["commit"]), ("repostory", ["repositori"]), ("lits", ["list"]),
            ("kubrnets", ["kubernet"]), ("xyz", nil), ("qqqqqqqq", nil), ("lst", nil), ("", nil), ("brxxch", nil),
        ] as [(String, [String]?)]
    )
    func findsWordsThatAreSpelledAlike(word: String, found: [String]?) {
        let near = vocabulary.of(word) { _ in 1 }
        #expect(near?.words == found)
        #expect(near?.isBeginning != true)
    }

    @Test func beginningsComeFirst() {
        let near = vocabulary.of("comm") { $0 == "committe" ? 2 : 1 }
        #expect(near == NearWords.Found(words: ["committe", "commit"], isBeginning: true))
    }

    @Test(
        arguments: [
            ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abcd", "badc", 2), ("", "ab", 2),
            ("abc", "xyz", nil),
        ] as [(String, String, Int?)]
    )
    func distances(one: String, other: String, distance: Int?) {
        #expect(NearWords.distance(Array(one.utf8), Array(other.utf8), atMost: 2) == distance)
        #expect(NearWords.distance(Array(other.utf8), Array(one.utf8), atMost: 2) == distance)
    }
}

struct ToolIndexTests {
    private let index: ToolIndex

    init() {
        let vectors = [
            ("git", "git_commit", "'git':1A,3C 'commit':2A 'record':4B 'chang':5B"),
            ("git", "git_status", "'git':1A,3C 'status':2A 'show':4B"),
            ("github", "get_commit", "'get':1A 'commit':2A 'github':3C 'show':4B 'git':5"),
            ("files", "remove_file", "'remov':1A 'file':2A,3C"),
        ]
        let tools = vectors.enumerated().map { number, tool in
            IndexedTool(
                key: ToolKey(server: "mcp_\(tool.0)", tool: tool.1),
                server: tool.0,
                machine: MachineID(rawValue: Int64(number % 2)),
                path: tool.0 == "files" ? "/work" : nil,
                isReady: number != 1,
                lexemes: ToolLexeme.all(in: Array(tool.2.utf8))
            )
        }
        let stems = Dictionary(uniqueKeysWithValues: ToolSynonyms.words.map { ($0, [$0 == "remove" ? "remov" : $0]) })
        index = ToolIndex(tools, ToolSynonyms(stems: stems))
    }

    private func find(_ words: String, _ narrow: (inout ToolQuery) -> Void = { _ in }) -> [String] {
        var query = ToolQuery(words)
        narrow(&query)
        return index.find(query.singleWords.map { [$0] }, query.covers).map { index.tools[$0].key.tool }
    }

    @Test(arguments: [
        ("git commit", ["git_commit", "get_commit", "git_status"]), ("github commit", ["get_commit", "git_commit"]),
        ("delete", ["remove_file"]), ("comit", ["git_commit", "get_commit"]), ("nothing here", []), ("&|!", []),
        ("stat", ["git_status"]),
    ])
    func order(words: String, tools: [String]) { #expect(find(words) == tools) }

    @Test func narrowed() {
        #expect(find("git") { $0.isReadyOnly = true } == ["git_commit", "get_commit"])
        #expect(find("git") { $0.machines = [.monitor] } == ["git_commit", "get_commit"])
        #expect(find("git") { $0.machines = [] } == [])
        #expect(find("git") { $0.server = "mcp_github" } == ["get_commit"])
        #expect(find("git") { $0.server = "github" } == ["get_commit"])
        #expect(find("git") { $0.serverNames = ["files"] } == [])
        #expect(find("file") { $0.path = "/other" } == [])
        #expect(find("file") { $0.path = "/work" } == ["remove_file"])
        #expect(find("git") { $0.only = ToolSet(["git.git_status", "list_sessions"]) } == ["git_status"])
    }
}

struct ToolQueryTests {
    @Test func words() {
        #expect(ToolQuery("readFile & !(PR) | 'x':*").singleWords == ["read", "file", "pull", "request", "x"])
        #expect(ToolQuery(String(repeating: "a ", count: 600)).singleWords.count == 32)
        #expect(ToolQuery("  ").singleWords == [])
    }
}
