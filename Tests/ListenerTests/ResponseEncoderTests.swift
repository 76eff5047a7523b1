import HTTPModel
import Testing

@testable import Listener

@Suite struct ResponseEncoderTests {
    private func head(
        _ response: HTTPResponse,
        _ framing: ResponseEncoder.Framing? = nil,
        closes: Bool = false,
        oldClient: Bool = false
    ) -> String {
        String(
            decoding: ResponseEncoder.head(
                of: response,
                framing: framing ?? .length(response.body.count),
                closes: closes,
                oldClient: oldClient,
                requestID: "r"
            ),
            as: UTF8.self
        )
    }

    @Test func hasItsParts() {
        #expect(
            head(.text("abc"))
                == "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\n"
                + "x-request-id: r\r\ncontent-length: 3\r\n\r\n"
        )
        #expect(head(.text("")).contains("content-length: 0\r\n"))
        #expect(head(.text(""), closes: true).contains("connection: close\r\n"))
        #expect(head(.text(""), oldClient: true).contains("connection: keep-alive\r\n"))
        #expect(!head(HTTPResponse(status: 204)).contains("content-length"))
        #expect(!head(HTTPResponse(status: 304)).contains("content-length"))
        #expect(
            head(HTTPResponse(status: 426), closes: true).contains(
                "connection: upgrade, close\r\nupgrade: websocket\r\n"
            )
        )
    }

    @Test func aStreamedBodyHasNoLength() {
        #expect(head(.text("abc"), .chunked).hasSuffix("x-request-id: r\r\ntransfer-encoding: chunked\r\n\r\n"))
        #expect(head(.text("abc"), .untilClose, closes: true).hasSuffix("x-request-id: r\r\nconnection: close\r\n\r\n"))
        #expect(head(.text("abc"), .unknown).hasSuffix("x-request-id: r\r\n\r\n"))
        #expect(
            ChunkedBody.chunk([UInt8](repeating: 65, count: 26))
                == Array("1a\r\n\(String(repeating: "A", count: 26))\r\n".utf8)
        )
    }

    @Test func namesAndValuesStayInTheirLine() {
        let text = head(HTTPResponse(status: 200, headers: [("a\r\nb: c", "d\r\n\r\ne\0f")]))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\na--b--c: d    e f\r\n"))
    }

    @Test func idsOfClientsAreEchoedOnlyIfHarmless() {
        var identifiers = RequestIdentifier(seed: 35)
        #expect(identifiers.identifier(clients: "Az0._-") == "Az0._-")
        #expect(identifiers.identifier(clients: nil) == "req_z-1")
        for bad in ["", "a b", "a\r\nb", String(repeating: "a", count: 65), "é"] {
            #expect(identifiers.identifier(clients: bad).hasPrefix("req_z-"))
        }
    }
}
