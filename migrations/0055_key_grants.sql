ALTER TABLE access_keys ADD COLUMN may_approve boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN access_keys.may_approve IS 'Whether the tool ''approve'' of /mcp answers this key without a file of the machine that limits the answers.';
