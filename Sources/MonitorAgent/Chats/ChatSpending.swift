internal import EventModel
internal import JSON

/// What the machine's chats have cost on one day, which begins at midnight UTC. Pure.
struct ChatSpending: Equatable {
    /// The beginning of the day.
    private var day = Timestamp(microseconds: 0)
    /// US dollars.
    private var sum = 0.0

    /// The most dollars of one turn, so that no reported cost makes the sum infinite.
    private static let most = 1_000_000.0

    init() {}

    /// From what an earlier agent has stored; nothing if that is not valid.
    init(stored: [UInt8]) {
        guard let value = try? JSONValue.parse(stored), let day = value["day"]?.integer,
            let sum = value["usd"]?.double, sum.isFinite, sum >= 0
        else { return }
        (self.day, self.sum) = (Timestamp(microseconds: day).midnight, sum)
    }

    var stored: [UInt8] {
        var writer = JSONWriter()
        writer.value(.object([("day", .integer(day.microseconds)), ("usd", .number(sum))]))
        return writer.bytes
    }

    /// US dollars of the day of this time.
    func spent(at time: Timestamp) -> Double { time.midnight == day ? sum : 0 }

    mutating func add(_ dollars: Double, at time: Timestamp) {
        guard dollars.isFinite, dollars > 0 else { return }
        (sum, day) = (spent(at: time) + min(dollars, ChatSpending.most), time.midnight)
    }

    /// What a turn has cost. Claude Code prices whole messages only. So a turn that failed, or for which it reports no
    /// cost, counts at least its tokens at the highest prices of any model.
    static func cost(_ told: Double?, _ usage: JSONValue?, hasFailed: Bool) -> Double {
        guard hasFailed || told == nil else { return told ?? 0 }
        var dollars = 0.0
        for (name, price) in highestPrices {
            let tokens: Int64 = max(0, usage?[name]?.integer ?? 0)
            dollars += Double(tokens) * price / 1_000_000
        }
        return max(told ?? 0, dollars)
    }

    /// US dollars of a million tokens.
    private static let highestPrices: [(String, Double)] = [
        ("input_tokens", 15), ("cache_read_input_tokens", 1.5), ("cache_creation_input_tokens", 30),
        ("output_tokens", 75),
    ]
}
