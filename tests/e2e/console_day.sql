-- Requests as a busy day has them, so that the pages of the console have something to show. FIRST is
-- the job id of one that has gone all the way and was sent twice.
INSERT INTO request (job_id, kind, variant, status, live, dedup, content_hash, payload, ticket,
                     error_code, created_at, status_at)
SELECT gen_random_uuid(), k.kind::request_kind, 'direct', s.status::request_status, s.live,
       s.live OR s.code IS NULL, sha256((k.kind || g)::bytea), '\x00', nextval('request_ticket_seq'),
       s.code, now() - (60 - g) * interval '37 seconds', now() - (60 - g) * interval '31 seconds'
  FROM generate_series(1, 60) g
 CROSS JOIN LATERAL (SELECT (ARRAY['input_proof', 'public_decrypt', 'user_decrypt'])[g % 3 + 1]
                            AS kind) k
 CROSS JOIN LATERAL (SELECT
        CASE WHEN g % 17 = 5 THEN 'failure' WHEN g % 23 = 7 THEN 'timed_out'
             WHEN g > 52 THEN (ARRAY['processing', 'tx_in_flight', 'receipt_received'])[g % 3 + 1]
             ELSE 'completed' END AS status,
        CASE WHEN g % 17 = 5 THEN 'transaction_failed'
             WHEN g % 23 = 7 THEN 'response_timed_out' END AS code,
        g > 52 AND g % 17 <> 5 AND g % 23 <> 7 AS live) s;
INSERT INTO live_request
SELECT kind, ticket, id FROM request r
 WHERE live AND NOT EXISTS (SELECT FROM live_request l WHERE l.request_id = r.id);
INSERT INTO failed_request
SELECT id, kind, status, error_code, status_at FROM request WHERE status IN ('failure', 'timed_out');

INSERT INTO signer_lane (name, address, next_nonce, owner, lease_until)
SELECT 'main', decode('7e5f4552091a69125d5dfcb7b8c2659029395bdf', 'hex'), 4182, epoch,
       now() + interval '1 hour'
  FROM instance ORDER BY epoch DESC LIMIT 1
    ON CONFLICT DO NOTHING;

DELETE FROM live_request l USING request r WHERE r.id = l.request_id AND r.job_id = 'FIRST';
UPDATE request
   SET status = 'completed', live = false, kind = 'user_decrypt',
       gateway_id = decode(repeat('5a', 31) || '07', 'hex'), tx_hash = sha256('b'),
       resolved_threshold = 3, shares_seen = 3, created_at = now() - interval '75 seconds',
       status_at = now() - interval '58 seconds',
       trail = (SELECT string_agg(decode(lpad(to_hex(t.step), 2, '0'), 'hex') || int8send((extract(
                       epoch FROM now() - t.ago * interval '1 millisecond') * 1000000)::bigint), ''
                       ORDER BY t.ago DESC)
                  FROM (VALUES (0, 72950), (2, 72700), (9, 66400), (2, 66100), (3, 63900),
                               (4, 58000)) AS t(step, ago))
 WHERE job_id = 'FIRST';
WITH a AS (INSERT INTO tx_attempt (lane, nonce, request_id, state, open, sends, mined_hash,
                                   mined_block, created_at)
           SELECT 'main', 4181, id, 'mined', false, 3, sha256('b'), 1204877,
                  now() - interval '72 seconds' FROM request WHERE job_id = 'FIRST' RETURNING id)
INSERT INTO tx_version (attempt_id, hash, raw, max_fee_per_gas, max_priority_fee_per_gas, gas_limit,
                        created_at, first_sent_at, last_sent_at)
SELECT a.id, sha256(v.name::bytea), '\x00', v.fee, v.tip, 212000, now() - v.ago * interval '1 second',
       now(), now() - v.ago * interval '1 second'
  FROM a CROSS JOIN (VALUES ('a', 1500000000, 1000000000, 72), ('b', 1680000000, 1120000000, 66))
                    AS v(name, fee, tip, ago);
INSERT INTO kms_share (gateway_id, share_index, payload, signature, extra_data, created_at)
SELECT decode(repeat('5a', 31) || '07', 'hex'), n.i, '\x00', '\x00', '\x00',
       now() - n.ago * interval '1 millisecond'
  FROM (VALUES (2, 60100), (0, 59400), (3, 58010)) AS n(i, ago);

-- Three rounds of a vote, shares of theirs in every state, and somebody who wants to be a validator.
INSERT INTO voting_round (round_id, vote_end_time)
SELECT sha256(g::text::bytea), extract(epoch FROM now())::bigint + g * 86400
  FROM generate_series(1, 3) g;
INSERT INTO scheduled_share (round_id, share_index, proposal_id, tree_position, payload_digest, state,
                             waiting, submit_at, next_attempt_at, vote_end_time)
SELECT sha256((g % 3 + 1)::text::bytea), g % 16, g % 4, g, sha256('x'), s.state::share_state,
       s.state IN ('received', 'witnessed'), extract(epoch FROM s.due)::bigint, s.due,
       extract(epoch FROM now())::bigint + (g % 3 + 1) * 86400
  FROM generate_series(1, 1500) g
 CROSS JOIN LATERAL (SELECT CASE WHEN g <= 180 THEN 'received' WHEN g <= 192 THEN 'witnessed'
                                 WHEN g <= 1488 THEN 'submitted' ELSE 'failed' END AS state,
                            now() + (g - 4.5) * interval '20 minutes' AS due) s;
INSERT INTO pending_registration (operator_address, url, moniker, signed_at, created_at, expires_at)
VALUES ('sv1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5k7zkvs', 'https://validator.example.org', 'Nine Lives',
        now() - interval '3 hours', now() - interval '3 hours', now() + interval '165 hours');
