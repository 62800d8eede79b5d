/*
 * One reliable connection of RoCE: a requester, a responder and two networks that lose, repeat, delay and reorder.
 * Rules are those of docs/rules.md. io.rxe.model.ModelCheck runs it; TESTING.md says what it covers and what it leaves out.
 *
 *   requester   messages of 1 to LONGEST packets, a window of WINDOW packets, cumulative ACKs, NAKs, gap reports, a timer
 *   requests    a multiset: any packet in it may arrive next
 *   responder   RECEIVER says what it does with packets behind a gap
 *   responses   a multiset of ACKs, NAKs and ACKs with a gap report
 *
 * A packet carries its PSN alone, modulo 8. The model also knows which packet it is, its sequence number. No decision of
 * the requester or of the responder looks at that of a packet received; assertions do.
 *
 * The assumption about time: a packet that half of the PSN space has passed (HALF PSNs and more) is gone. The protocol
 * cannot do without it (P4, P7). It is the only limit to how long a packet may be under way.
 */

/* What the responder does behind a gap (R1, G3). */
#define GO_BACK_N        0      /* drops it, and sends one NAK for each gap, as rdma_rxe does */
#define SELECTIVE_REPEAT 1      /* keeps it, and sends one NAK for each gap: to a peer without the mark */
#define GAP_REPORTS      2      /* keeps it, and reports what it has: to a peer with the mark */

#ifndef RECEIVER
#define RECEIVER GAP_REPORTS
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif
#ifndef LONGEST
#define LONGEST 3
#endif
#ifndef FAULTS
#define FAULTS 1                /* losses, copies, ghosts, timers that are too short, and buffers dropped, together */
#endif
/*
 * How many packets each network holds. What finds no room waits, as with a full sink (R18).
 *
 * With FAULTS the networks hold what was sent and has neither arrived nor been lost. The end of each run shows whether
 * everything completes. With UNLIMITED there is no end to faults, and nothing is said of progress. Every request that was
 * sent may arrive at any time, any number of times. So may an ACK of what was executed. One other response is under way.
 */
#ifdef UNLIMITED
#define RESPONSES 1
#else
#define RESPONSES 2
#endif
#define REQUESTS 4

#define KEEPS   (RECEIVER != GO_BACK_N)
#define REPORTS (RECEIVER == GAP_REPORTS)
#define PACKETS (MESSAGES * LONGEST)
#define HALF 4
#define FIRST_PSN 6             /* the PSNs wrap with the third packet, and again eight packets later */
#ifdef D_WINDOW_TOO_LARGE
#define WINDOW (HALF + 1)
#else
#define WINDOW HALF             /* P4 */
#endif

#define PSN(seq) (((seq) + FIRST_PSN + 8) & 7)
/* The signed distance a - b, from -HALF to HALF - 1 (P3). */
#if defined(D_COMPARES_WITHOUT_WRAP)
#define DISTANCE(a, b) ((a) - (b))
#elif defined(D_MISCOUNTS_AT_WRAP)
#define DISTANCE(a, b) (((((a) - (b) + 8 + HALF) & 7) - HALF) + ((a) < (b) && (((a) - (b) + 8) & 7) < HALF -> 1 : 0))
#else
#define DISTANCE(a, b) ((((a) - (b) + 8 + HALF) & 7) - HALF)
#endif

/* Requester. Bit i of a set stands for the packet acked + i. */
byte acked;                     /* everything before is acknowledged */
byte next;                      /* the next new packet */
byte end;                       /* one past the last packet of the message in progress */
byte begun;                     /* messages */
byte completed;                 /* messages */
byte ends;                      /* set: the last packets of messages */
byte lost;                      /* set: to be retransmitted */
byte arrived;                   /* set: reported as kept behind a gap (G2) */
byte resent;                    /* set: retransmitted because of a report, so an older one is no evidence against it (G4) */

/* Responder. Bit i of a set stands for the packet executed + i. */
byte expected = FIRST_PSN;      /* a PSN */
byte kept;                      /* set: kept behind a gap */
byte msn;
bool ackDue;
bool nakDue;
bool nakSent;                   /* for the gap that is open (R1) */

