import Foundation

/// A response other than 2xx, as one line for a person.
struct ServerFault {
    var status: Int
    var body: Data

    private struct Envelope: Decodable {
        struct Fault: Decodable {
            var code: String?
            var message: String?
            var requestId: String?
            var retryAfter: Double?
        }
        var error: Fault
    }

    func error(server: String) -> CommandError {
        let fault = (try? ServerJSON.decode(Envelope.self, body))?.error
        let said = TerminalText.printable(fault?.message ?? "no reason given")
        let request = fault?.requestId.map { " [request \(TerminalText.printable($0))]" } ?? ""
        let advice =
            switch status {
            case 401: "; check --token, MONITOR_ADMIN_TOKEN or the data directory's admin.token"
            case 403: "; this needs the admin token"
            case 421: "; add this host name to the server's MONITOR_ALLOWED_HOSTS or use another --url"
            case 429, 503: "; try again \(wait(fault?.retryAfter))"
            case 300..<400: "; set --url to the final address"
            case 500...: "; see the server's log"
            default: ""
            }
        return .refused("the server answered \(status): \(said)\(advice)\(request)", status: status)
    }

    private func wait(_ seconds: Double?) -> String {
        seconds.map { "in \(Int($0.rounded(.up))) s" } ?? "shortly"
    }
}
