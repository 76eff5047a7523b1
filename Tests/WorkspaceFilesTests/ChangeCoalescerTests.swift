import Testing

@testable import WorkspaceFiles

struct ChangeCoalescerTests {
    private var changes = ChangeCoalescer()

    private func path(_ text: String) -> [UInt8] { Array(text.utf8) }

    private mutating func flushed() -> [FileChange] { changes.flush()?.changes ?? [] }

    @Test("what happens to a file within a moment is one change")
    mutating func merging() {
        changes.created(path("new"), now: 0)
        changes.modified(path("new"), now: 0)
        changes.modified(path("old"), now: 0)
        changes.modified(path("old"), now: 0)
        changes.created(path("short"), now: 0)
        changes.deleted(path("short"), now: 0)
        changes.deleted(path("again"), now: 0)
        changes.created(path("again"), now: 0)
        changes.modified(path("gone"), now: 0)
        changes.deleted(path("gone"), now: 0)
        #expect(
            flushed() == [
                FileChange(path("again"), .modified), FileChange(path("gone"), .deleted),
                FileChange(path("new"), .created), FileChange(path("old"), .modified),
            ]
        )
    }

    @Test("a file that is written beside another and put in its place modifies that one")
    mutating func replacing() {
        changes.created(path("a.tmp"), now: 0)
        changes.renamed(path("a.tmp"), to: path("a"), existed: true, now: 0)
        changes.created(path("b.tmp"), now: 0)
        changes.renamed(path("b.tmp"), to: path("b"), now: 0)
        #expect(flushed() == [FileChange(path("a"), .modified), FileChange(path("b"), .created)])
    }

    @Test("a safety copy of an editor leaves no trace")
    mutating func safetyCopy() {
        changes.renamed(path("a"), to: path("a~"), now: 0)
        changes.created(path("a"), now: 0)
        changes.deleted(path("a~"), now: 0)
        #expect(flushed() == [FileChange(path("a"), .modified)])
    }

    @Test("renames of one file are one")
    mutating func renaming() {
        changes.renamed(path("a"), to: path("b"), now: 0)
        changes.renamed(path("b"), to: path("c"), now: 0)
        changes.renamed(path("x"), to: path("y"), existed: true, now: 0)
        #expect(
            flushed() == [
                FileChange(path("c"), .renamed, from: path("a")), FileChange(path("x"), .deleted),
                FileChange(path("y"), .modified),
            ]
        )
    }

    @Test("told when nothing has happened for a moment, but not much later than the first change")
    mutating func deadlines() {
        #expect(changes.deadline == nil && changes.due(100) == nil)
        changes.modified(path("a"), now: 1)
        #expect(changes.deadline == 1 + ChangeCoalescer.quiet)
        #expect(changes.due(1.05) == nil)
        for step in 1...20 { changes.modified(path("a"), now: 1 + Double(step) * 0.05) }
        #expect(changes.deadline == 1 + ChangeCoalescer.longest)
        let batch = changes.due(1.5)
        #expect(batch?.firstAt == 1 && batch?.lastAt == 2 && batch?.isCut == false)
        #expect(changes.deadline == nil)
    }

    @Test("more changes than are told are only counted")
    mutating func bound() {
        for number in 0..<ChangeCoalescer.mostChanges + 5 { changes.created(path("f\(number)"), now: 0) }
        let batch = changes.flush()
        #expect(batch?.changes.count == ChangeCoalescer.mostChanges && batch?.isCut == true)
        changes.lost(now: 0)
        #expect(changes.flush()?.isCut == true)
    }
}

struct WatchedTreeTests {
    private var tree = WatchedTree()
    private var changes = ChangeCoalescer()

    init() {
        tree.add(1, WatchedTree.Directory(path: [], isRecursive: true))
        tree.add(2, WatchedTree.Directory(path: Array("src".utf8), isRecursive: true))
        tree.addName(Array("known".utf8), in: 2)
    }

    private func event(
        _ watch: Int32,
        _ kind: DirectoryEvent.Kind,
        _ name: String,
        isDirectory: Bool = false
    ) -> DirectoryEvent {
        DirectoryEvent(watch: watch, kind: kind, name: Array(name.utf8), isDirectory: isDirectory)
    }

    private mutating func apply(_ events: DirectoryEvent...) -> (WatchedTree.Needs, [FileChange]) {
        let needs = tree.apply(events, to: &changes, now: 0)
        return (needs, changes.flush()?.changes ?? [])
    }

    @Test("a name that was there is modified, a new one is created")
    mutating func names() {
        let (_, told) = apply(event(2, .created, "known"), event(2, .created, "new"))
        #expect(told == [FileChange(Array("src/known".utf8), .modified), FileChange(Array("src/new".utf8), .created)])
        let (_, next) = apply(event(2, .deleted, "known"))
        #expect(next == [FileChange(Array("src/known".utf8), .deleted)])
        let (_, last) = apply(event(2, .created, "known"))
        #expect(last == [FileChange(Array("src/known".utf8), .created)])
    }

    @Test("halves of a rename belong together; one half alone enters or leaves the tree")
    mutating func renames() {
        let (_, both) = apply(event(2, .movedFrom(7), "known"), event(1, .movedTo(7), "here"))
        #expect(both == [FileChange(Array("here".utf8), .renamed, from: Array("src/known".utf8))])
        let (_, left) = apply(event(1, .movedFrom(8), "here"))
        #expect(left == [FileChange(Array("here".utf8), .deleted)])
        let (_, entered) = apply(event(1, .movedTo(9), "there"))
        #expect(entered == [FileChange(Array("there".utf8), .created)])
    }

    @Test("new directories are to be watched, moved ones to be looked for")
    mutating func directories() {
        let (needs, told) = apply(event(1, .created, "new", isDirectory: true))
        #expect(needs.directories == [Array("new".utf8)] && !needs.isMoved && told.isEmpty)
        let (moved, renamed) = apply(
            event(1, .movedFrom(3), "src", isDirectory: true),
            event(1, .movedTo(3), "lib", isDirectory: true)
        )
        #expect(moved.isMoved && moved.directories.isEmpty)
        #expect(renamed == [FileChange(Array("lib".utf8), .renamed, from: Array("src".utf8), isDirectory: true)])
    }

    @Test("git's own directory is nothing, and an overflow is said")
    mutating func others() {
        let (needs, told) = apply(
            event(1, .created, ".git", isDirectory: true),
            event(99, .created, "unknown"),
            event(-1, .overflow, "")
        )
        #expect(needs == WatchedTree.Needs(directories: [], isMoved: false, isLost: true) && told.isEmpty)
    }
}
