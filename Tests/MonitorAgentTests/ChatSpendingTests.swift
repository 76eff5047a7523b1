import EventModel
import JSON
import Testing

@testable import MonitorAgent

@Suite("Spending of chats")
struct ChatSpendingTests {
    private let noon = Timestamp(rfc3339: "2026-05-01T12:00:00Z") ?? Timestamp(microseconds: 0)

    @Test("a day begins at midnight UTC, and is known after a restart")
    func days() {
        var spending = ChatSpending()
        spending.add(1.25, at: noon)
        spending.add(0.5, at: noon.adding(seconds: 3600))
        let read = ChatSpending(stored: spending.stored)
        #expect(read == spending && read.spent(at: noon) == 1.75)
        #expect(read.spent(at: noon.adding(seconds: 43_199)) == 1.75)
        #expect(read.spent(at: noon.adding(seconds: 43_200)) == 0)
        spending.add(2, at: noon.adding(seconds: 43_200))
        #expect(spending.spent(at: noon.adding(seconds: 43_200)) == 2)
    }

    @Test("what is no sum adds nothing", arguments: [-1, .nan, .infinity, 0])
    func sums(_ dollars: Double) {
        var spending = ChatSpending()
        spending.add(1, at: noon)
        spending.add(dollars, at: noon)
        #expect(spending.spent(at: noon) == 1)
    }

    @Test("a file that is not valid tells nothing", arguments: ["", "x", #"{"day":0}"#, #"{"day":0,"usd":-1}"#])
    func invalid(_ text: String) {
        #expect(ChatSpending(stored: Array(text.utf8)) == ChatSpending())
    }

    @Test("a turn that failed counts at least its tokens")
    func failed() throws {
        let usage = try JSONValue.parse(Array(#"{"input_tokens":1000000,"output_tokens":1000000}"#.utf8))
        #expect(ChatSpending.cost(0.5, usage, hasFailed: false) == 0.5)
        #expect(ChatSpending.cost(0.5, usage, hasFailed: true) == 90)
        #expect(ChatSpending.cost(nil, usage, hasFailed: false) == 90)
        #expect(ChatSpending.cost(100, usage, hasFailed: true) == 100)
        #expect(ChatSpending.cost(nil, nil, hasFailed: true) == 0)
    }
}
