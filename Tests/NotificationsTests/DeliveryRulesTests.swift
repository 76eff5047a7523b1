import EventModel
import Testing

@testable import Notifications

@Suite("Delivery rules")
struct DeliveryRulesTests {
    @Test("each kind is sent as its row of the matrix says")
    func matrix() {
        let rows: [(NotificationKind, NotificationLevel, Int)] = [
            (.permission, .timeSensitive, 10), (.question, .active, 10), (.finished, .active, 10),
            (.error, .active, 10), (.stuck, .active, 10), (.costThreshold, .passive, 5), (.serverFailed, .active, 10),
            (.machineOffline, .active, 10), (.resolved, .passive, 5), (.digest, .passive, 5),
        ]
        for (kind, level, priority) in rows {
            let sent = delivery(decide(notice(kind)))
            #expect(sent?.level == level)
            #expect(sent?.priority == priority)
            #expect(sent?.hasSound == (level > .passive))
            #expect(sent?.expiresAt == notice(kind).expiresAt)
            #expect(sent?.relevance == kind.relevance)
            #expect(sent?.reason.code == .sent)
        }
        for kind in [NotificationKind.longTool, .sessionStarted, .sessionEnded] {
            #expect(decide(notice(kind)).reason.code == .kindOff)
        }
    }

    @Test("what was withdrawn is not sent, whatever else holds, and the reason is told")
    func withdrawn() {
        for kind in NotificationKind.allCases {
            let decision = decide(notice(kind)) { situation in
                situation.recent.withdrawn = .answeredElsewhere
                situation.preferences.alwaysPush = true
            }
            #expect(decision == .suppress(DeliveryReason(.answeredElsewhere, "It was answered elsewhere.")))
        }
    }

    @Test("what is no longer of use is not sent")
    func expired() {
        #expect(delivery(decide(notice(.permission), now: 599)) != nil)
        #expect(decide(notice(.permission), now: 600).reason.code == .expired)
    }

    @Test("a resolution needs a prompt that was sent")
    func nothingToReplace() {
        let decision = decide(notice(.resolved)) { $0.recent.promptWasSent = false }
        #expect(decision.reason.code == .nothingToReplace)
    }

    @Test("short turns and tools are not told, from the given length on they are")
    func short() {
        let turn = { (seconds: Double) in
            decide(notice(.finished, details: NotificationDetails(durationSeconds: seconds))).reason.code
        }
        #expect(turn(119.9) == .shortTurn)
        #expect(turn(120) == .sent)
        let tool = { (seconds: Double) in
            decide(notice(.longTool, details: NotificationDetails(durationSeconds: seconds))) { situation in
                situation.preferences.kinds[.longTool] = KindPreference(isEnabled: true)
            }.reason.code
        }
        #expect(tool(59) == .shortTool)
        #expect(tool(60) == .sent)
    }

    @Test("an idle session is told where its turn was too short to be told")
    func idle() {
        let idle = { (seconds: Double) in
            notice(.question, details: NotificationDetails(reason: "idle_prompt", durationSeconds: seconds))
        }
        #expect(decide(idle(200)).reason.code == .alreadyTold)
        #expect(decide(idle(20)).reason.code == .sent)
        let isOff = decide(idle(200)) { $0.preferences.kinds[.finished] = KindPreference(isEnabled: false) }
        #expect(isOff.reason.code == .sent)
    }

    @Test("a mute keeps statements away and makes prompts wait where it ends in time")
    func muted() {
        let mute = { (until: Double) in
            { (situation: inout DeliveryCase) in
                situation.preferences.mutes = [ResolvedPreferences.Mute(layer: .project, until: at(until))]
            }
        }
        #expect(isSuppressed(decide(notice(.finished), mute(60))))
        #expect(waitsUntil(decide(notice(.permission), mute(60))) == at(60))
        let long = decide(notice(.permission), mute(3600))
        #expect(isSuppressed(long))
        let sentence = "Muted for this project until 2026-01-05T11:00:00.000Z. It is of no use by then."
        #expect(long.reason.sentence == sentence)
        #expect(delivery(decide(notice(.permission), mute(9))) != nil)
        #expect(delivery(decide(notice(.resolved), mute(60))) != nil)
    }

