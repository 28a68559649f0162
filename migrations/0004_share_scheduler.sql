-- The share scheduler: encrypted shares that wait for the second their wallet chose.

CREATE TYPE share_state AS ENUM ('received', 'witnessed', 'submitted', 'failed');

CREATE TABLE voting_round (
    round_id      bytea PRIMARY KEY CHECK (octet_length(round_id) = 32),
    vote_end_time bigint NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);
-- Rounds that are over are alerted and purged.
CREATE INDEX voting_round_by_end ON voting_round (vote_end_time);

CREATE TABLE scheduled_share (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    round_id        bytea NOT NULL CHECK (octet_length(round_id) = 32),
    share_index     smallint NOT NULL,
    proposal_id     smallint NOT NULL,
    tree_position   bigint NOT NULL,
    payload_digest  bytea NOT NULL CHECK (octet_length(payload_digest) = 32),
    -- Encrypted for this row alone; gone once the share has ended.
    witness         bytea,
    witness_key     bytea,
    state           share_state NOT NULL DEFAULT 'received',
    waiting         boolean NOT NULL DEFAULT true,          -- until it has ended; set once
    attempts        integer NOT NULL DEFAULT 0,
    submit_at       bigint NOT NULL,                        -- the wallet's choice, never changed
    next_attempt_at timestamptz NOT NULL,
    vote_end_time   bigint NOT NULL,
    owner           bigint,
    lease_until     timestamptz,
    share_nullifier bytea,
    tx_hash         bytea CHECK (octet_length(tx_hash) = 32),
    error_code      text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    state_at        timestamptz NOT NULL DEFAULT now(),
    -- What makes two posts the same share.
    UNIQUE (round_id, share_index, proposal_id, tree_position)
) WITH (fillfactor = 70);
-- The scheduler takes what is due, in a fixed order.
CREATE INDEX scheduled_share_due ON scheduled_share (next_attempt_at, submit_at, id) WHERE waiting;
-- Purging a round that is over.
CREATE INDEX scheduled_share_by_end ON scheduled_share (vote_end_time);

CREATE TABLE pending_registration (
    operator_address text PRIMARY KEY,
    url              text NOT NULL,
    moniker          text NOT NULL DEFAULT '',
    signed_at        timestamptz NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz NOT NULL
);
-- Registrations that were not taken up are swept by age.
CREATE INDEX pending_registration_by_expiry ON pending_registration (expires_at);
