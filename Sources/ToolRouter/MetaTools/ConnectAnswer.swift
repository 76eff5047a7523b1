internal import JSON

/// The answer of the tools for connections: the state of each toolkit.
struct ConnectAnswer {
    enum State {
        case active
        /// - Parameters:
        ///   - url: the address that the user opens.
        ///   - isAnew: whether the toolkit was connected already.
        case initiated(String, isAnew: Bool)
        /// A link was made before, and the user has not completed the login.
        case pending
        case failed(String?)
    }

    private var toolkits: [(slug: String, state: State)] = []

    mutating func add(_ slug: String, _ state: State) { toolkits.append((slug, state)) }

    private var message: String {
        if toolkits.isEmpty { return "None of the toolkits is enabled in this session." }
        var (active, begun, failed) = (0, 0, 0)
        for (_, state) in toolkits {
            switch state {
            case .active: active += 1
            case .initiated, .pending: begun += 1
            case .failed: failed += 1
            }
        }
        if active == toolkits.count { return "All toolkits are connected." }
        if begun == toolkits.count { return "All connections have been initiated and are pending completion" }
        return "\(active) connected, \(begun) pending, \(failed) failed."
    }

    var json: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("message", message)
        writer.beginObject("results")
        for (slug, state) in toolkits {
            writer.key(named: slug)
            writer.beginObject()
            writer.field("toolkit", slug)
            write(state, to: &writer)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func write(_ state: State, to writer: inout JSONWriter) {
        switch state {
        case .active: writer.field("status", "active")
        case .initiated(let url, _):
            writer.field("status", "initiated")
            writer.field("redirect_url", url)
            writer.field(
                "instruction",
                "Action required: have the user open this link, which works once and for ten minutes: \(url)\n"
            )
        case .pending: writer.field("status", "initiated")
        case .failed(let reason):
            writer.field("status", "failed")
            writer.field("error_message", reason)
        }
        if case .initiated(_, true) = state {
            writer.field("was_reinitiated", true)
        } else {
            writer.field("was_reinitiated", false)
        }
    }
}
