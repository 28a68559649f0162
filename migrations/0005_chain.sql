-- What the engine and the listener need of the tables of 0002. Nothing has written to those so far.

-- Signed bytes do not compress well, and are never changed.
ALTER TABLE tx_version ADD COLUMN no_op boolean NOT NULL DEFAULT false;
ALTER TABLE tx_version ALTER COLUMN raw SET STORAGE EXTERNAL;

ALTER TABLE tx_attempt
    -- Its nonce may still be taken by one of its versions. Beside `state` for the same reason as
    -- request.live: it stands in an index predicate, and counting a send must stay clear of that.
    ADD COLUMN open boolean NOT NULL DEFAULT true,
    -- Set when its request is given up: with what that ends, once the nonce is closed.
    ADD COLUMN closing_code text,
    ADD COLUMN closing_detail text,
    ADD COLUMN mined_block bigint,
    ADD CONSTRAINT tx_attempt_open_while_signed CHECK (open = (state = 'signed')),
    ADD CONSTRAINT tx_attempt_mined_somewhere CHECK
        ((state = 'mined') = (mined_block IS NOT NULL AND mined_hash IS NOT NULL));
-- Room for a second version of a row on its page: sends are counted.
ALTER TABLE tx_attempt SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
-- A chain that was reset is noticed: its nonces start over, and so must ours.
ALTER TABLE signer_lane ADD COLUMN genesis_hash bytea CHECK (octet_length(genesis_hash) = 32);
-- One row each that every commit, or every delivery, writes anew.
ALTER TABLE signer_lane SET (fillfactor = 20);
ALTER TABLE chain_cursor SET (fillfactor = 20);
-- A start, and every pass of the engine, walks a lane from its lowest open nonce.
CREATE INDEX tx_attempt_open ON tx_attempt (lane, nonce) WHERE open;
-- What a reorg may have taken back.
CREATE INDEX tx_attempt_by_mined_block ON tx_attempt (lane, mined_block) WHERE mined_block IS NOT NULL;

ALTER TABLE gateway_event
    ADD COLUMN kind request_kind NOT NULL,
    ADD COLUMN request boolean NOT NULL,                            -- a request event; else an answer
    ALTER COLUMN tx_hash SET NOT NULL,
    ALTER COLUMN gateway_id SET NOT NULL,
    DROP CONSTRAINT gateway_event_block_hash_log_index_key,
    -- Some nodes number the logs of each transaction from 0, so a log is known by its transaction, too.
    ADD CONSTRAINT gateway_event_identity UNIQUE (block_hash, log_index, tx_hash);
DROP INDEX gateway_event_by_gateway_id;
-- What waits to be handled, in its order. A removed event counts as handled.
CREATE INDEX gateway_event_pending ON gateway_event (id) WHERE handled_at IS NULL;
-- Clean-up of what was handled.
CREATE INDEX gateway_event_by_handling ON gateway_event (handled_at) WHERE handled_at IS NOT NULL;

ALTER TABLE chain_cursor
    ALTER COLUMN genesis_hash SET NOT NULL,
    ALTER COLUMN block_hash SET NOT NULL,
    -- Whole blocks only: what is delivered twice is stored once.
    DROP COLUMN log_index;
