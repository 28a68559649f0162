-- Who holds a share holds it as long as its instance lives, so a share needs no lease of its own.
ALTER TABLE scheduled_share DROP COLUMN lease_until;

DROP INDEX scheduled_share_due;
-- The scheduler takes what is due; those of one second in the order of what they are.
CREATE INDEX scheduled_share_due ON scheduled_share
    (next_attempt_at, submit_at, round_id, proposal_id, tree_position, share_index) WHERE waiting;
