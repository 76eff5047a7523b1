/// Decides how to come to a postmaster that accepts connections, whatever an earlier server left behind.
struct StartProcedure: Sendable {
    enum Action: Sendable, Equatable {
        case launch
        /// Look again a little later.
        case wait
        case done(adopted: Bool)
        case died
        case timedOut
    }

    /// Looks that may still be taken before the procedure gives up.
    private(set) var looks: Int
    private var launched = false

    init(looks: Int) {
        self.looks = looks
    }

    /// `status` is that of the living postmaster on the data directory, `nil` if there is none.
    mutating func observed(_ status: PostmasterFile.Status?) -> Action {
        switch status {
        case .ready:
            return .done(adopted: !launched)
        case nil where launched:
            return .died
        case nil:
            // The launch itself waits for as long as a start may take.
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
