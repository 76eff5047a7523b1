CREATE TABLE client_version (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    version text NOT NULL
);

COMMENT ON TABLE client_version IS 'The newest version of Claude Code that machines have told of.';
COMMENT ON COLUMN client_version.is_only IS 'There is one row at most.';
COMMENT ON COLUMN client_version.version IS 'Numbers that points separate.';
