import Testing

@testable import MonitorAgent

struct GitDebounceTests {
    private var debounce = GitDebounce()

    @Test("half a second after the last of several changes")
    mutating func quiet() {
        let isIdleDue = debounce.due(100)
        #expect(debounce.deadline == nil && !isIdleDue)
        debounce.changed(now: 10)
        debounce.changed(now: 10.3)
        #expect(debounce.deadline == 10.8)
        let isEarlyDue = debounce.due(10.7)
        #expect(!isEarlyDue)
        let isDue = debounce.due(10.8)
        #expect(isDue && debounce.deadline == nil)
    }

    @Test("at most once a second")
    mutating func interval() {
        debounce.changed(now: 10)
        _ = debounce.due(10.5)
        debounce.changed(now: 10.6)
        #expect(debounce.deadline == 11.5)
    }

    @Test("changes without a pause do not put it off for ever")
    mutating func longest() {
        for step in 0...30 { debounce.changed(now: 10 + Double(step) * 0.1) }
        #expect(debounce.deadline == 12)
    }

    @Test(
        "only files that say something of the state count",
        arguments: [
            ("index", true), ("HEAD", true), ("common/packed-refs", true), ("refs/heads/topic/one", true),
            ("rebase-merge", true), ("index.lock", false), ("refs/heads/main.lock", false), ("COMMIT_EDITMSG", false),
            ("gc.pid", false),
        ]
    )
    func names(path: String, matters: Bool) { #expect(GitWatch.matters(Array(path.utf8)) == matters) }
}
