import EventModel
import Testing

@Suite("Spellings of a directory")
struct DirectoryPathTests {
    static let spellings: [(canonical: String, others: [String])] = [
        (
            "/home/u/app",
            ["/home/u/app/", "/home/u/app//", "//home/u/app", "/home/./u/app/.", "/home/u/x/../app", "/../home/u/app"]
        ),
        ("/", ["//", "/.", "/..", "/a/.."]),
        ("/home/u/caf\u{E9}", ["/home/u/cafe\u{301}", "/home/u/cafe\u{301}/"]),
        ("/\u{AC00}\u{1EC7}", ["/\u{1100}\u{1161}e\u{323}\u{302}", "/\u{AC00}e\u{302}\u{323}"]),
        (
            "C:\\Users\\me\\app",
            [
                "c:\\Users\\me\\app", "C:/Users/me/app", "c:/Users\\me\\app\\", "C:\\Users\\.\\me\\app",
                "c:\\\\Users\\me\\x\\..\\app",
            ]
        ),
        ("C:\\", ["c:\\", "c:/", "C:\\.."]),
        ("\\\\server\\share\\app", ["\\\\server\\share\\app\\", "\\\\server\\share\\x\\..\\app"]),
        ("app", ["app/", "./app", "x/../app"]),
        ("../app", ["./../app/", "x/../../app"]),
        (".", ["./", "a/.."]),
        ("", []),
        ("/a\\b", ["/a\\b/"]),
        ("c:app", []),
        ("/home/u/App", []),
    ]

    @Test("all spellings are one directory", arguments: spellings.indices)
    func canonical(_ index: Int) {
        let (canonical, others) = DirectoryPathTests.spellings[index]
        for spelling in [canonical] + others {
            #expect(Array(DirectoryPath.canonical(spelling).utf8) == Array(canonical.utf8))
        }
        let ids = Set(([canonical] + others).map { WorkspaceID.make(machine: MachineID(rawValue: 1), path: $0) })
        #expect(ids.count == 1)
    }

    @Test("different directories stay different")
    func different() {
        let ids = DirectoryPathTests.spellings.map {
            WorkspaceID.make(machine: MachineID(rawValue: 1), path: $0.canonical)
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test("the last part of a path", arguments: [("/a/b/", "b"), ("C:\\a\\b", "b"), ("/", "/"), ("", "")])
    func lastPart(path: String, part: String) { #expect(DirectoryPath.lastPart(of: path) == part) }
}
