import EventModel
import Testing

@testable import PushGateway

@Suite("APNsRequest")
struct APNsRequestTests {
    private func fault(
        token: String = "00ff",
        bundleID: String = "org.example.app",
        type: APNsPushType = .alert,
        priority: APNsPriority = .immediate,
        expiration: APNsExpiration = .unspecified,
        collapseID: String? = nil,
        payload: String = #"{"aps":{}}"#
    ) -> APNsRequestFault? {
        do throws(APNsRequestFault) {
            _ = try APNsRequest(
                deviceToken: token,
                bundleID: bundleID,
                pushType: type,
                priority: priority,
                expiration: expiration,
                collapseID: collapseID,
                payload: Array(payload.utf8),
                deadline: Timestamp(microseconds: 0)
            )
            return nil
        } catch {
            return error
        }
    }

    private func payload(bytes: Int) -> String {
        let frame = #"{"aps":{},"x":""}"#
        return #"{"aps":{},"x":""# + String(repeating: "x", count: bytes - frame.utf8.count) + #""}"#
    }

    @Test("good requests")
    func good() {
        #expect(fault() == nil)
        #expect(fault(token: "00FF") == nil)
        #expect(fault(token: String(repeating: "ab", count: 100)) == nil)
        #expect(fault(collapseID: String(repeating: "x", count: 64)) == nil)
        #expect(fault(expiration: .none) == nil)
        #expect(fault(type: .background, priority: .considerate) == nil)
        #expect(fault(payload: payload(bytes: 4096)) == nil)
        #expect(fault(type: .voip, payload: payload(bytes: 5120)) == nil)
    }

    @Test("each rule of Apple's is kept before anything is sent")
    func faults() {
        for token in ["", "abc", "xyz0", "ab cd", "é"] { #expect(fault(token: token) == .deviceToken) }
        for topic in ["", "a b", "a\r\nb", String(repeating: "x", count: 256)] {
            #expect(fault(bundleID: topic) == .topic)
        }
        #expect(fault(type: .background) == .priority)
        #expect(fault(expiration: .at(0)) == .expiration)
        for collapseID in ["", String(repeating: "x", count: 65), "a\nb", "ä"] {
            #expect(fault(collapseID: collapseID) == .collapseID)
        }
        for text in ["", "{}", "[]", "{", #"{"aps":1}"#] { #expect(fault(payload: text) == .payload) }
        #expect(fault(payload: payload(bytes: 4097)) == .payloadTooLarge(limit: 4096))
        #expect(fault(type: .voip, payload: payload(bytes: 5121)) == .payloadTooLarge(limit: 5120))
    }

    @Test("topics by type")
    func topics() {
        #expect(APNsPushType.alert.topic(bundleID: "a.b") == "a.b")
        #expect(APNsPushType.liveActivity.topic(bundleID: "a.b") == "a.b.push-type.liveactivity")
        #expect(Set(APNsPushType.allCases.map { $0.topic(bundleID: "a") }).count == APNsPushType.allCases.count - 1)
    }

    @Test("what can be logged names neither device token nor payload")
    func description() throws {
        let request = try APNsRequest(
            deviceToken: "00ff00ff",
            bundleID: "org.example.app",
            pushType: .alert,
            priority: .immediate,
            payload: Array(#"{"aps":{"alert":"private"}}"#.utf8),
            deadline: Timestamp(microseconds: 0)
        )
        for text in ["\(request)", String(reflecting: request), "\([request])"] {
            #expect(!text.contains("00ff") && !text.contains("private"))
            #expect(text.contains(request.id.text))
        }
    }

    @Test("ids are canonical UUIDs")
    func ids() {
        for _ in 0..<100 {
            let id = APNsID.random()
            #expect(APNsID(id.text.uppercased()) == id)
            #expect(Array(id.text)[14] == "4")
            #expect("89ab".contains(Array(id.text)[19]))
        }
        for text in ["", "x", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"] {
            #expect(APNsID(text) == nil)
        }
    }
}
