import Testing

@testable import EventModel

@Suite("Types of the server's own events")
struct ReservedTypeTests {
    private func event(_ type: EventType, _ name: String?) -> MonitorEvent {
        MonitorEvent(
            id: EventID(high: 1, low: 1),
            type: type,
            hookEventName: name.map { HookEventName($0) },
            timestamp: Timestamp(microseconds: 1),
            receivedAt: Timestamp(microseconds: 1),
            machine: MachineID(rawValue: 1),
            machineName: "desk",
            sessionID: "s",
            projectPath: nil,
            toolName: nil,
            summary: "x",
            payload: [],
            facts: SessionFacts()
        )
    }

    private static let all = EventType.ofServer.map(\.rawValue) + EventType.ofNotifications

    /// Other ways to write a name.
    private static func spellings(_ name: String) -> [String] {
        let words = name.split(separator: "_").map(String.init)
        let capitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return [
            name, name.uppercased(), capitals, words.joined(separator: "-"), words.joined(separator: " "),
            words.joined(separator: "__"), " \(name)\n", words.joined(separator: "\u{200B}"), words.joined(),
            words.joined(separator: "."), "\t" + capitals, words.joined(separator: "/"),
        ]
    }

    @Test("no spelling passes as the type or as the hook's name", arguments: all)
    func noSpelling(name: String) {
        for spelling in ReservedTypeTests.spellings(name) {
            #expect(EventType(sent: spelling).isReserved, "\(spelling)")
            #expect(event(EventType(HookEventName(spelling)), spelling).isReserved, "\(spelling)")
            #expect(event(.prompt, spelling).isForged, "\(spelling)")
        }
    }

    @Test("the hooks of Claude Code, their short words and other names may be posted")
    func others() {
        for name in HookEventName.Known.allCases {
            #expect(!event(EventType(.known(name)), name.rawValue).isReserved, "\(name.rawValue)")
        }
        for name in ["start", "end", "tool_use", "user_prompt", "Deploy Done", "prompt_opened_2", "session", "claude"] {
            #expect(!EventType(sent: name).isReserved, "\(name)")
        }
    }

    @Test("the server's own events name no hook, and are not forged")
    func own() {
        for type in EventType.ofServer {
            #expect(event(type, nil).isReserved && !event(type, nil).isForged)
            #expect(event(type, "Anything").isForged)
        }
    }
}