/* Networks. */
byte inFlight[PACKETS];         /* copies of each request */
byte flying;                    /* their sum */
short response[RESPONSES];      /* in descending order, 0 for none */
byte faults = FAULTS;

/* What the assertions need to know. */
byte executed;                  /* packets */
bool stalled;                   /* the timer expired, and since then the edge has not moved and nothing went wrong */
bool lossy;                     /* something was lost */
bool misled;                    /* what the responder dropped counts as arrived: a NAK and an older report changed places */
bool gapOpen;                   /* something arrived behind the gap that is open */
bool told;                      /* a NAK or a report that names it has left */
bool revokeOwed;                /* what was reported as arrived was dropped, and no NAK has said so yet (G3) */

hidden int seq;
hidden int distance;
hidden byte i;
hidden byte kind;
hidden byte set;
hidden short code;
hidden short taken;
byte pick;                      /* a choice, 0 again at once */
bool choice;

#define ACK    1
#define NAK    2
#define REPORT 3
/* A response: kind, one past the last packet it acknowledges, the packets kept behind that and the next. */
#define RESPONSE(kind, edge, set) (((kind) << 8) + ((edge) << 4) + ((set) << 1))
#define KIND(r) ((r) >> 8)
#define EDGE(r) (((r) >> 4) & 15)
#define SET(r)  (((r) >> 1) & 7)
#define STALE 1                 /* a report, and what it names was dropped since: for assertions alone */

#define OUTSTANDING ((1 << (next - acked)) - 1)
#define IS_LAST(s) ((ends >> ((s) - acked)) & 1)
#define HAS_NEW (end > next || begun < MESSAGES)
#ifdef D_IGNORES_WINDOW
#define MAY_SEND_NEW HAS_NEW
#else
#define MAY_SEND_NEW (HAS_NEW && next - acked < WINDOW)
#endif

#ifdef UNLIMITED
#define HAS_ROOM 1
#define CAN_ARRIVE(s) ((s) >= 0 && (s) < next && (s) + HALF >= executed)
#define FAULT_LEFT 1
#define ANY_IN_FLIGHT (next > 0)
#define QUIET 0
#else
#define HAS_ROOM (flying < REQUESTS)
#define CAN_ARRIVE(s) ((s) >= 0 && (s) < next && inFlight[s] > 0)
#define FAULT_LEFT (faults > 0)
#define ANY_IN_FLIGHT (flying > 0)
#define QUIET (flying == 0 && response[0] == 0 && !ackDue && !nakDue && lost == 0 && !MAY_SEND_NEW)
#endif

/*
 * The requester sends at once what it may send: a packet that waits in the requester is no other case than a packet that
 * waits in the network.
 */
#ifdef UNLIMITED
#define SENT_ALL 1
#else
#define SENT_ALL !(HAS_ROOM && (lost != 0 || MAY_SEND_NEW))
#endif

inline fault()
{
#ifdef UNLIMITED
    skip
#else
    faults--;
    stalled = 0
#endif
}

/* Sends a request. */
inline transmit(s)
{
#ifdef UNLIMITED
    skip
#else
    inFlight[s]++;
    flying++
#endif
}

/* Requests that half of the PSN space has passed are gone. */
inline age_requests()
{
#ifdef UNLIMITED
    skip
#else
    if
    :: executed > HALF && executed <= PACKETS && inFlight[executed - HALF - 1] > 0 ->
        flying = flying - inFlight[executed - HALF - 1];
        inFlight[executed - HALF - 1] = 0
    :: else
    fi
#endif
}

/* Keeps the responses in order, so that the same ones always are the same state. */
inline sort_responses()
{
    i = 1;
    do
    :: i < RESPONSES && response[i] > response[i - 1] ->
        code = response[i];
        response[i] = response[i - 1];
        response[i - 1] = code;
        i = (i > 1 -> i - 1 : 1)
    :: i < RESPONSES && response[i] <= response[i - 1] -> i++
    :: else -> break
    od;
    skip                                    /* a d_step may not end with the exit of a loop */
}

inline age_responses()
{
    pick = 0;
    do
    :: pick < RESPONSES ->
        if
        :: response[pick] != 0 && EDGE(response[pick]) - 1 < acked - HALF -> response[pick] = 0
        :: else
        fi;
        pick++
    :: else -> break
    od;
    pick = 0;
    sort_responses()
}

