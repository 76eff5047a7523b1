package import EventModel

/// A last-writer-wins register: the latest event that sets it decides its value, whatever the order of arrival
/// (Shapiro et al., "A comprehensive study of convergent and commutative replicated data types", 3.2.1).
struct Register<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The sender's time of the event that set it. The event's id breaks ties.
    var order: EventOrder
    var value: Value
}

/// The position of an event on its session's own clock.
package struct EventOrder: Sendable, Hashable, Comparable {
    package var time: Timestamp
    package var id: EventID

    package init(time: Timestamp, id: EventID) {
        self.time = time
        self.id = id
    }

    package static func < (left: EventOrder, right: EventOrder) -> Bool {
        (left.time.microseconds, left.id.high, left.id.low) < (right.time.microseconds, right.id.high, right.id.low)
    }
}

extension MonitorEvent {
    package var order: EventOrder { EventOrder(time: sessionTime, id: id) }
}

extension Optional {
    /// Keeps the later of the two.
    mutating func set<Value>(_ value: Value, at order: EventOrder) where Wrapped == Register<Value> {
        if let current = self, current.order >= order { return }
        self = Register<Value>(order: order, value: value)
    }

    /// Keeps the earlier of the two.
    mutating func setFirst<Value>(_ value: Value, at order: EventOrder) where Wrapped == Register<Value> {
        if let current = self, current.order <= order { return }
        self = Register<Value>(order: order, value: value)
    }
}
