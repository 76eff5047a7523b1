import Foundation
import Testing

@testable import PrivateCluster

@Suite("Role of the server", .serialized)
struct ServerRoleTests {
    @Test("the server's role owns its database and is no superuser")
    func plain() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            let connection = try await cluster.start()
            let role = "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls FROM pg_roles"
            #expect(try psql(connection, role + " WHERE rolname = current_user") == "f|f|f|f|f\n")
            #expect(
                try psql(connection, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'monitor'")
                    == "monitor_server\n"
            )
            let allowed = "CREATE SCHEMA own; CREATE TABLE own.t (x int); DROP TABLE own.t; DROP SCHEMA own"
            #expect(try psql(connection, allowed) == "")
            for forbidden in [
                "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('postgresql.conf')",
                "SELECT rolpassword FROM pg_authid", "CREATE ROLE other SUPERUSER", "SET ROLE monitor",
                "ALTER SYSTEM SET fsync = off", "CREATE DATABASE other",
            ] {
                #expect(try psql(connection, forbidden).contains("ERROR"), "\(forbidden)")
            }
            let elsewhere = try fixture.layout.connectionString(database: "postgres")
            #expect(try psql(elsewhere, "SELECT 1").contains("FATAL"))
            await cluster.stop()
        }
    }

    @Test("what a superuser made before becomes the role's at the next start")
    func handedOver() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            _ = try await cluster.start()
            let made = """
                CREATE TABLE parts (id bigint GENERATED ALWAYS AS IDENTITY, at date) PARTITION BY RANGE (at);
                CREATE TABLE "Part 1" PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
                CREATE SEQUENCE numbers; CREATE VIEW latest AS SELECT * FROM parts;
                CREATE MATERIALIZED VIEW counted AS SELECT count(*) FROM parts;
                CREATE FUNCTION one(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
                CREATE TYPE mood AS ENUM ('good'); CREATE DOMAIN small AS integer CHECK (VALUE < 9)
                """
            #expect(try psql(fixture.superuser("monitor"), made) == "")
            await cluster.stop()

            let connection = try await cluster.start()
            let change = """
                ALTER TABLE parts ADD COLUMN more text; ALTER TABLE parts DETACH PARTITION "Part 1";
                INSERT INTO "Part 1" (id, at) VALUES (1, '2026-01-05');
                ALTER SEQUENCE numbers RESTART; DROP VIEW latest;
                REFRESH MATERIALIZED VIEW counted; DROP FUNCTION one(integer); ALTER TYPE mood ADD VALUE 'bad';
                DROP DOMAIN small; DROP MATERIALIZED VIEW counted; DROP TABLE parts
                """
            for statement in change.split(separator: ";") { #expect(try psql(connection, String(statement)) == "") }
            await cluster.stop()
        }
    }
}
