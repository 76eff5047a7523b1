extension Hub {
    /// The published events after `seq` that are still in memory.
    public func recentEvents(after seq: Int64) -> [EncodedEvent] {
        ring.events(after: max(seq, ring.start)).map { Array($0) } ?? []
    }

    /// The live subscribers whose filter matches the event. Right after `publish` they are those that received it.
    public func receivers(of event: EncodedEvent) -> [Subscriber] {
        live.filter { $0.key.filter.matches(event) }.flatMap(\.value.members)
    }
}
