DROP TRIGGER access_audit_append_only ON access_audit;

CREATE TRIGGER access_audit_append_only BEFORE UPDATE OR TRUNCATE ON access_audit
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Retention may take what is old; nobody may take what is new.
CREATE TRIGGER access_audit_keep_recent BEFORE DELETE ON access_audit
FOR EACH ROW WHEN (OLD.at > now() - interval '29 days') EXECUTE FUNCTION refuse_audit_change();

CREATE INDEX access_audit_at ON access_audit (at);

COMMENT ON TABLE access_audit IS 'What was granted, refused and revoked. Rows are added, never changed, and deleted only by age.';
