import Foundation
import Testing

@testable import WorkspaceFiles

@Suite struct DirectoryPageTests {
    private func page(
        _ root: RootDirectory,
        _ start: DirectoryPage.Start = .offset(0),
        limit: Int = 100,
        showsHidden: Bool = true
    ) throws -> DirectoryPage {
        let path = try RelativePath("")
        return try DirectoryPage(
            of: root.open(path),
            at: path,
            below: root,
            from: start,
            limit: limit,
            showsHidden: showsHidden
        )
    }

    private func names(_ page: DirectoryPage) -> [String] {
        page.entries.map { String(decoding: $0.name, as: UTF8.self) }
    }

    @Test("directories come first, each by the bytes of the names; what git keeps is left out")
    func order() throws {
        let tree = try TemporaryTree()
        try tree.directory("b").directory("Z").directory(".git").file("a").file("B").file(".c").link("l", to: "b")
        try tree.link("out", to: "/etc")
        let page = try page(tree.root())
        #expect(names(page) == ["Z", "b", ".c", "B", "a", "l", "out"])
        #expect(page.directories == 2 && page.files == 5 && page.isSorted && page.next == nil)
        #expect(page.entries.map(\.status.kind).suffix(2) == [.link, .link])
        #expect(page.entries.suffix(2).map { $0.target?.kind } == [.directory, nil])
        #expect(names(try self.page(tree.root(), showsHidden: false)) == ["Z", "b", "B", "a", "l", "out"])
    }

    @Test("pages that follow one another have each entry once, also if entries come and go", arguments: [1, 3, 7])
    func paging(limit: Int) throws {
        let tree = try TemporaryTree()
        for number in 0..<10 { try tree.directory("d\(number)").file("f\(number)") }
        let root = try tree.root()
        var seen: [String] = []
        var start = DirectoryPage.Start.offset(0)
        while true {
            let page = try page(root, start, limit: limit)
            seen += names(page)
            guard let next = page.next else { break }
            start = next
            // What comes before the place does not move it.
            try tree.file("a\(seen.count)")
            try? FileManager.default.removeItem(atPath: tree.path + "/d0")
        }
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen).isSuperset(of: (1..<10).flatMap { ["d\($0)", "f\($0)"] }))
    }

    @Test("an offset begins there")
    func offset() throws {
        let tree = try TemporaryTree()
        for number in 0..<5 { try tree.file("f\(number)") }
        #expect(names(try page(tree.root(), .offset(3))) == ["f3", "f4"])
        #expect(names(try page(tree.root(), .offset(50))) == [])
    }

    @Test("a directory of more than 10,000 entries is not sorted, and each entry comes once")
    func large() throws {
        let tree = try TemporaryTree()
        for number in 0...DirectoryPage.mostSorted { try tree.file("f\(number)", "") }
        let root = try tree.root()
        var seen: Set<String> = []
        var count = 0
        var start = DirectoryPage.Start.offset(0)
        while true {
            let page = try page(root, start, limit: 1000)
            #expect(!page.isSorted && page.files == nil && page.directories == nil)
            seen.formUnion(names(page))
            count += page.entries.count
            guard let next = page.next else { break }
            start = next
        }
        #expect(count == DirectoryPage.mostSorted + 1 && seen.count == count)
        let late = try page(root, .offset(DirectoryPage.mostSorted - 1), limit: 1000)
        #expect(late.entries.count == 2 && late.next == nil)
    }

    @Test("a name that is not UTF-8 is one of bytes")
    func bytes() throws {
        let tree = try TemporaryTree()
        let name: [UInt8] = [0x66, 0xFF, 0xFE, 0x0A]
        let descriptor = (Array(tree.path.utf8) + [0x2F] + name + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
        }
        #expect(descriptor >= 0)
        close(descriptor)
        let root = try tree.root()
        #expect(try page(root).entries.map(\.name) == [name])
        #expect(try root.open(RelativePath(name)).status.kind == .file)
    }

    @Test("a file is no directory")
    func file() throws {
        let tree = try TemporaryTree()
        let root = try tree.file("a").root()
        let path = try RelativePath("a")
        #expect(throws: FileFault.notDirectory) {
            try DirectoryPage(of: root.open(path), at: path, below: root, from: .offset(0), limit: 1)
        }
    }

    @Test("counts end with their budget")
    func counts() throws {
        let tree = try TemporaryTree()
        try tree.directory("d/inner").file("d/a", "12345").file("d/b", "123").link("d/l", to: "a")
        let root = try tree.root()
        var budget = 100
        let count = DirectoryCount(of: try RelativePath("d"), below: root, budget: &budget)
        #expect(count.files == 2 && count.bytes == 8 && budget == 96)
        budget = 0
        #expect(DirectoryCount(of: try RelativePath("d"), below: root, budget: &budget).files == 0)
    }
}
