extension Hub {
    /// The live subscribers whose filter matches the event. Called right after its publish: those that were handed it.
    public func receivers(of event: EncodedEvent) -> [Subscriber] {
        live.filter { $0.key.filter.matches(event) }.flatMap(\.value.members)
    }
}
