/* The protocol of attempts, receipts and leases, for spin: two instances, one lane, two requests, a
   chain that mines by nonce. README.md beside this file says what is left out.

   Every `atomic` below is one statement of the database, or one step of the chain. Between two of
   them anything else may happen; a crash may happen anywhere.

   BUG_SEND_FIRST, BUG_NO_GUARD and BUG_NO_RECEIPT_LOOK plant a mistake that spin must find. */

#define REQUESTS 2
#define NONCES 3     /* room for one that came to nothing */
#define INSTANCES 2
#define CRASHES 1
#define TAKEOVERS 1
#define NOBODY 9
#define NONE 9

mtype = { processing, in_flight, receipt, failed, completed };
mtype = { free, open, mined, consumed };

/* The database. */
mtype status[REQUESTS] = processing;
byte owner[REQUESTS] = NOBODY;
byte lane_owner = NOBODY;
byte next_nonce = 0;
mtype attempt[NONCES] = free;
byte attempt_of[NONCES] = NONE;

/* The chain: which request's bytes lie in the pool at a nonce, and which nonces are taken. */
bool pooled[NONCES];
byte chain_nonce = 0;
byte mined_of[REQUESTS] = 0;
bool on_disk[NONCES];

byte crashes = 0;
byte takeovers = 0;

#define HAS_OPEN_ATTEMPT(r) \
    ((attempt[0] == open && attempt_of[0] == r) || (attempt[1] == open && attempt_of[1] == r) || \
     (attempt[2] == open && attempt_of[2] == r))

/* At any step while `crashes` are left: memory is gone, its claims and its lane stay. */
#define MAY_CRASH \
    if \
    :: atomic { crashes < CRASHES -> crashes++; goto crashed } \
    :: true \
    fi

