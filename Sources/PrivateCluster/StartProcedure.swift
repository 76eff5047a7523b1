/// Decides how to get a postmaster that accepts connections, whatever state an earlier server left.
struct StartProcedure: Sendable {
    enum Action: Sendable, Equatable {
        case launch
        /// Check again a little later.
        case wait
        case done(adopted: Bool)
        case died
        case timedOut
    }

    /// Number of remaining checks before the procedure gives up.
    private(set) var looks: Int
    private var launched = false

    init(looks: Int) {
        self.looks = looks
    }

    /// `status` describes the live postmaster on the data directory, or is `nil` if there is none.
    mutating func observed(_ status: PostmasterFile.Status?) -> Action {
        switch status {
        case .ready:
            return .done(adopted: !launched)
        case nil where launched:
            return .died
        case nil:
            // The launch itself waits up to the maximum duration of a start.
            looks = 0
            launched = true
            return .launch
        case .starting, .stopping:
            guard looks > 0 else { return .timedOut }
            looks -= 1
            return .wait
        }
    }
}
