import HTTPModel

@testable import Listener

private let table = HeaderTable(passing: ["authorization", "x-api-key", "accept"])
private let parser = RequestHeadParser(table: table)
private let gate = RequestGate(
    names: NameRules(allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"], boundHosts: ["::1"]),
    subprotocols: ["cdev"]
)

/// Heads and bodies as a connection would cut them, in pieces of a size; ends with the first fault.
private func requests(in bytes: [UInt8], pieces size: Int) -> [String] {
    var reader = RequestReader()
    var rest = bytes[...]
    var seen: [String] = []
    while !rest.isEmpty {
        let piece = rest.prefix(size)
        rest = rest.dropFirst(piece.count)
        reader.append(piece)
        do throws(HeadFault) {
            while let head = try reader.nextHead(parser, limit: 16 * 1024) { seen.append("\(head)") }
        } catch {
            return seen + ["\(error)"]
        }
    }
    return seen
}

/// Parsers of bytes from clients that have not shown a credential yet.
let requestFuzzers = [
    Fuzzer(name: "head") { input in
        let (number, bytes) = input.choice
        promise(
            requests(in: bytes, pieces: Int(number) + 1) == requests(in: bytes, pieces: .max),
            "pieces change nothing"
        )
        var reader = RequestReader()
        reader.append(bytes)
        guard let head = try? reader.nextHead(parser, limit: 16 * 1024) else { return }
        promise(head.target.path.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a path forges no header")
        for value in head.values.compactMap(\.self) {
            promise(!value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a value is one line")
        }
        if case .success(let framing) = gate.check(head, isLocal: false, isFollowed: !reader.isEmpty) {
            promise(framing.bodyLength >= 0, "a length is no debt")
            promise(head[.transferEncoding] == nil, "a body has one framing")
            promise(head[.host].map(gate.names.allows(host:)) ?? false, "only names that are allowed")
        }
        _ = gate.checkUpgrade(head, isLocal: false)
        _ = try? ListenAddress(parsing: head[.host] ?? "")
        var identifiers = RequestIdentifier(seed: 7)
        let identifier = identifiers.identifier(clients: head[.requestID])
        promise(identifier.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an identifier forges no header")
    },
    Fuzzer(name: "client-frames") { input in
        let (number, bytes) = input.choice
        func events(pieces size: Int) -> [String] {
            let frames = FrameReader(maximumMessage: 4096)
            var seen: [String] = []
            var rest = bytes[...]
            do throws(FrameReader.Fault) {
                while !rest.isEmpty {
                    var piece = rest.prefix(size)
                    rest = rest.dropFirst(piece.count)
                    while let event = try frames.next(&piece) { seen.append("\(event)") }
                }
            } catch {
                seen.append("\(error)")
            }
            return seen
        }
        promise(events(pieces: Int(number) + 1) == events(pieces: .max), "pieces change nothing")
    },
    Fuzzer(name: "proxy") { input in
        if case .complete(let length, _) = ProxyHeader.read(input) {
            promise((1...input.count).contains(length), "a header ends where it ends")
            promise(ProxyHeader.read(Array(input.prefix(length))) == ProxyHeader.read(input), "and nowhere else")
        }
        _ = TrustedProxies([input.text])
        _ = TrustedProxies(["10.0.0.0/8"])?.client(forwardedFor: input.text)
    },
]
