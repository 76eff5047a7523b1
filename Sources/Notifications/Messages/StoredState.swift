/// A state that is stored between inputs.
protocol StoredState {
    /// The state before the first input.
    init()
    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(stored: [UInt8])
    func stored() -> [UInt8]
}

extension StoredState {
    /// Decodes a state, changes it, and returns the changed state with the result of the change.
    ///
    /// A tuple is built from left to right, so `(state, state.take(input))` would return the state from before
    /// `take`. Code that needs both the state and the result calls this function.
    /// - Parameter stored: `nil` or undecodable data gives the initial state.
    static func update<Result>(
        stored: [UInt8]?,
        _ change: (inout Self) -> Result
    ) -> (state: Self, result: Result) {
        var state = stored.flatMap { Self(stored: $0) } ?? Self()
        let result = change(&state)
        return (state, result)
    }
}

extension LiveActivityPlan: StoredState {}
