import EventModel
import Synchronization
import Testing

@testable import Agents

@Suite("Model memory")
struct ModelMemoryTests {
    /// An agent that counts how often it is asked.
    private final class Teller: Sendable {
        let now = Mutex(Timestamp(microseconds: 0))
        let asked = Mutex(0)
        let models: Mutex<[OfferedModel]?>

        init(_ models: [OfferedModel]?) { self.models = Mutex(models) }

        func passed(seconds: Double) { now.withLock { $0 = $0.adding(seconds: seconds) } }

        func ask(_ memory: ModelMemory) async -> [OfferedModel] {
            await memory.models({ self.now.withLock { $0 } }) {
                self.asked.withLock { $0 += 1 }
                return self.models.withLock { $0 }
            }
        }
    }

    private let sonnet = OfferedModel(name: "sonnet", id: "claude-sonnet-5-5")

    @Test("those that ask at the same time and later get one answer, which counts for ten minutes")
    func once() async {
        let (memory, teller) = (ModelMemory(), Teller([sonnet]))
        await withTaskGroup(of: [OfferedModel].self) { group in
            for _ in 0..<20 { group.addTask { await teller.ask(memory) } }
            for await told in group { #expect(told == [sonnet]) }
        }
        teller.passed(seconds: ModelMemory.keptSeconds - 1)
        #expect(await teller.ask(memory) == [sonnet])
        #expect(teller.asked.withLock { $0 } == 1)
        teller.passed(seconds: 2)
        #expect(await teller.ask(memory) == [sonnet])
        #expect(teller.asked.withLock { $0 } == 2)
    }

    @Test("an agent that tells none is asked again after a minute")
    func silent() async {
        let (memory, teller) = (ModelMemory(), Teller(nil))
        #expect(await teller.ask(memory) == [])
        teller.models.withLock { $0 = [sonnet] }
        #expect(await teller.ask(memory) == [])
        teller.passed(seconds: ModelMemory.pauseSeconds + 1)
        #expect(await teller.ask(memory) == [sonnet])
    }
}