    @Test("quiet hours silence, count or stop; permission comes through where it may")
    func quiet() {
        let hours = { (delivery: QuietHours.Delivery, pierces: Bool) in
            { (situation: inout DeliveryCase) in
                // 10:00 UTC is 23:00 there.
                situation.device.utcOffset = 13 * 3600
                situation.preferences.quietHours = QuietHours(
                    start: 22 * 60,
                    end: 23 * 60 + 30,
                    delivery: delivery,
                    permissionPierces: pierces
                )
            }
        }
        let silent = delivery(decide(notice(.finished), hours(.silent, true)))
        #expect(silent?.level == .passive)
        #expect(silent?.priority == 5)
        #expect(silent?.hasSound == false)
        #expect(silent?.reason.code == .sentSilently)
        #expect(delivery(decide(notice(.permission), hours(.none, true)))?.level == .timeSensitive)
        #expect(delivery(decide(notice(.permission), hours(.silent, false)))?.level == .passive)
        #expect(decide(notice(.permission), hours(.none, false)).reason.code == .quietHours)
        #expect(isSuppressed(decide(notice(.finished), hours(.none, true))))
        guard case .digest(let end, _) = decide(notice(.finished), hours(.digest, true)) else {
            Issue.record("no digest")
            return
        }
        #expect(end == at(1800))
        #expect(waitsUntil(decide(notice(.digest), hours(.digest, true))) == at(1800))
    }

    @Test(
        "who looks at the session, or has the app open on the device, needs no push",
        arguments: [
            ("s1", nil, true, 5.0, true), ("s2", nil, true, 5, false), (nil, nil, true, 5, false),
            ("s1", nil, false, 5, false), ("s1", nil, true, -51, false), ("s1", nil, true, -49, true),
            (nil, Int64(3), true, 5, true), ("s2", 3, true, 5, true), (nil, 4, true, 5, false),
        ] as [(String?, Int64?, Bool, Double, Bool)]
    )
    func presence(session: String?, device: Int64?, visible: Bool, interacted: Double, isSeen: Bool) {
        let viewer = Viewer(
            device: device.map { DeviceID(rawValue: $0) },
            sessionID: session,
            isVisible: visible,
            lastInteractionAt: at(interacted)
        )
        let finished = decide(notice(.finished)) { $0.presence = .viewers([viewer]) }
        #expect((finished.reason.code == .viewerPresent) == isSeen)
        let prompt = decide(notice(.permission)) { $0.presence = .viewers([viewer]) }
        #expect(waitsUntil(prompt) == (isSeen ? at(min(interacted, 0) + 60) : nil))
        let always = decide(notice(.finished)) { situation in
            situation.presence = .viewers([viewer])
            situation.preferences.alwaysPush = true
        }
        #expect(delivery(always) != nil)
    }

    @Test("a prompt is held for a minute in all, however busy a client is")
    func presenceIsBounded() {
        for now in stride(from: 6.0, to: 120, by: 6) {
            let decision = decide(notice(.permission), now: now) { situation in
                let viewer = Viewer(device: nil, sessionID: "s1", lastInteractionAt: at(now))
                situation.presence = .viewers([viewer])
            }
            #expect(waitsUntil(decision) == (now < 60 ? at(60) : nil))
        }
    }

    @Test("where nobody knows who looks on, the push is sent")
    func unknownPresence() {
        #expect(delivery(decide(notice(.finished)) { $0.presence = .unknown }) != nil)
        #expect(delivery(decide(notice(.finished)) { $0.presence = .viewers([]) }) != nil)
    }

    @Test("prompts wait for their grace, reminders for their time; both can be set")
    func grace() {
        #expect(waitsUntil(decide(notice(.permission), now: 1)) == at(6))
        #expect(delivery(decide(notice(.permission), now: 6)) != nil)
        #expect(delivery(decide(notice(.permission), now: 0) { $0.preferences.graceSeconds = 0 }) != nil)
        let reminder = notice(.permission, isReminder: true)
        #expect(waitsUntil(decide(reminder, now: 30)) == at(180))
        #expect(delivery(decide(reminder, now: 180)) != nil)
        #expect(decide(reminder, now: 30) { $0.preferences.reminderSeconds = 0 }.reason.code == .remindersOff)
        var held = notice(.finished)
        held.notBefore = at(15)
        #expect(waitsUntil(decide(held)) == at(15))
    }

    @Test("what may have been allowed by itself waits for a sign, unless no grace is wanted")
    func unconfirmed() {
        var prompt = notice(.permission)
        prompt.unconfirmedSeconds = 30
        let early = decide(prompt, now: 10)
        #expect(waitsUntil(early) == at(30) && early.reason.code == .unconfirmed)
        #expect(delivery(decide(prompt, now: 30)) != nil)
        #expect(delivery(decide(prompt, now: 0) { $0.preferences.graceSeconds = 0 }) != nil)
        #expect(waitsUntil(decide(prompt, now: 31) { $0.preferences.graceSeconds = 40 }) == at(40))
        var reminder = prompt
        reminder.isReminder = true
        #expect(waitsUntil(decide(reminder, now: 31)) == at(180 + 24))
        prompt.unconfirmedSeconds = 0
        #expect(delivery(decide(prompt, now: 6)) != nil)
    }

