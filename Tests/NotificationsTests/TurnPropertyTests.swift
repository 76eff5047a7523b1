import EventModel
import Testing

@testable import Notifications

/// A made-up session whose turns are known: some Stop hooks make the turn go on, with tools or without.
private struct BlockedTurns {
    var script = Script()
    /// The true length of each turn.
    var lengths: [Double] = []

    /// - Parameter hasPromptIDs: as Claude Code has sent them since 2.1.196.
    init(seed: UInt64, hasPromptIDs: Bool) {
        var random = SeededGenerator(state: seed)
        var time = 0.0
        var wasBlocked = false
        func pass(_ range: ClosedRange<Double>) { time += Double.random(in: range, using: &random) }
        for turn in 0..<5 {
            let id = hasPromptIDs ? #","prompt_id":"p\#(turn)""# : ""
            let began = time
            script.prompt(time, id: hasPromptIDs ? "p\(turn)" : nil)
            for block in 0...Int.random(in: 0...3, using: &random) {
                // Until a Stop hook has blocked once, nobody knows that one does.
                if block > 0 { pass(wasBlocked ? 1.5...25 : 1.5...6) }
                for tool in 0..<Int.random(in: block == 0 ? 1...3 : 0...2, using: &random) {
                    script.tool("PreToolUse", time, "t\(turn)-\(block)-\(tool)", more: id)
                    pass(1.5...5)
                    script.tool("PostToolUse", time, "t\(turn)-\(block)-\(tool)", more: id)
                }
                pass(0.5...3)
                script.stop(time, #""stop_hook_active":\#(block > 0)"# + id)
                wasBlocked = wasBlocked || block > 0
            }
            lengths.append(time - began)
            pass(60...300)
        }
    }

    /// The lengths that are told: of the notices that are not taken back before they may be sent.
    var told: [Double] {
        let actions = script.actions
        let withdrawn = Dictionary(actions.withdrawn.map { ($0.promptKey, $0.at) }) { first, _ in first }
        return actions.raised.filter { notice in
            notice.kind == .finished && (withdrawn[notice.promptKey ?? ""].map { $0 >= notice.notBefore } ?? true)
        }.compactMap(\.details.durationSeconds)
    }
}

@Suite("Turns that Stop hooks keep going, at random")
struct TurnPropertyTests {
    @Test("each turn is told once, with its whole length", arguments: [true, false])
    func wholeLength(hasPromptIDs: Bool) {
        for seed: UInt64 in 1...120 {
            let turns = BlockedTurns(seed: seed, hasPromptIDs: hasPromptIDs)
            let told = turns.told
            #expect(told.count == turns.lengths.count, "seed \(seed)")
            for (found, expected) in zip(told, turns.lengths) { #expect(abs(found - expected) < 0.01, "seed \(seed)") }
        }
    }
}
