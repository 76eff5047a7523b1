internal import HTTPModel
internal import Synchronization

/// Counts of answers and holds since the start of the server.
struct PromptCounts: Sendable {
    var answers: Int64 = 0
    var lateAnswers: Int64 = 0
    /// Answers that in the end did not fit the hook's request.
    var unfitAnswers: Int64 = 0
    /// Hooks that were turned away because too many wait.
    var refusedHolds: Int64 = 0
    /// The number of answers of the last day, older than a minute, that no event shows to be applied or late. From the
    /// last sample.
    var unapplied: Int64 = 0
    /// The age of the oldest unapplied answer.
    var unappliedSeconds = 0.0
}

extension WaitingHooks {
    func write(to text: inout PrometheusText) {
        let (holds, bytes) = table.withLock { ($0.count, $0.bytes) }
        let counts = counts.withLock { $0 }
        text.gauge("monitor_prompt_holds", "Hooks that wait for an answer on this server.", Double(holds))
        text.gauge("monitor_prompt_hold_bytes", "Bytes of the prompts that hooks wait on.", Double(bytes))
        text.counter(
            "monitor_prompt_holds_refused_total",
            "Hooks turned away because too many wait.",
            counts.refusedHolds
        )
        text.counter("monitor_prompt_answers_total", "Answers of devices that counted.", counts.answers)
        text.counter("monitor_prompt_answers_late_total", "Answers that came too late.", counts.lateAnswers)
        text.counter(
            "monitor_prompt_answers_unfit_total",
            "Answers that did not fit what the hook asked when it asked again.",
            counts.unfitAnswers
        )
        text.gauge(
            "monitor_prompt_answers_unapplied",
            "Answers older than a minute of which it is not known that Claude Code acted on them.",
            Double(counts.unapplied)
        )
        text.gauge(
            "monitor_prompt_answer_unapplied_seconds",
            "Age of the oldest answer of which it is not known that Claude Code acted on it.",
            counts.unappliedSeconds
        )
        text.metric("monitor_prompt_step_seconds", .gauge, "From a prompt's opening to the step, of the latest 512.")
        for (step, quantile, seconds) in latencies.quantiles {
            text.sample("monitor_prompt_step_seconds", labels: [("step", step), ("quantile", "\(quantile)")], seconds)
        }
    }
}
