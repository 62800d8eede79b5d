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
            case RC -> reliable();
            case UC -> unreliable();
            case UD -> datagram();
            case XRC_SEND -> xrcInitiator();
            case XRC_RECV -> xrcTarget();
        }
    }

    private void reliable() {
        Set<QueuePairAttribute> init = EnumSet.of(PARTITION_KEY_INDEX, PORT, ACCESS_FLAGS);
        row(RESET, INIT, init, none());
        row(INIT, INIT, none(), init);
        row(INIT, RTR, EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
            EnumSet.of(ACCESS_FLAGS, PARTITION_KEY_INDEX, ALTERNATE_PATH));
        row(RTR, RTS, EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, SEND_PSN, MAX_RD_ATOMIC),
            EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER, ALTERNATE_PATH, PATH_MIGRATION_STATE, KEEP_ALIVE));
        row(RTS, RTS, none(), EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER, ALTERNATE_PATH, PATH_MIGRATION_STATE, KEEP_ALIVE));
        row(SQD, RTS, none(), EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER, ALTERNATE_PATH, PATH_MIGRATION_STATE, KEEP_ALIVE));
        row(SQD, SQD, none(), EnumSet.of(ACCESS_FLAGS, ADDRESS_VECTOR, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC,
            MIN_RNR_TIMER, PARTITION_KEY_INDEX, ALTERNATE_PATH, PATH_MIGRATION_STATE, KEEP_ALIVE));
    }

    private void unreliable() {
        Set<QueuePairAttribute> init = EnumSet.of(PARTITION_KEY_INDEX, PORT, ACCESS_FLAGS);
        row(RESET, INIT, init, none());
        row(INIT, INIT, none(), init);
        row(INIT, RTR, EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN),
            EnumSet.of(ACCESS_FLAGS, PARTITION_KEY_INDEX, ALTERNATE_PATH));
        row(RTR, RTS, EnumSet.of(SEND_PSN), EnumSet.of(ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE));
        row(RTS, RTS, none(), EnumSet.of(ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE));
        row(SQD, RTS, none(), EnumSet.of(ACCESS_FLAGS, ALTERNATE_PATH, PATH_MIGRATION_STATE));
        row(SQD, SQD, none(), EnumSet.of(ACCESS_FLAGS, ADDRESS_VECTOR, PARTITION_KEY_INDEX, ALTERNATE_PATH,
            PATH_MIGRATION_STATE));
        row(SQE, RTS, none(), EnumSet.of(ACCESS_FLAGS));
    }

    /** As RC, without the attributes of a responder. */
    private void xrcInitiator() {
        Set<QueuePairAttribute> init = EnumSet.of(PARTITION_KEY_INDEX, PORT, ACCESS_FLAGS);
        row(RESET, INIT, init, none());
        row(INIT, INIT, none(), init);
        row(INIT, RTR, EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN), EnumSet.of(ACCESS_FLAGS, PARTITION_KEY_INDEX));
        row(RTR, RTS, EnumSet.of(TIMEOUT, RETRY_COUNT, RNR_RETRY, SEND_PSN, MAX_RD_ATOMIC), EnumSet.of(ACCESS_FLAGS));
        row(RTS, RTS, none(), EnumSet.of(ACCESS_FLAGS));
        row(SQD, RTS, none(), EnumSet.of(ACCESS_FLAGS));
        row(SQD, SQD, none(), EnumSet.of(ACCESS_FLAGS, ADDRESS_VECTOR, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC,
            PARTITION_KEY_INDEX));
    }

    /** As RC, without the attributes of a requester, except TIMEOUT and SEND_PSN: RTS asks for both. */
    private void xrcTarget() {
        Set<QueuePairAttribute> init = EnumSet.of(PARTITION_KEY_INDEX, PORT, ACCESS_FLAGS);
        row(RESET, INIT, init, none());
        row(INIT, INIT, none(), init);
        row(INIT, RTR, EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION_QPN, RECEIVE_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
            EnumSet.of(ACCESS_FLAGS, PARTITION_KEY_INDEX));
        row(RTR, RTS, EnumSet.of(TIMEOUT, SEND_PSN), EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER));
        row(RTS, RTS, none(), EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER));
        row(SQD, RTS, none(), EnumSet.of(ACCESS_FLAGS, MIN_RNR_TIMER));
        row(SQD, SQD, none(), EnumSet.of(ACCESS_FLAGS, ADDRESS_VECTOR, TIMEOUT, MIN_RNR_TIMER, PARTITION_KEY_INDEX));
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