/* ---------------------------------------------------------------- requester */

/* The oldest message is complete. */
inline complete(message)
{
    assert(message == completed);           /* Q14: messages complete in order, each once */
    completed++;
    assert(completed <= msn)                /* R15: the responder has counted a message before it completes */
}

/* The responder has executed everything before a packet. Completes messages (Q4). */
inline advance_to(target)
{
    assert(target <= executed);             /* K11: nothing counts as acknowledged before it is executed */
    if
    :: target > acked -> stalled = 0
    :: else
    fi;
#ifdef D_COMPLETES_BACKWARDS
    if
    :: target > acked + 1 && (ends & 3) == 3 -> complete(completed + 1)
    :: else
    fi;
#endif
    do
    :: acked < target ->
#ifdef D_COMPLETES_EARLY
        if
        :: completed < begun && !(ends & 1) -> complete(completed)
        :: else
        fi;
#endif
        if
        :: ends & 1 -> complete(completed)
        :: else
        fi;
        ends = ends >> 1;
        lost = lost >> 1;
        arrived = arrived >> 1;
        resent = resent >> 1;
        acked++
    :: else -> break
    od;
    age_responses()
}

/* A report: what it names has arrived, and is not retransmitted (G2). `choice`: what it leaves out counts as lost (G4). */
inline take_report(edge, reported, stale)
{
    set = reported;
#ifdef D_MISREADS_GAPS
    set = (set << 1) & 7;
#endif
    seq = acked + DISTANCE(PSN(edge), PSN(acked));
    i = (set >= 4 -> 3 : (set >= 2 -> 2 : 1));
    if
    :: seq + i + 1 > next -> skip           /* a bad report is ignored */
    :: else ->
        i = 1;
        do
        :: i <= 3 && ((set >> (i - 1)) & 1) && seq + i >= acked ->
            if
            :: seq + i < executed || ((kept >> (seq + i - executed)) & 1)
            :: else ->
                assert(stale);              /* G2: what a report names is there, or was dropped since */
#ifdef UNLIMITED
                skip
            fi;
#else
                misled = 1
            fi;
            arrived = arrived | (1 << (seq + i - acked));
            lost = lost & ~arrived;
#endif
            i++
        :: i <= 3 && !(((set >> (i - 1)) & 1) && seq + i >= acked) -> i++
        :: else -> break
        od;
#ifndef UNLIMITED
        if
        :: choice && arrived != 0 ->
            i = (arrived >= 8 -> 3 : (arrived >= 4 -> 2 : (arrived >= 2 -> 1 : 0)));
            lost = lost | (((1 << i) - 1) & ~arrived & ~resent)
        :: else
        fi
#endif
    fi
}

/* A response arrives (P5). `choice`: how much counts as lost. */
inline on_response(r)
{
    kind = KIND(r);
    seq = acked + DISTANCE(PSN(EDGE(r) - (kind == NAK -> 0 : 1)), PSN(acked));
#ifdef D_ACCEPTS_GHOSTS
    if
    :: seq >= next && kind != NAK && acked < next -> seq = next - 1
    :: else
    fi;
#endif
    if
    :: seq >= next ->
        if
        :: kind == NAK && seq == next -> advance_to(next)                       /* Q7 */
        :: else                                                                 /* a ghost */
        fi
    :: seq < next && kind == NAK && seq >= acked ->
        advance_to(seq);
        if
#ifdef D_IGNORES_REVOCATION
        :: REPORTS -> lost = lost | (OUTSTANDING & ~arrived)
#else
        :: REPORTS -> arrived = 0; resent = 0; lost = OUTSTANDING                           /* G6 */
#endif
        :: !REPORTS && choice -> lost = lost | 1                                /* the missing packet alone first (Q7) */
        :: !REPORTS && !choice -> lost = OUTSTANDING
        fi
    :: seq < next && kind != NAK ->
        if
        :: seq >= acked ->
#ifdef D_ACKNOWLEDGES_ONE_TOO_MANY
            if
            :: seq + 1 < next -> seq++
            :: else
            fi;
#endif
            advance_to(seq + 1)
        :: else
        fi;
        if
        :: KIND(r) == REPORT -> take_report(EDGE(r), SET(r), (r) & STALE)
        :: else
        fi
#ifdef UNLIMITED
    :: else
#else
    :: else -> misled = misled || REPORTS   /* an old NAK, which a later ACK has overtaken */
#endif
    fi
}

