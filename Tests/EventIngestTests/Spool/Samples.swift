import EventModel
import Foundation
import Logging
import Persistence
import Synchronization

@testable import EventIngest

/// A directory that goes with its owner.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.path + "/event-spool-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var spool: String { path + "/spool" }

    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []).sorted()
    }

    func bytes(_ name: String) -> [UInt8] {
        FileManager.default.contents(atPath: spool + "/" + name).map(Array.init) ?? []
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: spool + "/" + name))
    }
}

enum Samples {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let clock: @Sendable () -> Timestamp = {
        Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }

    static func event(_ number: Int, machine: Int64 = 1, payloadBytes: Int = 20) -> MonitorEvent {
        var random = SplitMix(state: UInt64(number))
        var event = Samples.random(&random)
        event.id = EventID(high: UInt64(machine), low: UInt64(number))
        event.machine = MachineID(rawValue: machine)
        event.timestamp = Timestamp(microseconds: Int64(number) * 1000)
        event.receivedAt = Timestamp(microseconds: Int64(number))
        event.payload = Array("{\"n\":\"".utf8) + [UInt8](repeating: 0x61, count: payloadBytes) + Array("\"}".utf8)
        return event
    }

    /// Every field takes every form: there or not, empty, not ASCII, extreme.
    static func random(_ random: inout SplitMix) -> MonitorEvent {
        func text() -> String {
            let pieces = ["", "a", "ä", "\u{0}", "\u{1F600}", "\"\\\n", String(repeating: "x", count: 300), "Stop"]
            return (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
        }
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
        func number() -> Int64 {
            [0, 1, -1, .max, .min, Int64(bitPattern: random.next())].randomElement(using: &random)!
        }
        return MonitorEvent(
            id: EventID(high: random.next(), low: random.next()),
            type: EventType(rawValue: text()),
            hookEventName: maybe(HookEventName(text())),
            timestamp: Timestamp(microseconds: number()),
            receivedAt: Timestamp(microseconds: number()),
            machine: MachineID(rawValue: number()),
            machineName: text(),
            reportedMachineName: maybe(text()),
            sessionID: maybe(text()),
            projectPath: maybe(text()),
            toolName: maybe(text()),
            summary: text(),
            payload: (0..<Int.random(in: 0...100, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next())
            },
            facts: SessionFacts(
                toolUseID: maybe(text()),
                toolInputHash: maybe(random.next()),
                agentID: maybe(text()),
                agentType: maybe(text()),
                permissionMode: maybe(text()),
                model: maybe(text()),
                title: maybe(text()),
                detail: maybe(text()),
                promptIsInjected: Bool.random(using: &random),
                usage: maybe(
                    TokenUsage(input: number(), output: number(), cacheRead: number(), cacheCreation: number())
                ),
                costUSD: maybe([0, -0.0, 1.5, .infinity, 1e-300].randomElement(using: &random)!)
            )
        )
    }
}

/// Set once, by any thread.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

/// SplitMix64: the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A database that is there or not, and answers as it is told.
final class FakeStore: Sendable {
    private struct State {
        var isUp: Bool
        var committed: [EventID] = []
        var known: Set<EventID> = []
        var refused: Set<EventID> = []
        /// How many events of a batch are committed before the database goes away; `nil`: all.
        var commitsBeforeLoss: Int?
        var batches: [Int] = []
        var random = SplitMix(state: 3)
    }

    private let state: Mutex<State>
    private let changed = DispatchSemaphore(value: 0)

    init(isUp: Bool = true) {
        state = Mutex(State(isUp: isUp))
    }

    var committed: [EventID] { state.withLock { $0.committed } }
    var batches: [Int] { state.withLock { $0.batches } }
    var isUp: Bool { state.withLock { $0.isUp } }

    func set(isUp: Bool) { state.withLock { $0.isUp = isUp } }
    func refuse(_ ids: [EventID]) { state.withLock { $0.refused.formUnion(ids) } }
    func loseConnection(after count: Int) { state.withLock { $0.commitsBeforeLoss = count } }

    /// Now and then it goes, comes, or is about to go in the middle of a batch.
    func change() {
        state.withLock { state in
            switch Int.random(in: 0..<8, using: &state.random) {
            case 0: state.isUp = false
            case 1, 2: state.isUp = true
            case 3: state.commitsBeforeLoss = Int.random(in: 0..<5, using: &state.random)
            default: break
            }
        }
    }

    func commit(_ events: [MonitorEvent]) -> [AppendOutcome] {
        state.withLock { state in
            state.batches.append(events.count)
            return events.enumerated().map { index, event in
                if let limit = state.commitsBeforeLoss, index >= limit {
                    if index == events.count - 1 { state.commitsBeforeLoss = nil }
                    return .unavailable(retryAfter: 1)
                }
                if state.refused.contains(event.id) { return .rejected(PersistenceError(.malformedReply, "refused")) }
                if state.known.insert(event.id).inserted { state.committed.append(event.id) }
                return .accepted(seq: 1)
            }
        }
    }

    /// Answers from another thread, as the writer does.
    var sink: EventSpool.Sink {
        { events, completion in
            guard self.isUp else { return false }
            DispatchQueue.global().async { completion(self.commit(events)) }
            return true
        }
    }
}

/// Polls with a bound: the spool tells its state only when asked.
func eventually(within seconds: Double = 20, _ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return condition()
}

extension EventSpool {
    static func started(
        _ directory: TemporaryDirectory,
        store: FakeStore = FakeStore(isUp: false),
        change: (inout SpoolConfiguration) -> Void = { _ in }
    ) throws -> EventSpool {
        var configuration = SpoolConfiguration(directory: directory.spool)
        configuration.retryMilliseconds = 5
        change(&configuration)
        let spool = EventSpool(configuration: configuration, logger: Samples.logger, clock: Samples.clock)
        try spool.start(replayInto: store.sink)
        return spool
    }

    /// `nil`: refused at once.
    func append(_ events: [MonitorEvent]) async -> SpoolOutcome? {
        await withCheckedContinuation { continuation in
            if !append(events, completion: { continuation.resume(returning: $0) }) {
                continuation.resume(returning: nil)
            }
        }
    }
}
