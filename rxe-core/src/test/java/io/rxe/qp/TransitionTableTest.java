package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Gid;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks every pair of states of every service against a table written from the specification: the attributes that are required or
 * allowed. RESET and ERROR can be reached from every state, without attributes.
 */
class TransitionTableTest {
    private static final Gid PORT = Gid.parse("10.0.0.1");

    /** from, to, required / optional; short names of attributes: see {@link #LETTERS}. */
    private static final Map<QueuePairType, String> EXPECTED = Map.of(
        QueuePairType.RC, """
            RESET INIT pkey,port,access /
            INIT INIT / pkey,port,access
            INIT RTR av,mtu,dqpn,rpsn,maxdest,minrnr / pkey,access,alt
            RTR RTS timeout,retry,rnr,spsn,maxrd / access,minrnr,alt,mig,alive
            RTS RTS / access,minrnr,alt,mig,alive
            RTS SQD / drained
            SQD RTS / access,minrnr,alt,mig,alive
            SQD SQD / pkey,access,av,timeout,retry,rnr,maxrd,minrnr,alt,mig,alive
            """,
        QueuePairType.UC, """
            RESET INIT pkey,port,access /
            INIT INIT / pkey,port,access
            INIT RTR av,mtu,dqpn,rpsn / pkey,access,alt
            RTR RTS spsn / access,alt,mig
            RTS RTS / access,alt,mig
            RTS SQD / drained
            SQD RTS / access,alt,mig
            SQD SQD / pkey,access,av,alt,mig
            SQE RTS / access
            """,
        QueuePairType.UD, """
            RESET INIT pkey,port,qkey /
            INIT INIT / pkey,port,qkey
            INIT RTR / pkey,qkey
            RTR RTS spsn / qkey
            RTS RTS / qkey
            RTS SQD / drained
            SQD RTS / qkey
            SQD SQD / pkey,qkey
            SQE RTS / qkey
            """,
        QueuePairType.XRC_SEND, """
            RESET INIT pkey,port,access /
            INIT INIT / pkey,port,access
            INIT RTR av,mtu,dqpn,rpsn / pkey,access
            RTR RTS timeout,retry,rnr,spsn,maxrd / access
            RTS RTS / access
            RTS SQD / drained
            SQD RTS / access
            SQD SQD / pkey,access,av,timeout,retry,rnr,maxrd
            """,
        QueuePairType.XRC_RECV, """
            RESET INIT pkey,port,access /
            INIT INIT / pkey,port,access
            INIT RTR av,mtu,dqpn,rpsn,maxdest,minrnr / pkey,access
            RTR RTS timeout,spsn / access,minrnr
            RTS RTS / access,minrnr
            RTS SQD / drained
            SQD RTS / access,minrnr
            SQD SQD / pkey,access,av,timeout,minrnr
            """);

    private static final Map<String, QueuePairAttribute> LETTERS = Map.ofEntries(
        Map.entry("access", QueuePairAttribute.ACCESS_FLAGS), Map.entry("pkey", QueuePairAttribute.PARTITION_KEY_INDEX),
        Map.entry("port", QueuePairAttribute.PORT), Map.entry("qkey", QueuePairAttribute.QUEUE_KEY),
        Map.entry("av", QueuePairAttribute.ADDRESS_VECTOR), Map.entry("mtu", QueuePairAttribute.PATH_MTU),
        Map.entry("dqpn", QueuePairAttribute.DESTINATION_QPN), Map.entry("rpsn", QueuePairAttribute.RECEIVE_PSN),
        Map.entry("maxdest", QueuePairAttribute.MAX_DEST_RD_ATOMIC), Map.entry("minrnr", QueuePairAttribute.MIN_RNR_TIMER),
        Map.entry("timeout", QueuePairAttribute.TIMEOUT), Map.entry("retry", QueuePairAttribute.RETRY_COUNT),
        Map.entry("rnr", QueuePairAttribute.RNR_RETRY), Map.entry("spsn", QueuePairAttribute.SEND_PSN),
        Map.entry("maxrd", QueuePairAttribute.MAX_RD_ATOMIC), Map.entry("drained", QueuePairAttribute.DRAINED_NOTIFICATION),
        Map.entry("alt", QueuePairAttribute.ALTERNATE_PATH), Map.entry("mig", QueuePairAttribute.PATH_MIGRATION_STATE),
        Map.entry("alive", QueuePairAttribute.KEEP_ALIVE));

