import EventModel
import JSON
import Testing

@testable import Notifications

@Suite("Preferences")
struct PushPreferencesTests {
    private static let everything = """
        {"kinds":{"permission":{"enabled":true,"level":"active","always_push":true},"long_tool":{"enabled":true}},\
        "grace_seconds":0,"reminder_seconds":60,"quiet_hours":{"start":"22:30","end":"07:05","days":["sat","sun"],\
        "delivery":"digest","permission_pierces":false},"muted_until":"2026-01-05T12:00:00.000Z","always_push":false,\
        "minimum_turn_seconds":30,"long_tool_seconds":90,"budget":{"per_hour":10,"burst":2},"session_gap_seconds":0,\
        "privacy":"plain","live_activities":true,"grouping":"project","cost_thresholds_usd":[5.0,20.0],\
        "project_cost_thresholds_usd":[3.5],"session_cost_thresholds_usd":[1.5]}
        """

    private func read(_ text: String) throws(PreferencesError) -> PushPreferences {
        try PushPreferences(json: Array(text.utf8))
    }

    private func fault(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("every field is read, and written as it is read")
    func roundTrip() throws {
        let preferences = try read(PushPreferencesTests.everything)
        #expect(preferences.kinds[.permission] == KindPreference(isEnabled: true, level: .active, alwaysPush: true))
        #expect(preferences.graceSeconds == 0)
        #expect(preferences.mutedUntil == Timestamp(rfc3339: "2026-01-05T12:00:00Z"))
        #expect(preferences.costThresholds == [5, 20])
        guard case .between(let hours) = preferences.quietHours else {
            Issue.record("no quiet hours")
            return
        }
        let expected = QuietHours(
            start: 1350,
            end: 425,
            days: [5, 6],
            delivery: .digest,
            permissionPierces: false
        )
        #expect(hours == expected)
        #expect(String(decoding: preferences.json(), as: UTF8.self) == PushPreferencesTests.everything)
    }

    @Test("nothing, null and an empty object are no opinion")
    func noOpinion() throws {
        #expect(try read("{}").isEmpty)
        #expect(try read(#"{"grace_seconds":null,"quiet_hours":null,"kinds":{"error":null}}"#).isEmpty)
        #expect(try read(#"{"kinds":{"error":{}}}"#).isEmpty)
        #expect(PushPreferences().json() == Array("{}".utf8))
    }

    @Test("quiet hours can be switched off against a more general layer")
    func quietOff() throws {
        let off = try read(#"{"quiet_hours":false}"#)
        #expect(off.quietHours == .off)
        #expect(String(decoding: off.json(), as: UTF8.self) == #"{"quiet_hours":false}"#)
        let on = try read(#"{"quiet_hours":{"start":"22:00","end":"07:00"}}"#)
        #expect(ResolvedPreferences.resolved(everyone: on).quietHours?.delivery == .silent)
        #expect(ResolvedPreferences.resolved(everyone: on, device: off).quietHours == nil)
    }

    @Test(
        "what is wrong is told with the field and its bounds",
        arguments: [
            ("[]", "the preferences are not a JSON object"), ("{", "the preferences are not a JSON object"),
            (#"{"graceseconds":1}"#, "graceseconds is not a preference"),
            (#"{"grace_seconds":61}"#, "grace_seconds must be a whole number from 0 to 60"),
            (#"{"grace_seconds":1.5}"#, "grace_seconds must be a whole number from 0 to 60"),
            (#"{"grace_seconds":"6"}"#, "grace_seconds must be a whole number from 0 to 60"),
            (#"{"reminder_seconds":29}"#, "reminder_seconds must be a whole number from 30 to 540, or 0"),
            (#"{"always_push":1}"#, "always_push must be true or false"),
            (#"{"privacy":"open"}"#, "privacy must be one of sealed, contentless, plain"),
            (#"{"muted_until":"tomorrow"}"#, "muted_until must be a time as in RFC 3339"),
            (#"{"kinds":{"resolved":{}}}"#, "kinds.resolved is not a preference"),
            (#"{"kinds":{"error":true}}"#, "kinds.error must be an object"),
            (
                #"{"kinds":{"error":{"level":"critical"}}}"#,
                "kinds.error.level must be one of passive, active, time-sensitive"
            ),
            (#"{"budget":{"per_hour":0}}"#, "budget.per_hour must be a whole number from 1 to 600"),
            (#"{"quiet_hours":true}"#, "quiet_hours must be an object or false"),
            (
                #"{"quiet_hours":{"start":"24:00","end":"07:00"}}"#,
                "quiet_hours.start must be a time of day from \"00:00\" to \"23:59\""
            ),
            (
                #"{"quiet_hours":{"start":"22:00"}}"#,
                "quiet_hours.end must be a time of day from \"00:00\" to \"23:59\""
            ),
            (
                #"{"quiet_hours":{"start":"22:00","end":"07:00","days":["Monday"]}}"#,
                "quiet_hours.days must be an array of mon, tue, wed, thu, fri, sat, sun"
            ),
            (
                #"{"cost_thresholds_usd":[0]}"#,
                "cost_thresholds_usd must be an array of at most 10 amounts from 0.01 to 1000000"
            ),
        ]
    )
    func faults(text: String, message: String) {
        #expect(fault(text) == message)
    }

    @Test("a field's name from outside is shown cut and without what is no name")
    func foreignName() {
        let name = String(repeating: "x", count: 100)
        #expect(fault(#"{"\#(name)":1}"#) == String(repeating: "x", count: 40) + " is not a preference")
        #expect(fault(#"{"a\nb":1}"#) == "ab is not a preference")
    }

    @Test("a more special layer counts, kind by kind and member by member")
    func layers() throws {
        let resolved = ResolvedPreferences.resolved(
            everyone: try read(#"{"kinds":{"finished":{"enabled":false,"level":"passive"}},"grace_seconds":10}"#),
            device: try read(#"{"kinds":{"finished":{"enabled":true}},"budget":{"per_hour":3}}"#),
            project: try read(#"{"grace_seconds":20}"#),
            session: try read(#"{"kinds":{"finished":{"always_push":true}}}"#)
        )
        #expect(resolved.isEnabled(.finished))
        #expect(resolved.level(of: .finished) == .passive)
        #expect(resolved.alwaysPushes(.finished))
        #expect(!resolved.alwaysPushes(.error))
        #expect(resolved.graceSeconds == 20)
        #expect(resolved.budget == PushBudget(perHour: 3, burst: 5))
    }

    @Test("without a layer the defaults hold")
    func defaults() {
        let resolved = ResolvedPreferences.resolved()
        #expect(resolved == ResolvedPreferences())
        let on = NotificationKind.configurable.filter(resolved.isEnabled)
        let usual: [NotificationKind] = [.permission, .question, .finished, .error, .stuck, .costThreshold]
        #expect(on == usual + [.serverFailed, .machineOffline])
        #expect(resolved.privacy == .sealed)
    }

    @Test("a mute is not overruled by a more special layer; costs belong to the layer of all devices")
    func mutes() throws {
        let resolved = ResolvedPreferences.resolved(
            everyone: try read(#"{"muted_until":"2026-01-05T12:00:00Z","cost_thresholds_usd":[3]}"#),
            session: try read(#"{"muted_until":"2026-01-05T11:00:00Z","cost_thresholds_usd":[1]}"#)
        )
        #expect(resolved.mutes.map(\.layer) == [.everyone, .session])
        #expect(resolved.asPreferences.mutedUntil == Timestamp(rfc3339: "2026-01-05T12:00:00Z"))
        #expect(resolved.costThresholds == [3])
    }

    @Test("what holds can be shown, and read again")
    func shown() throws {
        let everything = try read(PushPreferencesTests.everything)
        let resolved = ResolvedPreferences.resolved(everyone: everything)
        let again = ResolvedPreferences.resolved(everyone: try PushPreferences(json: resolved.asPreferences.json()))
        #expect(again.asPreferences == resolved.asPreferences)
    }
}
