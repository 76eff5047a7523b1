/// Creates the server's database if it does not exist and transfers it to the server's role. This also proves that
/// the cluster accepts connections.
struct DatabaseCreation: Sendable {
    let layout: ClusterLayout
    let tools: PostgresTools

    func createIfAbsent() async throws(PrivateClusterError) {
        let name = ClusterLayout.databaseName
        if try await query("SELECT 1 FROM pg_database WHERE datname = '\(name)'", in: "postgres") != "1\n" {
            _ = try await query("CREATE DATABASE \(name)", in: "postgres")
        }
        _ = try await query(DatabaseCreation.handOver, in: name)
    }

    /// Creates the role and makes it the owner of the database and everything in it, including objects created by a
    /// restored backup or by a server version without this role. Changes catalog rows only, and none if the owner is
    /// already correct.
    private static let handOver = """
        DO $$
        DECLARE
            owner constant name := '\(ClusterLayout.serverRole)';
            found record;
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = owner) THEN
                EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION', owner);
            END IF;
            IF NOT EXISTS (
                SELECT FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba
                WHERE d.datname = current_database() AND r.rolname = owner
            ) THEN
                EXECUTE format('ALTER DATABASE %I OWNER TO %I', current_database(), owner);
            END IF;
            FOR found IN
                SELECT c.oid::regclass AS name,
                    CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                        ELSE 'TABLE' END AS kind
                FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
                WHERE c.relnamespace = 'public'::regnamespace AND r.rolname <> owner
                    AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
                    AND NOT EXISTS (
                        SELECT FROM pg_depend d
                        WHERE c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid
                            AND d.deptype IN ('a', 'i')
                    )
            LOOP
                EXECUTE format('ALTER %s %s OWNER TO %I', found.kind, found.name, owner);
            END LOOP;
            FOR found IN
                SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
                WHERE p.pronamespace = 'public'::regnamespace AND r.rolname <> owner
            LOOP
                EXECUTE format('ALTER ROUTINE %s OWNER TO %I', found.name, owner);
            END LOOP;
            FOR found IN
                SELECT t.oid::regtype AS name FROM pg_type t JOIN pg_roles r ON r.oid = t.typowner
                WHERE t.typnamespace = 'public'::regnamespace AND r.rolname <> owner AND t.typtype IN ('e', 'd')
            LOOP
                EXECUTE format('ALTER TYPE %s OWNER TO %I', found.name, owner);
            END LOOP;
        END
        $$
        """

    private func query(_ sql: String, in database: String) async throws(PrivateClusterError) -> String {
        let target = layout.connectionString(database: database, role: ClusterLayout.roleName)
        let outcome = try await tools.run("psql", ["-X", "-q", "-t", "-A", "-d", target, "-c", sql])
        guard outcome.succeeded else {
            throw PrivateClusterError(.startFailed, "PostgreSQL runs but cannot be used:\n\(outcome.lastLines)")
        }
        return outcome.output
    }
}
