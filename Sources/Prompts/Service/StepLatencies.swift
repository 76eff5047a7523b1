internal import EventModel
internal import Sessions
internal import Synchronization

/// How long prompts take from their opening to each step. Keeps the newest `samples` of each step.
final class StepLatencies: Sendable {
    static let samples = 512
    /// The steps that are measured.
    static let steps = ["held", "pushed", "delivered", "seen", "answered", "applied"]

    private struct State {
        var seconds: [String: [Double]] = [:]
        var next: [String: Int] = [:]
        /// The last prompts and how many of their steps are counted.
        var counted: [String: Int] = [:]

        mutating func add(_ value: Double, _ step: String) {
            guard let count = seconds[step]?.count, count >= StepLatencies.samples else {
                return seconds[step, default: []].append(value)
            }
            let place = next[step, default: 0]
            seconds[step]?[place] = value
            next[step] = (place + 1) % StepLatencies.samples
        }
    }

    private let state = Mutex(State())

    init() {}

    func note(_ prompt: Prompt) {
        state.withLock { state in
            if state.counted.count > 4096 { state.counted = [:] }
            let known = state.counted[prompt.id] ?? 0
            for step in prompt.steps.dropFirst(known) where StepLatencies.steps.contains(step.name) {
                state.add(max(0, step.at.seconds(since: prompt.openedAt)), step.name)
            }
            state.counted[prompt.id] = prompt.steps.count
        }
    }

    /// In the order of the steps. Steps that have not happened are omitted.
    var quantiles: [(step: String, quantile: Double, seconds: Double)] {
        let seconds = state.withLock { $0.seconds }
        return StepLatencies.steps.flatMap { step -> [(step: String, quantile: Double, seconds: Double)] in
            guard let sorted = seconds[step]?.sorted(), !sorted.isEmpty else { return [] }
            return [0.5, 0.99].map { quantile in
                (step, quantile, sorted[min(sorted.count - 1, Int(quantile * Double(sorted.count)))])
            }
        }
    }
}
