import Testing

@testable import PrivateCluster

@Suite("Postmaster file")
struct PostmasterFileTests {
    @Test(
        "the eighth line tells the state",
        arguments: [
            ("ready   ", PostmasterFile.Status.ready), ("standby ", .ready), ("starting", .starting),
            ("stopping", .stopping), ("", .starting),
        ]
    )
    func status(word: String, expected: PostmasterFile.Status) throws {
        let file = try #require(PostmasterFile("321\n/data\n1700000000\n5432\n/socket\n\n 1 2\n\(word)\n"))
        #expect(file.processID == 321)
        #expect(file.status == expected)
    }

    @Test("a file of which only the beginning is written yet means starting")
    func partial() {
        #expect(PostmasterFile("321\n/data\n")?.status == .starting)
    }

    @Test("what is not a postmaster's file is refused", arguments: ["", "\n", "-321\n/data\n", "0\n", "x\n"])
    func refused(text: String) {
        #expect(PostmasterFile(text) == nil)
    }
}
