@testable import HTTPClient
@testable import PushGateway

private let headers = {
    var headers = H2HeaderBlock()
    headers.append(":method", "POST")
    headers.append(":scheme", "https")
    headers.append(":path", "/")
    headers.append(":authority", "localhost")
    return headers
}()

/// What push services send on an HTTP/2 connection.
let wireFuzzers = [
    Fuzzer(name: "http2") { input in
        let (choice, bytes) = input.choice
        guard let session = try? H2Session(keptFields: ["apns-id", "location", "retry-after"]) else { return }
        let body = [UInt8](repeating: 1, count: 20_000)
        var open = Set([session.submit(headers, body: body), session.submit(headers, body: [])].compactMap(\.self))
        var rest = bytes[...]
        var sent: [UInt8] = []
        // nghttp2 answers SETTINGS and PING, and refuses a peer that makes it queue too many answers.
        while !rest.isEmpty, (try? session.write(to: &sent, limit: 1 << 20)) != nil {
            sent.removeAll()
            let part = Array(rest.prefix(Int(choice) + 1))
            rest = rest.dropFirst(part.count)
            do { try session.receive(part) } catch { break }
            takeEvents(of: session, &open)
        }
        session.abandonStreams()
        takeEvents(of: session, &open)
        promise(open.isEmpty, "each request ends")
    }
]

private func takeEvents(of session: H2Session, _ open: inout Set<H2Stream>) {
    while let event = session.nextEvent() {
        guard case .closed(let stream, _, let response, _) = event else { continue }
        promise(open.remove(stream) != nil, "and once")
        promise(response.body.count <= H2Response.bodyLimit, "a body has a bound")
        promise(response.fields.count <= H2Response.fieldLimit, "so have header fields")
        _ = PushAnswer(apns: response)
        _ = PushAnswer(webPush: response)
    }
}
