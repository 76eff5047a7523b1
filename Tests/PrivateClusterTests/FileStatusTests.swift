import Testing

@testable import PrivateCluster

@Suite("File status")
struct FileStatusTests {
    @Test(
        "the first class that applies decides on passing through: owner, group, others",
        arguments: [
            (10, 20, 0o700, true), (10, 20, 0o077, false), (11, 20, 0o010, true), (11, 20, 0o701, false),
            (11, 21, 0o001, true), (11, 21, 0o770, false),
        ] as [(UInt32, UInt32, UInt32, Bool)]
    )
    func traversal(owner: UInt32, group: UInt32, mode: UInt32, expected: Bool) {
        let identity = ServiceIdentity(userID: 10, groupID: 20, groupIDs: [20, 30], needsSwitch: true)
        let status = FileStatus(kind: .directory, owner: owner, group: group, mode: mode)
        #expect(status.isTraversable(by: identity) == expected)
    }
}