proctype Instance(byte me) {
    byte r;
    byte n;
    bool won;
    goto start;
    /* The first half of a start after a crash: all that was in flight is set back, also what has an
       open attempt. That attempt is found when the lane is read, and puts it back in flight. */
crashed:
    r = 0; n = 0; won = false;
    atomic {
        do
        :: r < REQUESTS ->
            if
            :: owner[r] == me && status[r] == in_flight -> status[r] = processing
            :: else
            fi;
            r++
        :: else -> break
        od;
        r = 0
    }
start:
    r = 0; n = 0; won = false;
    /* Its other half, and who has lost the lane: what is in flight without an open attempt is set
       back, and what is not in flight and has none is given back. */
    atomic {
        do
        :: r < REQUESTS ->
            if
            :: owner[r] == me && status[r] == in_flight && !HAS_OPEN_ATTEMPT(r) ->
                status[r] = processing
            :: else
            fi;
            if
            :: owner[r] == me && status[r] == processing && !HAS_OPEN_ATTEMPT(r) ->
                owner[r] = NOBODY
            :: else
            fi;
            r++
        :: else -> break
        od;
        r = 0
    }
    /* The lane: free, ours, or its lease has run out, which may be at any time, but not for ever.
       With it go the requests of its open attempts. */
endstart:
    atomic {
        lane_owner == me || lane_owner == NOBODY || takeovers < TAKEOVERS;
        if
        :: lane_owner != me && lane_owner != NOBODY -> takeovers++
        :: else
        fi;
        lane_owner = me;
        n = 0;
        do
        :: n < NONCES ->
            if
            :: attempt[n] == open -> owner[attempt_of[n]] = me
            :: else
            fi;
            n++
        :: else -> break
        od;
        n = 0
    }
work:
    MAY_CRASH;
    if
    /* The lowest open attempt: its receipt is looked for, else its bytes are sent again. */
    :: attempt[0] == open -> n = 0; goto carry
    :: attempt[0] != open && attempt[1] == open -> n = 1; goto carry
    :: attempt[0] != open && attempt[1] != open && attempt[2] == open -> n = 2; goto carry
    /* Something new: what is nobody's. */
    :: status[0] == processing && owner[0] == NOBODY -> r = 0; goto claim
    :: status[1] == processing && owner[1] == NOBODY -> r = 1; goto claim
    :: status[0] != processing && status[1] != processing &&
       attempt[0] != open && attempt[1] != open && attempt[2] != open -> goto done
    fi;

claim:
    atomic {
        won = (status[r] == processing && owner[r] == NOBODY);
        if
        :: won -> owner[r] = me
        :: else
        fi
    }
    if
    :: !won -> goto start
    :: else
    fi;
    n = next_nonce;
    if
    :: n >= NONCES -> goto done
    :: else
    fi;
#ifdef BUG_SEND_FIRST
    /* Bytes leave before they are on disk. */
    atomic {
        if
        :: !on_disk[n] && n >= chain_nonce -> pooled[n] = true; attempt_of[n] = r
        :: else
        fi
    }
#endif
    MAY_CRASH;
    /* Nonce, bytes and status in one commit, if lane, nonce and request are still ours. */
    atomic {
#ifdef BUG_NO_GUARD
        won = (owner[r] == me);
#else
        won = (lane_owner == me && next_nonce == n && owner[r] == me && status[r] == processing &&
               attempt[n] == free && !HAS_OPEN_ATTEMPT(r));
#endif
        if
        :: won ->
            assert(attempt[n] == free);
            attempt[n] = open;
            attempt_of[n] = r;
            on_disk[n] = true;
            status[r] = in_flight;
            next_nonce = n + 1
        :: else
        fi
    }
    if
    :: !won -> goto start
    :: else
    fi;
    MAY_CRASH;

carry:
    r = attempt_of[n];
    /* Recovery has set it back, and its transaction is there all the same. The statement asks for
       the request's owner and status, and not for the lane. */
    atomic {
        if
        :: owner[r] == me && status[r] == processing -> status[r] = in_flight
        :: else
        fi
    }
#ifndef BUG_NO_RECEIPT_LOOK
    if
    :: n < chain_nonce -> goto receipt_found
    :: else
    fi;
#else
    /* Who hears nothing takes the transaction for lost, and sends another. */
    atomic {
        if
        :: pooled[n] && lane_owner == me && attempt[n] == open ->
            attempt[n] = consumed;
            if
            :: owner[r] == me && status[r] == in_flight -> status[r] = processing
            :: else
            fi;
            goto work
        :: else
        fi
    }
    if
    :: n < chain_nonce -> goto receipt_found
    :: else
    fi;
#endif
    /* Sent, and sent again: the same bytes. It may be lost on the way. */
    atomic {
        if
        :: lane_owner == me && attempt[n] == open && n >= chain_nonce -> pooled[n] = true
        :: else
        fi
    }
    goto work;

receipt_found:
    MAY_CRASH;
    /* The request first ... */
    atomic {
        if
        :: owner[r] == me && status[r] == in_flight -> status[r] = receipt; owner[r] = NOBODY
        :: else
        fi
    }
    MAY_CRASH;
    /* ... the attempt last. */
    atomic {
        if
        :: lane_owner == me && attempt[n] == open &&
           status[r] != processing && status[r] != in_flight -> attempt[n] = mined
        :: else
        fi
    }
    if
    :: lane_owner != me -> goto start
    :: else -> goto work
    fi;

done:
    /* Its lane is anybody's. */
    atomic {
        if
        :: lane_owner == me -> lane_owner = NOBODY
        :: else
        fi
    }
}

/* Mines what stands at the next nonce. At most one transaction of each request is mined. */
proctype Chain() {
endchain:
    do
    :: atomic {
        chain_nonce < NONCES && pooled[chain_nonce] ->
        assert(on_disk[chain_nonce]);
        mined_of[attempt_of[chain_nonce]]++;
        assert(mined_of[attempt_of[chain_nonce]] <= 1);
        pooled[chain_nonce] = false;
        chain_nonce++
    }
    od
}

/* Answers what has its receipt, and a deadline for who waits too long. Nobody's in particular. */
proctype Answers() {
    byte a;
endanswers:
    do
    :: atomic { status[0] == receipt -> status[0] = completed }
    :: atomic { status[1] == receipt -> status[1] = completed }
    :: atomic { status[0] == receipt -> status[0] = failed }
    :: atomic { status[1] == receipt -> status[1] = failed }
    od
}

#define TERMINAL(r) (status[r] == completed || status[r] == failed)

init {
    atomic {
        run Chain();
        run Answers();
        run Instance(0);
        run Instance(1)
    }
}

ltl once { [] (mined_of[0] <= 1 && mined_of[1] <= 1) }
ltl gapless { [] ((next_nonce < 1 || attempt[0] != free) && (next_nonce < 2 || attempt[1] != free) &&
                  (next_nonce < 3 || attempt[2] != free)) }
ltl ends { <> (TERMINAL(0) && TERMINAL(1)) }
ltl stays { [] ((TERMINAL(0) -> [] TERMINAL(0)) && (TERMINAL(1) -> [] TERMINAL(1))) }