/* The timer expired: everything that is not acknowledged is retransmitted, whatever was reported (T3, G6). */
inline on_timeout()
{
    resent = 0;
#ifdef D_NEVER_FORGETS
    lost = OUTSTANDING & ~arrived;
#else
    arrived = 0;
    lost = OUTSTANDING;
#endif
#ifdef D_RETRANSMISSION_SKIPS_A_PACKET
    lost = lost & ~1;
#endif
#ifdef UNLIMITED
    lost = 0
#endif
}

/* An ACK that may have been sent long ago; and one of a packet that was not sent yet, or UNLIMITED, that was. */
#define PAST(edge) (edge) >= 1 -> taken = RESPONSE(ACK, edge, 0)
#ifdef UNLIMITED
#define UNSENT(edge) (edge) > next || (edge) <= executed -> taken = RESPONSE(ACK, edge, 0)
#else
#define UNSENT(edge) (edge) > next -> taken = RESPONSE(ACK, edge, 0)
#endif

active proctype requester()
{
    do
    :: completed == MESSAGES -> break
    :: atomic {
        lost == 0 && HAS_ROOM && MAY_SEND_NEW ->
        if
        :: end == next ->
            if
#ifdef FIXED                               /* messages of three, one, two and three packets; else of any length */
            :: end = next + (begun == 0 || begun == 3 -> 3 : begun)
#else
            :: end = next + 1
            :: LONGEST >= 2 -> end = next + 2
            :: LONGEST >= 3 -> end = next + 3
#endif
            fi;
            begun++;
            ends = ends | (1 << (end - 1 - acked))
        :: else
        fi;
        transmit(next);
        next++;
        assert(next - acked <= WINDOW)      /* P4: no packet beyond the window */
    }
    :: d_step {
        lost != 0 && HAS_ROOM ->            /* Q3: the oldest first */
        i = 0;
        do
        :: (lost >> i) & 1 -> break
        :: else -> i++
        od;
        lost = lost & ~(1 << i);
        resent = (REPORTS -> resent | (1 << i) : 0);
        transmit(acked + i)
    }
    :: atomic {
        SENT_ALL && response[0] != 0 ->
        if
        :: pick = 0
        :: RESPONSES > 1 && response[1] != 0 && response[1] != response[0] -> pick = 1
        fi;
        if
        :: choice = 0
        :: KIND(response[pick]) == REPORT || (KIND(response[pick]) == NAK && !REPORTS) -> choice = 1
        fi;
        d_step {
            taken = response[pick];
#ifndef UNLIMITED
            response[pick] = 0;
            sort_responses();
#endif
            pick = 0;
            on_response(taken);
            choice = 0
        }
    }
#ifndef D_TIMER_NEVER_FIRES
    :: d_step {
        QUIET && next > acked ->
        assert(!stalled);                   /* T3: when nothing went wrong since the timer expired, the edge has moved */
        assert(!gapOpen || told);           /* R1, G3: the requester was told of the gap that is open */
        assert(!revokeOwed);                /* G3: a NAK revokes what was reported and then dropped */
        assert(!REPORTS || lossy || misled);    /* G4: without a loss nothing waits for the timer */
        stalled = 1;
        on_timeout()
    }
#endif
#ifndef UNLIMITED
    :: d_step {
        FAULT_LEFT && next > acked && !QUIET && SENT_ALL ->     /* a timer that is too short */
        fault();
        on_timeout()
    }
#endif
    :: atomic {
        FAULT_LEFT && SENT_ALL && completed < MESSAGES ->       /* a late copy of an ACK, or an ACK of what was never sent (P5) */
        if
        :: PAST(acked - 3)
        :: PAST(acked - 2)
        :: PAST(acked - 1)
        :: PAST(acked)
        :: UNSENT(acked + 1)
        :: UNSENT(acked + 2)
        :: UNSENT(acked + 3)
        :: UNSENT(acked + 4)
        :: else -> taken = 0
        fi;
        d_step {
            fault();
            if
            :: taken != 0 -> on_response(taken)
            :: else
            fi
        }
    }
    od;
    assert(msn == MESSAGES && executed == acked && acked == next && begun == MESSAGES)      /* both ends agree at the end */
}

