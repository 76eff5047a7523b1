/// A state that is stored between two inputs: read, changed and written back.
protocol StoredState {
    /// The state before the first input.
    init()
    /// `nil` if `stored` is not what `stored()` writes.
    init?(stored: [UInt8])
    func stored() -> [UInt8]
}

extension StoredState {
    /// Reads a state, changes it, and returns it as it is after the change, with what the change asks for.
    ///
    /// A tuple is built from left to right, so `(state, state.take(input))` returns the state from before `take`. Code
    /// that returns a state together with the result of a change gets both from here.
    /// - Parameter stored: `nil`, or what cannot be read, starts anew.
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
extension SpendingWatch: StoredState {}
