@testable import PushGateway

private let headers = [
    H2Header(name: ":method", value: "POST"), H2Header(name: ":scheme", value: "https"),
    H2Header(name: ":path", value: "/"), H2Header(name: ":authority", value: "localhost"),
]

/// What push services send on an HTTP/2 connection.
let wireFuzzers = [
    Fuzzer(name: "http2") { input in
        let (choice, bytes) = input.choice
        guard let session = try? H2Session() else { return }
        let body = [UInt8](repeating: 1, count: 20_000)
        var open = Set([session.submit(headers, body: body), session.submit(headers, body: [])].compactMap(\.self))
        var rest = bytes[...]
        // nghttp2 answers SETTINGS and PING, and refuses a peer that makes it queue too many answers.
        while !rest.isEmpty, (try? session.output(limit: 1 << 20)) != nil {
            let part = Array(rest.prefix(Int(choice) + 1))
            rest = rest.dropFirst(part.count)
            do { try session.receive(part) } catch { break }
            take(session.takeEvents(), &open)
        }
        session.abandonStreams()
        take(session.takeEvents(), &open)
        promise(open.isEmpty, "each request ends")
    }
]

private func take(_ events: [H2Event], _ open: inout Set<Int32>) {
    for case .closed(let stream, _, let response, _) in events {
        promise(open.remove(stream) != nil, "and once")
        promise(response.body.count <= H2Response.bodyLimit, "a body has a bound")
        promise(response.fields.count <= H2Response.fieldLimit, "so have header fields")
        _ = APNsAnswer(response)
        _ = WebPushAnswer(response)
    }
}
