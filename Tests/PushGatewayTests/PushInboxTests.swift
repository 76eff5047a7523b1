import EventModel
import Glibc
import Testing

@testable import HTTPClient
@testable import PushGateway

/// When the push thread is woken up, and what the bound on bytes does.
@Suite("PushInbox")
struct PushInboxTests {
    private let wakeUp: WakeUp
    private let inbox: PushInbox<APNsService>

    init() throws {
        wakeUp = try WakeUp()
        inbox = PushInbox(byteLimit: 1000, wakeUp: wakeUp)
    }

    private func submission(bytes: Int) throws -> PushSubmission<APNsService> {
        let deadline = Timestamp(microseconds: 1_000_000)
        let request = try APNsRequest(
            deviceToken: "ab",
            bundleID: "org.example.monitor",
            pushType: .alert,
            priority: .immediate,
            payload: Array(#"{"aps":{}}"#.utf8),
            deadline: deadline
        )
        let origin = PushOrigin(host: "localhost", port: 443)
        let traits = PushTraits(origin: origin, priority: 10, deadline: deadline, bytes: bytes)
        return PushSubmission(request, traits: traits) { _ in }
    }

    /// Takes the signals that were given.
    private func signals() -> Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        return max(0, recv(wakeUp.descriptor, &bytes, bytes.count, 0))
    }

    @Test("a thread that waits is woken up once, one at work never")
    func wakes() throws {
        #expect(inbox.offer(try submission(bytes: 1)) == nil)
        #expect(signals() == 0)
        #expect(!inbox.prepareToWait())
        #expect(inbox.take().submissions.count == 1)
        #expect(inbox.prepareToWait())
        for _ in 0..<3 { #expect(inbox.offer(try submission(bytes: 1)) == nil) }
        #expect(signals() == 1)
        #expect(inbox.take().submissions.count == 3)
        #expect(inbox.take().submissions.isEmpty)
    }

    @Test("a refusal wakes nobody")
    func bound() throws {
        #expect(inbox.prepareToWait())
        #expect(inbox.offer(try submission(bytes: 1001)) == .queueFull)
        #expect(signals() == 0)
        #expect(inbox.offer(try submission(bytes: 1000)) == nil)
        #expect(inbox.offer(try submission(bytes: 1)) == .queueFull)
        inbox.release(bytes: 1)
        #expect(inbox.offer(try submission(bytes: 1)) == nil)
        #expect(inbox.pendingBytes == 1000)
    }

    @Test("a stop wakes once, stays, and does not keep the thread from waiting")
    func stop() throws {
        #expect(inbox.prepareToWait())
        inbox.stop()
        #expect(signals() == 1)
        #expect(!inbox.prepareToWait())
        #expect(inbox.take().isStopping)
        #expect(inbox.prepareToWait())
        #expect(inbox.take().isStopping)
        #expect(inbox.offer(try submission(bytes: 1)) == .stopped)
        #expect(signals() == 0)
    }
}
