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

private let chunkLimit = 4096

private enum ChunkedOutcome: Equatable {
    case incomplete(body: [UInt8])
    case complete(body: [UInt8], used: Int)
    case fault(ChunkReader.Fault)
}

/// A chunked body that arrives in pieces of a size.
private func chunkedBody(_ bytes: [UInt8], pieces size: Int) -> ChunkedOutcome {
    var reader = ChunkReader(limit: chunkLimit)
    var body: [UInt8] = []
    var rest = bytes[...]
    do throws(ChunkReader.Fault) {
        while !rest.isEmpty {
            let piece = try reader.read(rest.prefix(size))
            body += piece.data
            rest = rest.dropFirst(piece.used)
            if piece.isComplete { return .complete(body: body, used: bytes.count - rest.count) }
        }
    } catch {
        return .fault(error)
    }
    return .incomplete(body: body)
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
        let address = ForwardedAddress(head, isProxy: number % 2 == 0, names: gate.names)
        promise(address.host.map(gate.names.allows(host:)) ?? true, "a proxy names only names that are allowed")
        promise(
            address.prefix.isEmpty || address.prefix.hasPrefix("/") && !address.prefix.contains("//"),
            "a prefix is a path"
        )
        if case .success(let framing) = gate.check(head, isLocal: false, isFollowed: !reader.isEmpty, address: address)
        {
            promise(framing.body.announcedLength ?? 0 >= 0, "a length is no debt")
            promise((head[.transferEncoding] != nil) == (framing.body == .chunked), "no coding is passed over")
            promise(framing.body != .chunked || head[.contentLength] == nil, "a body has one framing")
            let isNamed = head[.host].map(gate.names.allows(host:))
            promise(isNamed ?? (head.version == .http10), "only names that are allowed, or none in HTTP/1.0")
        }
        _ = gate.checkUpgrade(head, isLocal: false, address: address)
        _ = try? ListenAddress(parsing: head[.host] ?? "")
        var identifiers = RequestIdentifier(seed: 7)
        let identifier = identifiers.identifier(clients: head[.requestID])
        promise(identifier.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an identifier forges no header")
    },
    Fuzzer(name: "chunks") { input in
        let (number, bytes) = input.choice
        let whole = chunkedBody(bytes, pieces: .max)
        promise(chunkedBody(bytes, pieces: Int(number) + 1) == whole, "pieces change nothing")
        guard case .complete(let body, let used) = whole else { return }
        promise(body.count <= chunkLimit, "a body keeps its limit")
        promise(body.count + 5 <= used && used <= bytes.count, "a body is within its chunks")
        promise(bytes[..<used].suffix(2).elementsEqual([13, 10]), "an empty line ends a body")
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
