/// The keys of structured log records, declared once.
enum LogKey {
    static let action = "action"
    static let address = "address"
    static let code = "code"
    static let count = "count"
    static let error = "error"
    static let object = "object"
    static let peer = "peer"
    static let requestID = "request_id"
    static let result = "result"
    static let route = "route"
    static let seconds = "seconds"
    static let signal = "signal"
}
