-- A round that is over is alerted by whoever sets this, and by nobody else.
ALTER TABLE voting_round ADD COLUMN alerted_at timestamptz;
