import JSON
import RPC
import Testing

@testable import MonitorAgent

@Suite("Pictures that come in parts")
struct UploadsTests {
    private func part(_ id: String, _ data: String, at offset: Int = 0, of size: Int) throws -> RPCParams {
        try RPCParams(
            .object([
                ("upload", .string(id)), ("offset", .integer(Int64(offset))), ("size", .integer(Int64(size))),
                ("data", .string(data)),
            ])
        )
    }

    @Test("a message has its pictures before its text")
    func content() throws {
        var uploads = Uploads()
        #expect(try uploads.add(try part("a", "AAAA", of: 8)) == 4)
        let image = UploadReference(id: "a", mediaType: "image/png")
        #expect(throws: CommandRefusal.self) { try uploads.content(.string("look"), [image]) }
        #expect(try uploads.add(try part("a", "BBBB", at: 4, of: 8)) == 8)
        let content = try uploads.content(.string("look"), [image])
        #expect(content.array?.map { $0["type"]?.string } == ["image", "text"])
        #expect(content.array?.first?["source"]?["data"]?.string == "AAAABBBB")
        uploads.remove([image])
        #expect(throws: CommandRefusal.self) { try uploads.content(.string("look"), [image]) }
        #expect(try uploads.content(.string("look"), []) == .string("look"))
    }

    @Test("a part that is not the next one is refused, and the first begins anew")
    func order() throws {
        var uploads = Uploads()
        _ = try uploads.add(try part("a", "AAAA", of: 8))
        #expect(throws: CommandRefusal.self) { try uploads.add(try part("a", "CCCC", at: 8, of: 12)) }
        #expect(throws: CommandRefusal.self) { try uploads.add(try part("b", "CCCC", at: 4, of: 8)) }
        #expect(throws: RPCError.self) { try uploads.add(try part("a", "BBBBB", at: 4, of: 8)) }
        #expect(try uploads.add(try part("a", "DDDD", of: 4)) == 4)
    }

    @Test("a new picture pushes out the oldest")
    func bound() throws {
        var uploads = Uploads()
        for number in 0..<6 { _ = try uploads.add(try part("\(number)", "AAAA", of: 8 << 20)) }
        #expect(throws: CommandRefusal.self) { try uploads.add(try part("0", "BBBB", at: 4, of: 8 << 20)) }
        #expect(try uploads.add(try part("1", "BBBB", at: 4, of: 8 << 20)) == 8)
        #expect(throws: RPCError.self) { try uploads.add(try part("x", "AAAA", of: (8 << 20) + 1)) }
    }
}
