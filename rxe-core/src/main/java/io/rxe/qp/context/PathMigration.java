package io.rxe.qp.context;

import io.rxe.counters.NicCounter;
import io.rxe.port.EngineEvent;
import io.rxe.port.Flow;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.AlternatePath;
import io.rxe.verbs.AsyncEvent;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.PathMigrationState;
import io.rxe.verbs.QueuePairAttribute;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;

/**
 * The automatic path migration of a queue pair (rule M1): which path it uses, and when it takes the other.
 *
 * <pre>
 *               verb: REARM                    MigReq 0 on the primary path
 *   MIGRATED ----------------------> REARM ----------------------------------> ARMED
 *   MigReq 1                       MigReq 0                                  MigReq 0
 *      ^                               | MigReq 1 on the alternate path          | the same; verb: MIGRATED; retry_cnt exhausted
 *      +-------------------------------+-----------------------------------------+
 * </pre>
 *
 * <p>A migration makes the alternate path the primary one and restarts the send side there. Packets of the path it left are dropped. After
 * a migration of its own, this side repeats MigReq 1 until the peer has answered on the new path, whatever the application does: else the
 * peer might never see it. A queue pair that never had an alternate path sends MigReq 0, as rdma_rxe does.
 *
 * <p>Owned by the engine thread. Source: IBTA 17.2.8.
 */
public final class PathMigration {
    private final QueuePairContext context;
    private Runnable onMigrated = () -> { };
    private PathMigrationState state = PathMigrationState.MIGRATED;
    /** Null while none is loaded. */
    private Flow alternate;
    /** The P_Key of the alternate path. */
    private int alternateKey;
    /** Whether an alternate path was loaded since the reset. */
    private boolean enabled;
    /** Whether the peer uses the primary path too, as far as this side knows. */
    private boolean peerFollowed = true;
    private boolean errorReported;
    /** The MigReq bit of every packet; derived from the fields above. */
    private boolean requesting;
    /** Whether packets have to be examined; derived from the fields above. */
    private boolean watching;

    PathMigration(QueuePairContext context) {
        this.context = context;
    }

    /** Sets what restarts the send side on the new path; once, before first use. */
    public void onMigrated(Runnable restart) {
        onMigrated = restart;
    }

    /** The MigReq bit of the packets sent now. */
    public boolean isRequesting() {
        return requesting;
    }

    /** Whether {@link #onPacket} has to see the packets that arrive. */
    public boolean isWatching() {
        return watching;
    }

    /** To RESET: no alternate path is loaded, and none was. */
    public void reset() {
        alternate = null;
        enabled = false;
        peerFollowed = true;
        enter(PathMigrationState.MIGRATED);
        context.attributes().forgetAlternatePath();
    }

    /**
     * Checks a change by the application, before it is made.
     *
     * @throws IllegalArgumentException when the state does not allow it, or a path is missing or the same as the other.
     */
    public void check(QueuePairAttributes change) {
        if (context.type() == QueuePairType.UD && change.has(QueuePairAttribute.PORT) && change.port() != 1) {
            throw new IllegalArgumentException("PORT " + change.port() + " of a UD queue pair: datagrams use port 1; open"
                + " another NIC at that address");
        }
        QueuePairAttributes present = context.attributes();
        AlternatePath path = change.has(QueuePairAttribute.ALTERNATE_PATH) ? change.alternatePath() : present.alternatePath();
        AddressVector primary = change.has(QueuePairAttribute.ADDRESS_VECTOR) ? change.addressVector() : present.addressVector();
        boolean changesPath = change.has(QueuePairAttribute.ALTERNATE_PATH) || change.has(QueuePairAttribute.ADDRESS_VECTOR);
        if (changesPath && path != null && path.port() == present.port()
            && path.addressVector().destination().equals(primary.destination())) {
            throw new IllegalArgumentException("ALTERNATE_PATH to " + primary.destination() + " from port " + path.port()
                + " is the primary path: use another port of this device or of the peer");
        }
        PathMigrationState wanted = change.has(QueuePairAttribute.PATH_MIGRATION_STATE) ? change.pathMigrationState() : null;
        if (change.has(QueuePairAttribute.ALTERNATE_PATH) && state == PathMigrationState.ARMED && wanted != PathMigrationState.REARM) {
            throw new IllegalArgumentException("ALTERNATE_PATH cannot change while the queue pair is ARMED: set PATH_MIGRATION_STATE REARM"
                + " with it, so that the peer arms again, or load it after the migration");
        }
        if (wanted != null) {
            checkState(wanted, path, change.has(QueuePairAttribute.ALTERNATE_PATH));
        }
    }

