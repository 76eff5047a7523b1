import EventModel

@testable import Notifications

// The rules asked about one notice and one device, at 10 s unless said otherwise.

func deliveryCase(
    _ notice: Notification,
    now: Double = 10,
    _ change: (inout DeliveryCase) -> Void = { _ in }
) -> DeliveryCase {
    var situation = DeliveryCase(
        notice: notice,
        preferences: ResolvedPreferences(),
        device: DeviceSituation(id: DeviceID(rawValue: 3)),
        now: at(now)
    )
    change(&situation)
    return situation
}

func decide(
    _ notice: Notification,
    now: Double = 10,
    _ change: (inout DeliveryCase) -> Void = { _ in }
) -> DeliveryDecision {
    DeliveryRules.decide(deliveryCase(notice, now: now, change))
}

func delivery(_ decision: DeliveryDecision) -> Delivery? {
    guard case .send(let delivery) = decision else { return nil }
    return delivery
}

func waitsUntil(_ decision: DeliveryDecision) -> Timestamp? {
    guard case .wait(let until, _) = decision else { return nil }
    return until
}

func isSuppressed(_ decision: DeliveryDecision) -> Bool {
    guard case .suppress = decision else { return false }
    return true
}