/* ---------------------------------------------------------------- responder */

inline execute(s)
{
    assert(s == executed && expected == PSN(s));    /* R1: each packet is executed once, and in order */
#ifndef D_FORGETS_MESSAGE_NUMBER
    if
    :: IS_LAST(s) -> msn++
    :: else
    fi;
#endif
    executed++;
    expected = (expected + 1) & 7;
    age_requests()
}

/* What was sent behind a gap arrived, so there is one. */
inline open_gap()
{
    gapOpen = 1;
    told = 0;
#ifndef D_NEVER_REPORTS_GAPS
    if
    :: REPORTS -> ackDue = 1
    :: !REPORTS && !nakSent -> nakSent = 1; nakDue = 1
    :: else
    fi
#endif
}

/* The expected packet: what is kept behind it follows. */
inline on_expected(s)
{
    execute(s);
    kept = kept >> 1;
    do
#ifdef D_CLOSES_GAPS_BLINDLY
    :: kept != 0 ->
        i = (kept & 1 -> 0 : (kept & 2 -> 1 : (kept & 4 -> 2 : 3)));
        execute(executed + i);
        kept = kept >> (i + 1)
#else
    :: kept & 1 ->
        execute(executed);
        kept = kept >> 1
#endif
    :: else -> break
    od;
    gapOpen = 0;
    told = 0;
#ifndef D_NAKS_ONCE
    nakSent = 0;
#endif
#ifndef D_KEEPS_NAK
    nakDue = nakDue && REPORTS;             /* the gap closed before it was reported */
#endif
    ackDue = 1;
    if
    :: kept != 0 -> open_gap()
    :: else
    fi
}

inline on_duplicate(s)
{
    assert(s < executed);                   /* R1: what is taken for a duplicate was executed */
#ifdef D_REPEATS_DUPLICATES
    execute(s);
#endif
#ifdef D_NAKS_DUPLICATES
    nakDue = 1;
#endif
#ifndef D_DROPS_DUPLICATES
    ackDue = 1                              /* R4 */
#endif
}

inline on_gap(s)
{
    assert(s == executed + distance);       /* R1: what is kept is what it is taken for */
#ifdef D_EXECUTES_BEHIND_A_GAP
    execute(s);
#endif
    if
    :: !gapOpen || REPORTS -> open_gap()
    :: else
    fi;
#ifdef D_NAKS_EVERY_PACKET
    nakDue = !REPORTS;
#endif
    if
    :: KEEPS -> kept = kept | (1 << distance)
    :: else
    fi
}

inline on_request(s)
{
    distance = DISTANCE(PSN(s), expected);
    if
    :: distance == 0 -> on_expected(s)
    :: distance < 0 -> on_duplicate(s)
    :: distance > 0 -> on_gap(s)
    fi
}

/* A response that is due leaves: a NAK first, then an ACK, with a report while a gap is open (R2, G3). */
inline respond()
{
    if
    :: nakDue ->
        assert((REPORTS -> revokeOwed : gapOpen && !told));     /* R1, R3: one NAK for each gap, and no other */
#ifdef D_NAK_NAMES_WHAT_ARRIVED
        response[RESPONSES - 1] = RESPONSE(NAK, executed + 1, 0);
#else
        response[RESPONSES - 1] = RESPONSE(NAK, executed, 0);
#endif
        nakDue = 0;
        told = 1;
        revokeOwed = 0;
        ackDue = ackDue && REPORTS          /* the NAK acknowledges what was executed; a report may be due */
    :: else ->
        set = (REPORTS -> kept >> 1 : 0);
#ifdef D_NEVER_REPORTS_GAPS
        set = 0;
#endif
#ifdef D_MISREPORTS_GAPS
        set = (set << 1) & 7;
#endif
        i = 0;
#ifdef D_ACKNOWLEDGES_EARLY
        i = (kept >= 8 -> 4 : (kept >= 4 -> 3 : (kept >= 2 -> 2 : 0)));
        set = 0;
#endif
        response[RESPONSES - 1] = RESPONSE((set != 0 -> REPORT : ACK), executed + i, set);
#ifndef D_NEVER_REPORTS_GAPS
        told = told || (gapOpen && REPORTS);
#endif
        ackDue = 0
    fi;
    sort_responses()
}