    private void checkState(PathMigrationState wanted, AlternatePath path, boolean isLoading) {
        if (wanted == PathMigrationState.ARMED) {
            throw new IllegalArgumentException("PATH_MIGRATION_STATE ARMED is entered by the NIC when the peer has armed too: set REARM");
        }
        if (wanted == PathMigrationState.REARM && path == null) {
            throw new IllegalArgumentException("PATH_MIGRATION_STATE REARM without an alternate path: set ALTERNATE_PATH with it; a"
                + " migration used up the one before");
        }
        if (wanted == PathMigrationState.REARM && state == PathMigrationState.ARMED && !isLoading) {
            throw new IllegalArgumentException("PATH_MIGRATION_STATE REARM while the queue pair is ARMED: leave it out, or set"
                + " ALTERNATE_PATH with it to change the path");
        }
        if (wanted == PathMigrationState.MIGRATED && state == PathMigrationState.REARM) {
            throw new IllegalArgumentException("PATH_MIGRATION_STATE MIGRATED while the queue pair is in REARM, because the peer has not"
                + " armed: wait until query shows ARMED");
        }
    }

    /**
     * Makes a change by the application, which is checked and merged into the attributes.
     *
     * @param loaded the flow of a newly loaded alternate path; null when the change loads none.
     * @param key    the P_Key of that path.
     */
    public void change(QueuePairAttributes change, Flow loaded, int key) {
        if (loaded != null) {
            alternate = loaded;
            alternateKey = key;
            enabled = true;
            update();
        }
        if (!change.has(QueuePairAttribute.PATH_MIGRATION_STATE)) {
            return;
        }
        if (change.pathMigrationState() == PathMigrationState.REARM) {
            enter(PathMigrationState.REARM);
        } else if (state == PathMigrationState.ARMED) {
            migrate("the application demanded it");
        }
    }

    /**
     * Whether a packet that does not come from the primary path is the peer's migration to the alternate path. It may be a moment before
     * this side knows that the peer is armed, so REARM is enough.
     */
    public boolean isMigration(InboundPacket packet) {
        return alternate != null && state != PathMigrationState.MIGRATED && isOn(alternate, packet.flow())
            && Bth.isMigrationRequest(packet.buffer(), packet.offset())
            && PartitionKeys.matches(alternateKey, Bth.partitionKey(packet.buffer(), packet.offset()));
    }

    /** Whether a packet from neither path asks to migrate there, which {@link #refuse} reports once its ICRC is verified. */
    public boolean isRefusable(InboundPacket packet) {
        return !errorReported && alternate != null && state != PathMigrationState.MIGRATED && !isOn(alternate, packet.flow())
            && Bth.isMigrationRequest(packet.buffer(), packet.offset());
    }

    /** The peer migrated to a path that is not the alternate one: reports it, once until the queue pair is armed again. */
    public void refuse(InboundPacket packet) {
        errorReported = true;
        context.counters().count(NicCounter.PATH_MIGRATION_ERRORS);
        context.raise(AsyncEvent.Type.PATH_MIG_ERR, "the peer migrated to " + packet.flow() + ", but the alternate path is " + alternate
            + " seen from here: load the same pair of ports on both sides");
    }

    private static boolean isOn(Flow path, Flow received) {
        return received.source().equals(path.destination()) && received.destination().equals(path.source());
    }

    /**
     * A packet was accepted while {@link #isWatching}: it comes from the primary path, or {@link #isMigration}.
     *
     * @param isRecent whether the peer may have sent it just now. A late packet of an earlier use of the path, or a forged one, tells
     *                 nothing of the state of the peer.
     */
    public void onPacket(InboundPacket packet, boolean isRecent) {
        if (!isOn(context.flow(), packet.flow())) {
            // Kept frames were admitted before a migration and are not examined again, so this is the peer's migration.
            migrate("the peer migrated");
            peerFollowed = true;
        } else if (isRecent) {
            peerFollowed = true;
            if (state == PathMigrationState.REARM && !Bth.isMigrationRequest(packet.buffer(), packet.offset())) {
                enter(PathMigrationState.ARMED);
            }
        }
        update();
    }

    /** Whether the queue pair can leave a path that does not answer. */
    public boolean canMigrate() {
        return state == PathMigrationState.ARMED;
    }

    /** retry_cnt is exhausted: migrates if the queue pair is armed, and returns whether it was. */
    public boolean migrateFromDeadPath() {
        if (!canMigrate()) {
            return false;
        }
        migrate("no response came within retry_cnt");
        return true;
    }

    private void migrate(String why) {
        Flow left = context.flow();
        context.attributes().migrate();
        context.connect(alternate, context.mtu());
        context.partitionKey(alternateKey);
        alternate = null;
        peerFollowed = false;
        enter(PathMigrationState.MIGRATED);
        context.counters().count(NicCounter.PATH_MIGRATIONS);
        context.counters().event(EngineEvent.PATH_MIGRATION, 0, context.attributes().port());
        onMigrated.run();
        context.raise(AsyncEvent.Type.PATH_MIG, why + ": from " + left + " to " + context.flow());
    }

    private void enter(PathMigrationState newState) {
        state = newState;
        errorReported = false;
        context.attributes().pathMigrationState(newState);
        update();
    }

    private void update() {
        requesting = enabled && (state == PathMigrationState.MIGRATED || !peerFollowed);
        watching = state != PathMigrationState.MIGRATED || !peerFollowed;
    }
}
