package io.rxe.qp;

import static io.rxe.verbs.QueuePairAttribute.ACCESS_FLAGS;
import static io.rxe.verbs.QueuePairAttribute.ADDRESS_VECTOR;
import static io.rxe.verbs.QueuePairAttribute.ALTERNATE_PATH;
import static io.rxe.verbs.QueuePairAttribute.DESTINATION_QPN;
import static io.rxe.verbs.QueuePairAttribute.DRAINED_NOTIFICATION;
import static io.rxe.verbs.QueuePairAttribute.KEEP_ALIVE;
import static io.rxe.verbs.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.rxe.verbs.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.rxe.verbs.QueuePairAttribute.MIN_RNR_TIMER;
import static io.rxe.verbs.QueuePairAttribute.PARTITION_KEY_INDEX;
import static io.rxe.verbs.QueuePairAttribute.PATH_MIGRATION_STATE;
import static io.rxe.verbs.QueuePairAttribute.PATH_MTU;
import static io.rxe.verbs.QueuePairAttribute.PORT;
import static io.rxe.verbs.QueuePairAttribute.QUEUE_KEY;
import static io.rxe.verbs.QueuePairAttribute.RECEIVE_PSN;
import static io.rxe.verbs.QueuePairAttribute.RETRY_COUNT;
import static io.rxe.verbs.QueuePairAttribute.RNR_RETRY;
import static io.rxe.verbs.QueuePairAttribute.SEND_PSN;
import static io.rxe.verbs.QueuePairAttribute.TIMEOUT;
import static io.rxe.verbs.QueuePairState.ERROR;
import static io.rxe.verbs.QueuePairState.INIT;
import static io.rxe.verbs.QueuePairState.RESET;
import static io.rxe.verbs.QueuePairState.RTR;
import static io.rxe.verbs.QueuePairState.RTS;
import static io.rxe.verbs.QueuePairState.SQD;
import static io.rxe.verbs.QueuePairState.SQE;

import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The state transitions of a queue pair and the attributes each one requires or allows, one row per transition. RESET and ERROR can be
 * reached from every state, without attributes. Source: IBTA 10.3.
 */
public final class TransitionTable {
    private static final Map<QueuePairType, TransitionTable> TABLES = new EnumMap<>(QueuePairType.class);

    static {
        for (QueuePairType type : QueuePairType.values()) {
            TABLES.put(type, new TransitionTable(type));
        }
    }

    private final Map<QueuePairState, Map<QueuePairState, Row>> rows = new EnumMap<>(QueuePairState.class);

    private record Row(Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {
    }

    private TransitionTable(QueuePairType type) {
        for (QueuePairState from : QueuePairState.values()) {
            row(from, RESET, none(), none());
            row(from, ERROR, none(), none());
        }
        row(RTS, SQD, none(), EnumSet.of(DRAINED_NOTIFICATION));
        switch (type) {
            case RC -> connected(EnumSet.of(MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER), EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC),
                EnumSet.of(ALTERNATE_PATH), EnumSet.of(MIN_RNR_TIMER, PATH_MIGRATION_STATE, KEEP_ALIVE));
            case UC -> {
                connected(none(), none(), EnumSet.of(ALTERNATE_PATH), EnumSet.of(PATH_MIGRATION_STATE));
                row(SQE, RTS, none(), EnumSet.of(ACCESS_FLAGS));
            }
            case UD -> datagram();
            // As RC, without the attributes of a responder.
            case XRC_SEND -> connected(none(), EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC), none(), none());
            // As RC, without the attributes of a requester, except TIMEOUT and SEND_PSN: RTS asks for both.
            case XRC_RECV -> connected(EnumSet.of(MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER), EnumSet.of(TIMEOUT), none(),
                EnumSet.of(MIN_RNR_TIMER));
        }
    }

    /**
     * @param toReceive what RTR requires, beside the path to the peer.
     * @param toSend    what RTS requires, beside the PSN, and SQD may change.
     * @param fromRtr   what may be set from RTR on.
     * @param fromRts   what may be set from RTS on.
     */
    private void connected(Set<QueuePairAttribute> toReceive, Set<QueuePairAttribute> toSend, Set<QueuePairAttribute> fromRtr,
        Set<QueuePairAttribute> fromRts) {
        Set<QueuePairAttribute> init = EnumSet.of(PARTITION_KEY_INDEX, PORT, ACCESS_FLAGS);
        Set<QueuePairAttribute> ready = with(fromRtr, with(fromRts, EnumSet.of(ACCESS_FLAGS)));
        row(RESET, INIT, init, none());
        row(INIT, INIT, none(), init);
        row(INIT, RTR, with(toReceive, EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN)),
            with(fromRtr, EnumSet.of(ACCESS_FLAGS, PARTITION_KEY_INDEX)));
        row(RTR, RTS, with(toSend, EnumSet.of(SEND_PSN)), ready);
        row(RTS, RTS, none(), ready);
        row(SQD, RTS, none(), ready);
        row(SQD, SQD, none(), with(ready, with(toSend, EnumSet.of(ADDRESS_VECTOR, PARTITION_KEY_INDEX))));
    }

    private static Set<QueuePairAttribute> with(Set<QueuePairAttribute> more, Set<QueuePairAttribute> some) {
        some.addAll(more);
        return some;
    }

    private void datagram() {
        row(RESET, INIT, EnumSet.of(PARTITION_KEY_INDEX, PORT, QUEUE_KEY), none());
        row(INIT, INIT, none(), EnumSet.of(PARTITION_KEY_INDEX, PORT, QUEUE_KEY));
        row(INIT, RTR, none(), EnumSet.of(PARTITION_KEY_INDEX, QUEUE_KEY));
        row(RTR, RTS, EnumSet.of(SEND_PSN), EnumSet.of(QUEUE_KEY));
        row(RTS, RTS, none(), EnumSet.of(QUEUE_KEY));
        row(SQD, RTS, none(), EnumSet.of(QUEUE_KEY));
        row(SQD, SQD, none(), EnumSet.of(PARTITION_KEY_INDEX, QUEUE_KEY));
        row(SQE, RTS, none(), EnumSet.of(QUEUE_KEY));
    }

    private static Set<QueuePairAttribute> none() {
        return EnumSet.noneOf(QueuePairAttribute.class);
    }

    private void row(QueuePairState from, QueuePairState to, Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {
        rows.computeIfAbsent(from, state -> new EnumMap<>(QueuePairState.class)).put(to, new Row(required, optional));
    }

    /**
     * Checks a change of state and attributes.
     *
     * @throws IllegalArgumentException when there is no such transition, or an attribute is missing or not allowed.
     */
    public static void check(QueuePairType type, QueuePairState from, QueuePairAttributes change) {
        QueuePairState to = change.state();
        Row row = TABLES.get(type).rows.get(from).get(to);
        if (row == null) {
            throw new IllegalArgumentException(type + " queue pair cannot go from " + from + " to " + to + ": from " + from
                + " it can go to " + TABLES.get(type).rows.get(from).keySet());
        }
        Set<QueuePairAttribute> missing = EnumSet.copyOf(row.required);
        missing.removeAll(change.present());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(from + " to " + to + " needs " + missing + ": set it");
        }
        Set<QueuePairAttribute> extra = EnumSet.noneOf(QueuePairAttribute.class);
        extra.addAll(change.present());
        extra.removeAll(row.required);
        extra.removeAll(row.optional);
        if (!extra.isEmpty()) {
            throw new IllegalArgumentException(from + " to " + to + " cannot set " + extra + ": leave it out");
        }
    }
}
