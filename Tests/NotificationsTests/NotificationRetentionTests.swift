import DatabaseSamples
import EventModel
import Testing

@testable import Notifications
@testable import Persistence

@Suite struct NotificationRetentionTests {
    @Test func contentsOfPushesGoByTheRetention() throws {
        let database = try TestDatabase()
        var configuration = database.configuration
        configuration.retentionDays = 2
        for age in [3, 1] {
            let time = "now() - interval '\(age) days'"
            try database.execute(
                """
                INSERT INTO push_notices (key, kind, notice, raised_at, not_before, expires_at)
                    VALUES ('\(age)', 'permission', '{}', \(time), \(time), \(time));
                INSERT INTO push_watches VALUES ('\(age)', '{}', \(time));
                INSERT INTO devices (name, created_at, last_seen_at) VALUES ('\(age)', \(time), \(time));
                INSERT INTO push_activities (device_id, session_id, updated_at)
                    SELECT id, name, \(time) FROM devices WHERE name = '\(age)';
                INSERT INTO push_deliveries (notice_id, device_id, token_kind, due_at, expires_at, created_at)
                    SELECT n.id, d.id, 'alert', \(time), \(time), \(time) FROM push_notices n JOIN devices d
                    ON d.name = n.key WHERE n.key = '\(age)'
                """
            )
        }
        let steps = NotificationRetention.steps
        _ = try LogMaintenance(configuration: configuration, steps: steps, logger: quiet).run(now: systemNow())
        #expect(try database.texts("SELECT key FROM push_notices") == ["1"])
        #expect(try database.texts("SELECT session_id FROM push_watches") == ["1"])
        #expect(try database.texts("SELECT session_id FROM push_activities") == ["1"])
        #expect(try database.integers("SELECT count(*) FROM push_deliveries") == [1])
    }

    @Test func projectWithPreferencesStays() throws {
        let database = try TestDatabase()
        try database.execute(
            """
            INSERT INTO machines (name) VALUES ('studio');
            INSERT INTO workspaces (id, machine_id, path, name, last_activity_at)
                SELECT name, 1, '/' || name, name, now() - interval '91 days'
                FROM unnest(ARRAY['muted', 'untouched']) AS name;
            INSERT INTO push_preferences (scope, subject, settings, updated_at) VALUES ('project', 'muted', '{}', now())
            """
        )
        let steps = NotificationRetention.steps
        _ = try LogMaintenance(configuration: database.configuration, steps: steps, logger: quiet).run(now: systemNow())
        #expect(try database.texts("SELECT id FROM workspaces") == ["muted"])
        #expect(try database.texts("SELECT subject FROM push_preferences") == ["muted"])
    }
}