    private record Row(Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {
    }

    private static Map<String, Row> table(QueuePairType type) {
        Map<String, Row> rows = new HashMap<>();
        EXPECTED.get(type).lines().forEach(line -> {
            String[] words = line.split(" ", 3);
            String[] sets = (" " + words[2] + " ").split("/");
            rows.put(words[0] + " " + words[1], new Row(attributes(sets[0]), attributes(sets[1])));
        });
        for (QueuePairState from : QueuePairState.values()) {
            rows.put(from + " RESET", new Row(attributes(""), attributes("")));
            rows.put(from + " ERROR", new Row(attributes(""), attributes("")));
        }
        return rows;
    }

    private static Set<QueuePairAttribute> attributes(String text) {
        Set<QueuePairAttribute> set = EnumSet.noneOf(QueuePairAttribute.class);
        for (String word : text.trim().split(",")) {
            if (!word.isEmpty()) {
                set.add(LETTERS.get(word));
            }
        }
        return set;
    }

    private static QueuePairAttributes with(QueuePairState to, Set<QueuePairAttribute> set) {
        QueuePairAttributes change = QueuePairAttributes.to(to);
        for (QueuePairAttribute attribute : set) {
            switch (attribute) {
                case ACCESS_FLAGS -> change.accessFlags(0);
                case PARTITION_KEY_INDEX -> change.partitionKeyIndex(0);
                case PORT -> change.port(1);
                case QUEUE_KEY -> change.queueKey(1);
                case ADDRESS_VECTOR -> change.addressVector(AddressVector.to(PORT));
                case PATH_MTU -> change.pathMtu(PathMtu.MTU_256);
                case DESTINATION_QPN -> change.destinationQpn(2);
                case RECEIVE_PSN -> change.receivePsn(0);
                case MAX_DEST_RD_ATOMIC -> change.maxDestRdAtomic(0);
                case MIN_RNR_TIMER -> change.minRnrTimer(0);
                case TIMEOUT -> change.timeout(0);
                case RETRY_COUNT -> change.retryCount(0);
                case RNR_RETRY -> change.rnrRetry(0);
                case SEND_PSN -> change.sendPsn(0);
                case MAX_RD_ATOMIC -> change.maxRdAtomic(0);
                case DRAINED_NOTIFICATION -> change.drainedNotification(true);
                case ALTERNATE_PATH -> change.alternatePath(new AlternatePath(AddressVector.to(PORT), 1, 14));
                case PATH_MIGRATION_STATE -> change.pathMigrationState(PathMigrationState.REARM);
                case KEEP_ALIVE -> change.keepAliveNs(1_000_000);
            }
        }
        return change;
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    @DisplayName("T9 every pair of states, with every attribute")
    void everyPairOfStatesIsAsTheSpecificationSays(QueuePairType type) {
        Map<String, Row> table = table(type);
        for (QueuePairState from : QueuePairState.values()) {
            for (QueuePairState to : QueuePairState.values()) {
                Row row = table.get(from + " " + to);
                if (row == null) {
                    String text = refused(type, from, with(to, Set.of()));
                    assertTrue(text.contains(from.name()) && text.contains(to.name()) && text.contains(type.name()), text);
                } else {
                    checkAttributes(type, from, to, row);
                }
            }
        }
    }

    private static void checkAttributes(QueuePairType type, QueuePairState from, QueuePairState to, Row row) {
        String where = type + " " + from + " " + to;
        assertDoesNotThrow(() -> TransitionTable.check(type, from, with(to, row.required())), where);
        for (QueuePairAttribute attribute : QueuePairAttribute.values()) {
            Set<QueuePairAttribute> set = EnumSet.noneOf(QueuePairAttribute.class);
            set.addAll(row.required());
            if (row.required().contains(attribute)) {
                set.remove(attribute);
                assertTrue(refused(type, from, with(to, set)).contains(attribute.name()), where + " without " + attribute);
            } else {
                set.add(attribute);
                if (row.optional().contains(attribute)) {
                    assertDoesNotThrow(() -> TransitionTable.check(type, from, with(to, set)), where + " with " + attribute);
                } else {
                    assertTrue(refused(type, from, with(to, set)).contains(attribute.name()), where + " with " + attribute);
                }
            }
        }
    }

    private static String refused(QueuePairType type, QueuePairState from, QueuePairAttributes change) {
        return assertThrows(IllegalArgumentException.class, () -> TransitionTable.check(type, from, change)).getMessage();
    }

    @Test
    @DisplayName("Q1 a queue pair makes only transitions in the table, and a refused change leaves it unchanged")
    void aRealQueuePairWalksAlongTheTable() {
        for (QueuePairState from : QueuePairState.values()) {
            for (QueuePairState to : QueuePairState.values()) {
                if (from == QueuePairState.SQE) {
                    continue;
                }
                Trace trace = Trace.inRts().in(from).open();
                Row row = table(QueuePairType.RC).get(from + " " + to);
                if (row == null) {
                    assertThrows(IllegalArgumentException.class, () -> trace.pair.modify(QueuePairAttributes.to(to)));
                    trace.expectState(from);
                } else if (row.required().isEmpty()) {
                    trace.pair.modify(QueuePairAttributes.to(to));
                    trace.expectState(to);
                    assertEquals(to, trace.pair.query().state());
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PORT, 0, 1", "PORT, 2, 1", "PARTITION_KEY_INDEX, 1, 0", "PARTITION_KEY_INDEX, -1, 0", "DESTINATION_QPN, 0, 16777215",
        "DESTINATION_QPN, 16777216, 16777215", "RECEIVE_PSN, 16777216, 16777215", "RECEIVE_PSN, -1, 16777215",
        "SEND_PSN, 16777216, 16777215", "SEND_PSN, -1, 16777215", "MAX_DEST_RD_ATOMIC, 129, 128", "MAX_DEST_RD_ATOMIC, -1, 128",
        "MAX_RD_ATOMIC, 129, 128", "MIN_RNR_TIMER, 32, 31", "MIN_RNR_TIMER, -1, 31", "TIMEOUT, 32, 31", "TIMEOUT, -1, 31",
        "RETRY_COUNT, 8, 7", "RETRY_COUNT, -1, 7", "RNR_RETRY, 8, 7"})
    @DisplayName("T1 T7 an attribute out of range is refused with name, value and limit")
    void valuesOutOfRangeAreRefused(QueuePairAttribute attribute, int value, int limit) {
        QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.RTR);
        switch (attribute) {
            case PORT -> change.port(value);
            case PARTITION_KEY_INDEX -> change.partitionKeyIndex(value);
            case DESTINATION_QPN -> change.destinationQpn(value);
            case RECEIVE_PSN -> change.receivePsn(value);
            case SEND_PSN -> change.sendPsn(value);
            case MAX_DEST_RD_ATOMIC -> change.maxDestRdAtomic(value);
            case MAX_RD_ATOMIC -> change.maxRdAtomic(value);
            case MIN_RNR_TIMER -> change.minRnrTimer(value);
            case TIMEOUT -> change.timeout(value);
            case RETRY_COUNT -> change.retryCount(value);
            default -> change.rnrRetry(value);
        }
        String text = assertThrows(IllegalArgumentException.class,
            () -> AttributeLimits.check(change, List.of(PORT), 1, PathMtu.MTU_4096, PartitionKeys.DEFAULT)).getMessage();
        assertTrue(text.contains(attribute.name()) && text.contains(" " + value) && text.contains(String.valueOf(limit)), text);
    }

    @Test
    @DisplayName("K9 a path MTU above the port MTU is refused, and the message names the interface MTU it needs")
    void aPathMtuBeyondThePortIsRefused() {
        QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.RTR).pathMtu(PathMtu.MTU_4096);
        String text = assertThrows(IllegalArgumentException.class,
            () -> AttributeLimits.check(change, List.of(PORT), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT)).getMessage();
        assertTrue(text.contains("4096") && text.contains("1024") && text.contains("4176"), text);
        assertDoesNotThrow(() -> AttributeLimits.check(change, List.of(PORT), 1, PathMtu.MTU_4096, PartitionKeys.DEFAULT));
    }

    @Test
    void anAddressOfAnotherFamilyOrNoneIsRefused() {
        QueuePairAttributes ipv6 = QueuePairAttributes.to(QueuePairState.RTR).addressVector(AddressVector.to(Gid.parse("fd00::2")));
        String text = assertThrows(IllegalArgumentException.class, () ->
            AttributeLimits.check(ipv6, List.of(PORT), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT)).getMessage();
        assertTrue(text.contains("fd00::2") && text.contains("IPv4"), text);
        QueuePairAttributes none = QueuePairAttributes.to(QueuePairState.RTR);
        assertThrows(NullPointerException.class, () -> none.addressVector(null));
    }

    @Test
    void unknownAccessFlagsAreRefused() {
        QueuePairAttributes change = QueuePairAttributes.to(QueuePairState.INIT).accessFlags(1 << 20);
        String text = assertThrows(IllegalArgumentException.class,
            () -> AttributeLimits.check(change, List.of(PORT), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT)).getMessage();
        assertTrue(text.contains("100000"), text);
        assertDoesNotThrow(() -> AttributeLimits.check(QueuePairAttributes.to(QueuePairState.INIT).accessFlags(AccessFlags.REMOTE_WRITE),
            List.of(PORT), 1, PathMtu.MTU_1024, PartitionKeys.DEFAULT));
    }

    @Test
    void whatWasSetIsWhatIsAsked() {
        Trace trace = Trace.inRts().timeout(17).retryCount(5).rnrRetry(6).minRnrTimer(9).maxRdAtomic(3).maxDestRdAtomic(4)
            .sendPsn(0x123).receivePsn(0x456).mtu(PathMtu.MTU_512).open();
        QueuePairAttributes now = trace.pair.query();
        assertEquals(List.of(17, 5, 6, 9, 3, 4, 0x123, 0x456, 512, Trace.PEER_QPN), List.of(now.timeout(), now.retryCount(),
            now.rnrRetry(), now.minRnrTimer(), now.maxRdAtomic(), now.maxDestRdAtomic(), now.sendPsn(), now.receivePsn(),
            now.pathMtu().bytes(), now.destinationQpn()));
        assertEquals(Trace.PEER_GID, now.addressVector().destination());
        Set<String> left = now.present().stream().map(Enum::name).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(left.contains("TIMEOUT") && left.contains("ACCESS_FLAGS"), left::toString);
    }
}
