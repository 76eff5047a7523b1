import Foundation
import Testing

@testable import WorkspaceFiles

@Suite struct NameSearchTests {
    private func index(_ files: [String]) -> NameIndex {
        var index = NameIndex()
        let groups = Dictionary(grouping: files) { file -> String in
            file.split(separator: "/").dropLast().joined(separator: "/")
        }
        for (directory, group) in groups {
            index.add(directory: Array(directory.utf8))
            for file in group {
                let name = file.split(separator: "/").last.map(String.init) ?? ""
                index.add(Array(name.utf8))
            }
        }
        return index
    }

    private let files = [
        "README.md", "src/main.swift", "src/Main.kt", "src/domain.swift", "docs/readme.txt", "src/deep/manifest.json",
        "lib/m/a/i/n",
    ]

    private func find(
        _ query: String,
        _ mode: NameSearch.Mode,
        limit: Int = 100,
        offset: Int = 0,
        extensions: [String] = []
    )
        -> [String]
    {
        NameSearch(Array(query.utf8), mode: mode, extensions: extensions.map { Array($0.utf8) })
            .run(in: index(files), offset: offset, limit: limit).hits.map { String(decoding: $0.path, as: UTF8.self) }
    }

    @Test("names are compared as the mode says, and letters in either case")
    func modes() {
        #expect(find("main.swift", .exact) == ["src/main.swift"])
        #expect(find("MAIN", .prefix) == ["src/Main.kt", "src/main.swift"])
        #expect(find("swift", .extension) == ["src/main.swift", "src/domain.swift"])
        #expect(find("md", .extension) == ["README.md"])
        #expect(find("n", .extension) == [])
    }

    @Test("the better a name fits, the earlier it comes")
    func fuzzy() {
        let found = find("main", .fuzzy)
        #expect(found.prefix(3) == ["src/Main.kt", "src/main.swift", "src/domain.swift"])
        #expect(found.contains("lib/m/a/i/n") && !found.contains("README.md"))
        #expect(find("srcmain", .fuzzy).first == "src/main.swift" || find("srcmain", .fuzzy).first == "src/Main.kt")
        #expect(find("rdme", .fuzzy).prefix(2) == ["README.md", "docs/readme.txt"])
        #expect(
            find("main", .fuzzy, extensions: [".swift", "KT"]) == ["src/Main.kt", "src/main.swift", "src/domain.swift"]
        )
        #expect(find("zzz", .fuzzy) == [])
    }

    @Test("pages follow one another")
    func pages() {
        let whole = find("a", .fuzzy)
        #expect((0..<whole.count).flatMap { find("a", .fuzzy, limit: 1, offset: $0) } == whole)
    }

    @Test("every mode finds what comparing each name finds")
    func against() {
        var random = SystemRandomNumberGenerator()
        let letters = Array("abcAB._")
        func word(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
            )
        }
        for _ in 0..<200 {
            let names = Array(Set((0..<30).map { _ in word(6) }))
            let query = word(3)
            let built = index(names)
            func found(_ mode: NameSearch.Mode) -> Set<String> {
                let hits = NameSearch(Array(query.utf8), mode: mode).run(in: built, offset: 0, limit: 100)
                #expect(hits.total == hits.hits.count)
                return Set(hits.hits.map { String(decoding: $0.path, as: UTF8.self) })
            }
            let plain = query.lowercased()
            #expect(found(.exact) == Set(names.filter { $0.lowercased() == plain }))
            #expect(found(.prefix) == Set(names.filter { $0.lowercased().hasPrefix(plain) }))
            #expect(
                found(.extension)
                    == Set(names.filter { $0.lowercased().hasSuffix("." + plain) && $0.count > plain.count + 1 })
            )
            func contains(_ name: String) -> Bool {
                var rest = plain[...]
                for letter in name.lowercased() where rest.first == letter { rest.removeFirst() }
                return rest.isEmpty
            }
            #expect(found(.fuzzy) == Set(names.filter(contains)))
        }
    }

    @Test("the index follows no link, leaves out what is ignored, and says if it is not whole")
    func walk() throws {
        let tree = try TemporaryTree()
        try tree.directory("src/.git").directory("build").directory("src/out").file("a").file("src/b").file("build/c")
        try tree.file("src/out/d").file("src/.git/config").link("up", to: "..").link("src/loop", to: "..")
        let directory = try tree.root().open(RelativePath(""))
        func index(_ mostBytes: Int = NameIndex.mostBytes, mayContinue: @escaping () -> Bool = { true }) -> NameIndex {
            NameIndex(
                of: directory,
                skipping: [Array("build".utf8)],
                ignored: { path in path.bytes == Array("src".utf8) ? [Array("src/out".utf8)] : [] },
                mayContinue: mayContinue,
                mostBytes: mostBytes
            )
        }
        let whole = index()
        let paths = Set((0..<whole.count).map { String(decoding: whole.path(of: $0), as: UTF8.self) })
        #expect(paths == ["a", "up", "src/b", "src/loop"] && whole.isWhole)
        #expect(!index(1).isWhole)
        #expect(!index(mayContinue: { false }).isWhole)
    }
}

