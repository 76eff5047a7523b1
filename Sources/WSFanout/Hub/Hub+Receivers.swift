extension Hub {
    /// The live subscribers whose filter matches the event. Right after `publish` they are those that received it.
    public func receivers(of event: EncodedEvent) -> [Subscriber] {
        live.filter { $0.key.filter.matches(event) }.flatMap(\.value.members)
    }
}
