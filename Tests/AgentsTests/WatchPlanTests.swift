import EventModel
import Testing

@testable import Agents

struct WatchPlanTests {
    private var plan = WatchPlan()
    private let desk = MachineID(rawValue: 1)
    private let both = WatchedParts(files: true, git: true)

    private mutating func actions(_ followed: Set<String>, _ parts: WatchedParts? = nil) -> [WatchPlan.Action] {
        let wanted = parts ?? both
        return plan.actions(followed: followed) { _, _ in wanted }
    }

    private func target(_ workspace: String, _ parts: WatchedParts? = nil) -> WatchPlan.Target {
        WatchPlan.Target(workspaceID: workspace, path: "/\(workspace)", parts: parts ?? both)
    }

    private mutating func find(_ workspaces: String...) {
        let found = Dictionary(uniqueKeysWithValues: workspaces.map { ($0, (machine: desk, path: "/\($0)")) })
        plan.found(found, of: Set(workspaces))
    }

    @Test("a workspace is looked up once, and watched as long as somebody follows it")
    mutating func life() {
        plan.linkBegan(desk)
        #expect(actions(["w"]) == [.find(["w"])])
        #expect(actions(["w"]).isEmpty)
        find("w")
        #expect(actions(["w"]) == [.watch(desk, [target("w")])])
        #expect(actions(["w"]).isEmpty)
        plan.answered(desk, isDone: true)
        #expect(actions(["w"]).isEmpty && !plan.isIdle)
        #expect(actions([]) == [.watch(desk, [])])
        plan.answered(desk, isDone: true)
        #expect(actions([]).isEmpty && plan.isIdle)
    }

    @Test("an agent that connects again is told anew, and one that is away later")
    mutating func links() {
        _ = actions(["w"])
        find("w")
        #expect(actions(["w"]).isEmpty)
        plan.linkBegan(desk)
        #expect(actions(["w"]) == [.watch(desk, [target("w")])])
        // The answer to the first connection says nothing of the second.
        plan.linkBegan(desk)
        #expect(actions(["w"]) == [.watch(desk, [target("w")])])
        plan.linkEnded(desk)
        #expect(actions(["w"]).isEmpty)
    }

    @Test("what changes while the agent is being told comes after the answer; what failed is tried at a tick")
    mutating func answers() {
        plan.linkBegan(desk)
        _ = actions(["v", "w"])
        find("v", "w")
        #expect(actions(["v", "w"]) == [.watch(desk, [target("v"), target("w")])])
        #expect(actions(["w"]).isEmpty)
        plan.answered(desk, isDone: false)
        #expect(actions(["w"]).isEmpty)
        plan.tick()
        #expect(actions(["w"]) == [.watch(desk, [target("w")])])
        plan.answered(desk, isDone: true)
        let files = WatchedParts(files: true)
        #expect(actions(["w"], files) == [.watch(desk, [target("w", files)])])
    }

    @Test("a workspace of which nobody may see anything is not watched")
    mutating func rights() {
        plan.linkBegan(desk)
        _ = actions(["w"])
        find("w")
        #expect(actions(["w"], WatchedParts()).isEmpty)
    }

    @Test("an unknown workspace is looked up again after a while")
    mutating func unknown() {
        _ = actions(["w"])
        plan.found([:], of: ["w"])
        plan.tick()
        #expect(actions(["w"]).isEmpty)
        for _ in 0..<9 { plan.tick() }
        #expect(actions(["w"]) == [.find(["w"])])
    }
}
