DROP INDEX mcp_tools_search;

CREATE TABLE mcp_registry (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    changed_in xid8 NOT NULL
);

INSERT INTO mcp_registry (changed_in) VALUES (pg_current_xact_id());

CREATE FUNCTION note_mcp_registry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mcp_registry SET changed_in = pg_current_xact_id() WHERE changed_in <> pg_current_xact_id();
    RETURN NULL;
END
$$;

-- At the end of the transaction, so that transactions that wait for each other's tools do not also wait for this row.
CREATE CONSTRAINT TRIGGER mcp_tools_change
    AFTER INSERT OR DELETE OR UPDATE ON mcp_tools DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_mcp_registry_change();

CREATE CONSTRAINT TRIGGER mcp_servers_change
    AFTER UPDATE OF is_present ON mcp_servers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (OLD.is_present <> NEW.is_present) EXECUTE FUNCTION note_mcp_registry_change();

COMMENT ON TABLE mcp_registry IS 'One row, which changes whenever tools or their servers do. Servers keep an index of all tools in memory as long as it stays.';
COMMENT ON COLUMN mcp_registry.is_only IS 'Keeps the table to one row.';
COMMENT ON COLUMN mcp_registry.changed_in IS 'The transaction of the last change.';
COMMENT ON FUNCTION note_mcp_registry_change() IS 'Notes in mcp_registry that tools have changed.';

CREATE TABLE mcp_profiles (
    name text PRIMARY KEY,
    tools text NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL
);

COMMENT ON TABLE mcp_profiles IS 'Named sets of tools, for /mcp/{name}. They narrow what a caller may do, and never widen it.';
COMMENT ON COLUMN mcp_profiles.name IS 'Small letters, digits and -.';
COMMENT ON COLUMN mcp_profiles.tools IS 'A JSON array: names of tools of the monitor itself, server.tool, and server.* for all tools of a server.';
COMMENT ON COLUMN mcp_profiles.changed_by IS 'Who made it or changed it last, as the audit log names principals.';
COMMENT ON COLUMN mcp_profiles.changed_at IS 'When.';