    @Test("the person's wishes come before what the server spares them")
    func order() {
        var situation = deliveryCase(notice(.finished, details: NotificationDetails(durationSeconds: 1))) { situation in
            situation.preferences.kinds[.finished] = KindPreference(isEnabled: false)
            situation.preferences.mutes = [ResolvedPreferences.Mute(layer: .everyone, until: at(60))]
            situation.preferences.quietHours = QuietHours(start: 0, end: 0, delivery: .none)
            situation.presence = .viewers([Viewer(device: nil, sessionID: "s1", lastInteractionAt: at(9))])
            situation.notice.notBefore = at(11)
            situation.recent.newerSent = .finished
            situation.recent.sessionSentAt = at(9)
            situation.recent.budget = DeliveryBudget(fullAt: at(100_000))
            situation.recent.breakerUntil = at(100)
        }
        var codes: [DeliveryReason.Code] = []
        let removals: [(inout DeliveryCase) -> Void] = [
            { $0.preferences.kinds = [:] }, { $0.notice.details.durationSeconds = 500 }, { $0.preferences.mutes = [] },
            { $0.preferences.quietHours = nil }, { $0.presence = .unknown }, { $0.notice.notBefore = at(0) },
            { $0.recent.newerSent = nil }, { $0.recent.sessionSentAt = nil }, { $0.recent.budget = DeliveryBudget() },
            { $0.recent.breakerUntil = nil }, { _ in },
        ]
        for remove in removals {
            codes.append(DeliveryRules.decide(situation).reason.code)
            remove(&situation)
        }
        #expect(
            codes == [
                .kindOff, .shortTurn, .muted, .quietHours, .viewerPresent, .notYetDue, .replaced, .sessionGap,
                .budget, .breaker, .sent,
            ]
        )
    }

    @Test("no wait lasts beyond the notice's end, and each decision's code is one of its state", arguments: 1...400)
    func waitsEnd(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        func time(_ range: ClosedRange<Double> = -100...5000) -> Timestamp {
            at(Double.random(in: range, using: &random).rounded())
        }
        let kind = NotificationKind.allCases.randomElement(using: &random) ?? .permission
        var told = notice(kind, isReminder: kind == .permission && Bool.random(using: &random))
        told.unconfirmedSeconds = [0, 30, 300].randomElement(using: &random) ?? 0
        told.details.durationSeconds = [nil, 10, 500].randomElement(using: &random) ?? nil
        let chance = { (one: Int) in Int.random(in: 0..<one, using: &random) == 0 }
        let decision = decide(told, now: Double.random(in: 0...1200, using: &random)) { situation in
            situation.preferences.reminderSeconds = [180, 540].randomElement(using: &random) ?? 180
            if chance(4) { situation.preferences.mutes = [.init(layer: .device, until: time())] }
            if chance(4) {
                situation.preferences.quietHours = QuietHours(
                    start: 0,
                    end: [611, 700, 1200].randomElement(using: &random) ?? 700,
                    delivery: QuietHours.Delivery.allCases.randomElement(using: &random) ?? .silent,
                    permissionPierces: Bool.random(using: &random)
                )
            }
            if chance(4) {
                situation.presence = .viewers([Viewer(device: nil, sessionID: "s1", lastInteractionAt: situation.now)])
            }
            if chance(3) { situation.recent.sameCollapseSentAt = situation.now.adding(seconds: -3) }
            if chance(3) { situation.recent.sessionSentAt = situation.now.adding(seconds: -3) }
            if chance(3) { situation.recent.budget = DeliveryBudget(fullAt: time(0...20_000)) }
            if chance(3) { situation.recent.breakerUntil = situation.now.adding(seconds: 1800) }
        }
        switch decision {
        case .wait(let until, let reason):
            #expect(until <= told.expiresAt)
            #expect(reason.code.states.contains(.waiting))
        case .suppress(let reason) where reason.code == .expired: break
        case .suppress(let reason), .digest(_, let reason): #expect(reason.code.states.contains(.suppressed))
        case .send(let delivery): #expect(delivery.reason.code.states == [.sent])
        }
    }

    @Test("notices are stacked by session or by project, under names that tell neither")
    func threads() {
        let bySession = delivery(decide(notice(.finished)))?.threadID
        let byProject = delivery(decide(notice(.finished)) { $0.preferences.grouping = .project })?.threadID
        #expect(bySession?.hasPrefix("s:") == true)
        #expect(byProject?.hasPrefix("w:") == true)
        #expect(bySession?.contains("s1") == false)
    }

    @Test("codes are stable: programs compare them")
    func codes() {
        #expect(
            WithdrawalReason.allCases.map(\.rawValue) == [
                "answered_elsewhere", "auto_approved", "turn_went_on", "session_ended", "merged", "forgotten",
                "silenced_by_machine",
            ]
        )
        #expect(WithdrawalReason.allCases.allSatisfy { $0.code.rawValue == $0.rawValue })
    }
}
