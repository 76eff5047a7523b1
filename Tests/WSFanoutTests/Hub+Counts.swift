@testable import WSFanout

extension Hub {
    var subscriberCount: Int { subscriptions.count }
    var liveCount: Int { live.values.reduce(0) { $0 + $1.members.count } }
}
