import Testing

@testable import PushGateway

@Suite("PoolPlan")
struct PoolPlanTests {
    private let plan = PoolPlan(maxConnections: 2, growAfter: 0.2)
    private let full = PoolPlan.Member(room: 0, isProven: true)

    @Test("the first connection when something waits, not before the pause is over")
    func first() {
        #expect(plan.opening(members: [], isOpening: false, oldestQueuedAt: nil, notBefore: 5) == nil)
        #expect(plan.opening(members: [], isOpening: false, oldestQueuedAt: 1, notBefore: 5) == 5)
        #expect(plan.opening(members: [], isOpening: true, oldestQueuedAt: 1, notBefore: 5) == nil)
    }

    @Test("another only when all are full and proven, and a push has waited")
    func another() {
        #expect(plan.opening(members: [full], isOpening: false, oldestQueuedAt: 10, notBefore: 0) == 10.2)
        let unproven = PoolPlan.Member(room: 0, isProven: false)
        #expect(plan.opening(members: [unproven], isOpening: false, oldestQueuedAt: 10, notBefore: 0) == nil)
        let free = PoolPlan.Member(room: 1, isProven: true)
        #expect(plan.opening(members: [free], isOpening: false, oldestQueuedAt: 10, notBefore: 0) == nil)
        #expect(plan.opening(members: [full, full], isOpening: false, oldestQueuedAt: 10, notBefore: 0) == nil)
    }
}
