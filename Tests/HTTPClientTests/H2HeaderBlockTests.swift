import CNghttp2
import Testing

@testable import HTTPClient

/// What nghttp2 is given, by its own structures.
@Suite("H2HeaderBlock")
struct H2HeaderBlockTests {
    private struct Pair: Equatable {
        let name: String
        let value: String
        let isIndexed: Bool
    }

    private func pairs(_ block: H2HeaderBlock) -> [Pair] {
        block.withFields { fields in
            fields.map { field in
                Pair(
                    name: String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self),
                    value: String(
                        decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen),
                        as: UTF8.self
                    ),
                    isIndexed: UInt32(field.flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue == 0
                )
            }
        }
    }

    @Test("names, prefixes and values, also empty ones, in their order")
    func contents() {
        var block = H2HeaderBlock()
        block.append(":path", prefix: "/3/device/", "ab")
        block.append("empty", "")
        block.append("secret", "ü", indexing: .never)
        let expected = [
            Pair(name: ":path", value: "/3/device/ab", isIndexed: true),
            Pair(name: "empty", value: "", isIndexed: true), Pair(name: "secret", value: "ü", isIndexed: false),
        ]
        #expect(pairs(block) == expected)
        block.removeAll()
        #expect(pairs(block).isEmpty)
    }

    @Test("a field that changes is indexed in the first request that has it")
    func once() {
        var block = H2HeaderBlock()
        func request(_ hasTopic: Bool) -> [Bool] {
            block.removeAll()
            block.append("id", "1", indexing: .once)
            if hasTopic { block.append("topic", "2", indexing: .once) }
            return pairs(block).map(\.isIndexed)
        }
        #expect(request(false) == [true])
        #expect(request(true) == [false, true])
        #expect(request(true) == [false, false])
    }
}