@Suite struct ContentSearchTests {
    private func run(
        _ tree: TemporaryTree,
        _ text: String,
        ignoresCase: Bool = false,
        _ change: (inout ContentSearch.Limits) -> Void = { _ in },
        hidden: String? = nil
    ) throws -> ContentSearch.Result {
        var limits = ContentSearch.Limits()
        change(&limits)
        return ContentSearch(Array(text.utf8), ignoresCase: ignoresCase, limits: limits).run(
            in: try tree.root().open(RelativePath("")),
            skipping: [Array("ignored".utf8)],
            ignored: { _ in [] },
            isHidden: { $0.bytes == hidden.map { Array($0.utf8) } },
            mayContinue: { true }
        )
    }

    private func shown(_ result: ContentSearch.Result) -> Set<String> {
        Set(
            result.hits.map { hit in
                "\(String(decoding: hit.path, as: UTF8.self)):\(hit.line):\(hit.column):"
                    + String(decoding: hit.text, as: UTF8.self)
            }
        )
    }

    @Test("each line is found once, with its number and the place in it")
    func lines() throws {
        let tree = try TemporaryTree()
        try tree.directory("d").file("a", "one\ntwo one one\n\nend one").file("d/b", "One\r\n").file("c", "on")
        try tree.directory("ignored").file("ignored/x", "one\n").link("l", to: "a")
        #expect(shown(try run(tree, "one")) == ["a:1:1:one", "a:2:5:two one one", "a:4:5:end one"])
        #expect(shown(try run(tree, "ONE", ignoresCase: true)).contains("d/b:1:1:One\r"))
        #expect(try run(tree, "one", hidden: "a").hits.isEmpty)
        #expect(try run(tree, "one").end == nil)
    }

    @Test("binary files are passed over, and FIFOs do not hold it up")
    func binary() throws {
        let tree = try TemporaryTree()
        try tree.file("a", "one\0one\n")
        #expect(mkfifo(tree.path + "/fifo", 0o600) == 0)
        #expect(try run(tree, "one").hits.isEmpty)
    }

    @Test("bounds end it, and it says which")
    func bounds() throws {
        let tree = try TemporaryTree()
        try tree.file("a", String(repeating: "one\n", count: 50))
        let many = try run(tree, "one", { $0.hits = 10 })
        #expect(many.hits.count == 10 && many.end == .hits)
        #expect(try run(tree, "one", { $0.bytes = 10 }).end == .bytes)
        let skipped = try run(tree, "one", { $0.fileBytes = 10 })
        #expect(skipped.end == .skipped && skipped.hits.isEmpty)
    }

    @Test("of a long line the part around the hit is shown")
    func longLine() throws {
        let tree = try TemporaryTree()
        try tree.file("a", String(repeating: "x", count: 5000) + "one" + String(repeating: "y", count: 5000))
        let hit = try #require(try run(tree, "one").hits.first)
        #expect(hit.column == 5001 && hit.text.count == 240)
        #expect(String(decoding: hit.text, as: UTF8.self).contains("one"))
    }
}
