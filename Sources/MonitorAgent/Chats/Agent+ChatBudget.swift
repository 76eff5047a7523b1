internal import ClaudeRunner
internal import EventModel
internal import Host
internal import Logging
internal import MachinePolicy

/// The machine's own limit on what its chats may cost in a day.
extension Agent {
    /// Throws if the chats of the day have spent the budget. A turn counts when it ends, so turns that run at the same
    /// time can exceed the budget together.
    func requireBudget(_ file: AgentFile) throws(CommandRefusal) {
        guard let budget = file.chatBudget, chatSpending.spent(at: SystemClock.now()) >= budget else { return }
        throw CommandRefusal(
            .budgetSpent,
            "The chats of the machine have cost what its file agent allows in a day (chat_budget=\(budget)). "
                + "The day ends at midnight UTC."
        )
    }

    /// Adds the cost of a turn, and stores the sum, so that an agent that starts again on the same day knows it.
    func spend(_ end: ChatEnd) {
        let cost = ChatSpending.cost(end.cost, end.usage, hasFailed: end.failure != nil)
        guard cost > 0 else { return }
        chatSpending.add(cost, at: SystemClock.now())
        do throws(OwnFile.Fault) {
            try OwnFile.replace(places.chatSpending, chatSpending.stored, isDurable: false)
        } catch {
            logger.error("the cost of a chat cannot be written", metadata: ["error": "\(error)"])
        }
    }
}
