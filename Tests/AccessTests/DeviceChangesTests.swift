import EventModel
import Synchronization
import Testing

@testable import Access

@Suite struct DeviceChangesTests {
    private let changes = DeviceChanges()
    private let phone = DeviceID(rawValue: 1)

    private final class Flag: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    /// A change that ends when it is told to.
    private struct Change {
        let task: Task<Void, Never>
        let end: AsyncStream<Void>.Continuation
    }

    private func begin(by device: DeviceID) async -> Change {
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await changes.run(by: device) {
                begins.finish()
                for await _ in ended {}
            }
        }
        for await _ in begun {}
        return Change(task: task, end: end)
    }

    @Test func aRevocationWaitsForTheChangesOfItsDeviceAlone() async {
        let other = await begin(by: DeviceID(rawValue: 2))
        await changes.settle(phone, atMost: 3600)
        let (one, two) = (await begin(by: phone), await begin(by: phone))
        let (changes, phone) = (changes, phone)
        let isSettled = Flag()
        let settling = Task {
            await changes.settle(phone, atMost: 3600)
            isSettled.set()
        }
        for change in [one, two] {
            while changes.waiting == 0, !isSettled.isSet { await Task.yield() }
            #expect(!isSettled.isSet)
            change.end.finish()
            await change.task.value
        }
        await settling.value
        other.end.finish()
        await other.task.value
    }

    @Test func aDeviceThatRevokesItselfDoesNotWaitForItself() async {
        let changes = changes
        let phone = phone
        await changes.run(by: phone) { await changes.settle(phone, atMost: 3600) }
    }

    @Test func aRevocationDoesNotWaitForever() async {
        let stuck = await begin(by: phone)
        await changes.settle(phone, atMost: 0.01)
        stuck.end.finish()
        await stuck.task.value
    }
}