#define ARRIVES(s) CAN_ARRIVE(s) -> pick = s

active proctype responder()
{
end_idle:
    do
    :: atomic {
        SENT_ALL && ANY_IN_FLIGHT ->
        if
        :: ARRIVES(executed - 4)
        :: ARRIVES(executed - 3)
        :: ARRIVES(executed - 2)
        :: ARRIVES(executed - 1)
        :: ARRIVES(executed)
        :: ARRIVES(executed + 1)
        :: ARRIVES(executed + 2)
        :: ARRIVES(executed + 3)
        :: ARRIVES(executed + 4)
        fi;
        d_step {
#ifndef UNLIMITED
            inFlight[pick]--;
            flying--;
#endif
            seq = pick;
            pick = 0;
            on_request(seq)
        }
    }
    :: d_step {
        (nakDue || ackDue) && response[RESPONSES - 1] == 0 && SENT_ALL -> respond()
    }
    :: d_step {
        kept != 0 && FAULT_LEFT && SENT_ALL ->      /* two requests claim one PSN, or the gap did not move for a second (R1) */
        fault();
        kept = 0;
        i = 0;
        do
        :: i < RESPONSES && KIND(response[i]) == REPORT -> response[i] = response[i] | STALE; i++
        :: i < RESPONSES && KIND(response[i]) != REPORT -> i++
        :: else -> break
        od;
        sort_responses();
        gapOpen = gapOpen && !REPORTS;
        told = told && !REPORTS;
#ifndef D_NEVER_REVOKES
        nakDue = nakDue || REPORTS;
#endif
        revokeOwed = REPORTS
    }
    od
}

/* ---------------------------------------------------------------- networks */

#define LOSES(k)   k < PACKETS && inFlight[k % PACKETS] > 0 -> pick = k
#define REPEATS(s) (s) >= 0 && (s) < next -> pick = s

active proctype network()
{
end_idle:
    do
#ifdef UNLIMITED
    :: d_step {
        response[0] != 0 -> response[0] = 0
    }
#else
    :: atomic {
        SENT_ALL && FAULT_LEFT && flying > 0 ->
        if
        :: LOSES(0) :: LOSES(1) :: LOSES(2) :: LOSES(3) :: LOSES(4) :: LOSES(5)
        :: LOSES(6) :: LOSES(7) :: LOSES(8) :: LOSES(9) :: LOSES(10) :: LOSES(11)
        fi;
        d_step {
            inFlight[pick]--;
            flying--;
            pick = 0;
            fault();
            lossy = 1
        }
    }
    :: atomic {
        SENT_ALL && FAULT_LEFT && HAS_ROOM && next > 0 ->       /* a copy, or a late copy of what has arrived long ago */
        if
        :: REPEATS(executed - 4) :: REPEATS(executed - 3) :: REPEATS(executed - 2) :: REPEATS(executed - 1)
        :: REPEATS(executed) :: REPEATS(executed + 1) :: REPEATS(executed + 2) :: REPEATS(executed + 3)
        fi;
        d_step {
            transmit(pick);
            pick = 0;
            fault()
        }
    }
    :: atomic {
        SENT_ALL && FAULT_LEFT && response[0] != 0 ->
        if
        :: pick = 0
        :: RESPONSES > 1 && response[1] != 0 -> pick = 1
        fi;
        d_step {
            response[pick] = 0;
            pick = 0;
            sort_responses();
            fault();
            lossy = 1
        }
    }
    :: atomic {
        SENT_ALL && FAULT_LEFT && response[0] != 0 && response[RESPONSES - 1] == 0 ->
        d_step {
            response[RESPONSES - 1] = response[0];
            sort_responses();
            fault()
        }
    }
#endif
    od
}
