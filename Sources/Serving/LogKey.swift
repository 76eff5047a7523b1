/// The keys of structured log records, declared once.
package enum LogKey {
    package static let action = "action"
    package static let address = "address"
    package static let code = "code"
    package static let count = "count"
    package static let error = "error"
    package static let object = "object"
    package static let peer = "peer"
    package static let requestID = "request_id"
    package static let result = "result"
    package static let route = "route"
    package static let seconds = "seconds"
    package static let signal = "signal"
}
