import EventModel
import Testing

@testable import WSFanout

struct WorkspaceFollowersTests {
    private var followers = WorkspaceFollowers<Int>()

    private mutating func takers(_ part: WorkspaceParts, of workspace: String = "w", blocked: Set<Int> = []) -> [Int] {
        followers.take(part, of: workspace, isAllowed: { _ in true }, isBlocked: { blocked.contains($0) })
    }

    @Test("each reason counts until it ends")
    mutating func reasons() {
        followers.set(["w": .all], for: .filter, of: 1)
        followers.set(["w": .all, "v": .all], for: .view, of: 1)
        followers.request(.git, of: "w", by: 2)
        #expect(takers(.files) == [1])
        #expect(takers(.git) == [1, 2])
        followers.set([:], for: .filter, of: 1)
        #expect(takers(.files) == [1])
        followers.set([:], for: .view, of: 1)
        #expect(takers(.git) == [2])
        followers.request([], of: "w", by: 2)
        #expect(followers.ofWorkspace.isEmpty)
    }

    @Test("a change is said once, and what stays the same is none")
    mutating func changes() {
        let first = followers.takeChange()
        followers.set(["w": .all], for: .filter, of: 1)
        let second = followers.takeChange()
        followers.set(["w": .all], for: .filter, of: 1)
        let third = followers.takeChange()
        followers.remove(1)
        let fourth = followers.takeChange()
        #expect([first, second, third, fourth] == [false, true, false, true])
    }

    @Test("types choose the parts")
    func types() {
        #expect(WorkspaceParts(nil) == .all)
        #expect(WorkspaceParts([.fileChanged]) == .files)
        #expect(WorkspaceParts([.gitStatusChanged, .tool]) == .git)
        #expect(WorkspaceParts([.tool]).isEmpty)
    }

    @Test("who misses a notice learns that, as long as it follows")
    mutating func missed() {
        for number in 1...2 { followers.set(["w": .all], for: .filter, of: number) }
        #expect(takers(.files, blocked: [2]) == [1])
        let missed = followers.takeMissed(by: 2)
        #expect(missed.map(\.workspace) == ["w"] && missed.map(\.parts) == [.files])
        #expect(followers.takeMissed(by: 2).isEmpty)
        _ = takers(.git, blocked: [2])
        followers.remove(2)
        #expect(followers.takeMissed(by: 2).isEmpty)
    }

    @Test("who may not have it gets nothing and misses nothing")
    mutating func rights() {
        followers.set(["w": .all], for: .filter, of: 1)
        #expect(followers.take(.files, of: "w", isAllowed: { _ in false }, isBlocked: { _ in true }).isEmpty)
        #expect(followers.takeMissed(by: 1).isEmpty)
    }
}
