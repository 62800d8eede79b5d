package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.fault.Verb;
import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryWindowType;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Verbs that free can be made to fail")
class FreeFaultTest {
    private static final String ADDRESS = "127.0.0.1";

    private static RxeNic open(String spec) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS)).withSeed(1L)
            .withVerbsFault(VerbsFaultSpec.parse(spec).faults(1)));
    }

    /** What is freed by a verb of its own. */
    private static AutoCloseable object(RxeNic nic, Verb verb) {
        ProtectionDomain domain = nic.device().allocateProtectionDomain();
        CompletionQueue queue = nic.device().createCompletionQueue(1);
        return switch (verb) {
            case DEALLOC_PD -> domain;
            case CLOSE_XRCD -> nic.device().openXrcDomain();
            case DEREG_MR -> domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
            case DEALLOC_MW -> domain.allocateWindow(MemoryWindowType.TYPE_2);
            case DESTROY_CQ -> queue;
            case DESTROY_SRQ -> domain.createSharedReceiveQueue(1, 1);
            case DESTROY_QP -> domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, queue, queue));
            case CLOSE_DEVICE -> nic.device();
            default -> throw new AssertionError(verb);
        };
    }

    @ParameterizedTest
    @EnumSource(value = Verb.class, names = {"DEALLOC_PD", "CLOSE_XRCD", "DEREG_MR", "DEALLOC_MW", "DESTROY_CQ", "DESTROY_SRQ",
        "DESTROY_QP", "CLOSE_DEVICE"})
    @DisplayName("what frees is refused once, leaves the object as it was, and counts no call for what is closed already")
    void freeing(Verb verb) throws Exception {
        try (RxeNic nic = open(verb.word() + ": EBUSY nth 1, EINVAL nth 2")) {
            AutoCloseable object = object(nic, verb);
            String before = object.toString();
            assertEquals(VerbError.EBUSY, ((VerbFailure) assertThrows(IllegalStateException.class, object::close)).error());
            assertEquals(before, object.toString());
            // The second rule counts the calls that the first one lets pass.
            object.close();
            object.close();
            assertEquals("{" + verb.word() + ": EBUSY nth 1=1, " + verb.word() + ": EINVAL nth 2=0}", nic.verbsFaults().toString());
        }
    }

    @Test
    @DisplayName("what goes with a protection domain or a NIC is freed by no verb of its own")
    void freeingMore() throws Exception {
        RxeNic nic = open("destroy_qp: EBUSY; dereg_mr: EBUSY; destroy_cq: EBUSY; dealloc_pd: EBUSY nth 2; close_device: EBUSY");
        QueuePairLink link = new QueuePairLink(nic.device(), 4096);
        link.domain().close();
        assertThrows(IllegalStateException.class, () -> link.completions().close());
        new QueuePairLink(nic.device(), 4096);
        nic.close();
        assertEquals(1, nic.verbsFaults().values().stream().mapToLong(Long::longValue).sum());
    }
}
