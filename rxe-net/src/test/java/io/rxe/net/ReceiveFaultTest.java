package io.rxe.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.fault.VerbsFaultSpec;
import io.rxe.net.port.NetCounter;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressHandle;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.CompletionStatus;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.SharedReceiveQueue;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@DisplayName("A receive that is made to fail takes its queue pair to ERROR, and the peer gets the NAK of a true failure")
class ReceiveFaultTest {
    private static final String ADDRESS = "127.0.0.1";
    private static final int MESSAGES = 3;

    private final List<CompletionStatus> received = new ArrayList<>();
    private final List<CompletionStatus> sent = new ArrayList<>();

    private static RxeNic open(String spec) throws Exception {
        return RxeNic.open(RxeNicOptions.defaults(ADDRESS).withUdpPort(FreePorts.udp(ADDRESS)).withSeed(1L)
            .withVerbsFault(VerbsFaultSpec.parse(spec).faults(1)));
    }

    /** A queue pair sends itself three messages, one after another; returns it. */
    private QueuePair sendToItself(RxeNic nic, QueuePairType type, boolean isShared) {
        ProtectionDomain domain = nic.device().allocateProtectionDomain();
        MemoryRegion region = domain.register(ByteBuffer.allocateDirect(64), AccessFlags.ALL);
        CompletionQueue sends = nic.device().createCompletionQueue(8);
        CompletionQueue receives = nic.device().createCompletionQueue(8);
        SharedReceiveQueue shared = isShared ? domain.createSharedReceiveQueue(8, 1) : null;
        QueuePair pair = domain.createQueuePair(QueuePairConfig.of(type, sends, receives).withSharedReceiveQueue(shared));
        AddressVector own = AddressVector.to(nic.device().gid(), nic.device().udpPort());
        QueuePairLink.connectToItself(pair, own);
        AddressHandle handle = domain.createAddressHandle(own);
        for (int i = 0; i < MESSAGES; i++) {
            ReceiveRequest request = new ReceiveRequest().id(i).add(region, 0, 64);
            assertTrue(isShared ? shared.postReceive(request) : pair.postReceive(request));
        }
        for (int i = 0; i < MESSAGES; i++) {
            WorkRequest request = new WorkRequest().send().add(region, 0, 8);
            assertTrue(pair.postSend(type == QueuePairType.UD ? request.to(handle, pair.number(), 1) : request));
            sent.add(QueuePairLink.await(sends).status());
            if (!isShared || received.size() < 2) {
                received.add(QueuePairLink.await(receives).status());
            }
        }
        return pair;
    }

    /** What the send completes with whose receive failed so. */
    private static CompletionStatus answer(CompletionStatus receive) {
        return switch (receive) {
            case LOC_LEN_ERR, REM_INV_REQ_ERR -> CompletionStatus.REM_INV_REQ_ERR;
            case LOC_ACCESS_ERR -> CompletionStatus.REM_ACCESS_ERR;
            default -> CompletionStatus.REM_OP_ERR;
        };
    }

    @ParameterizedTest
    @EnumSource(value = CompletionStatus.class, mode = Mode.EXCLUDE, names = {"SUCCESS", "MW_BIND_ERR", "BAD_RESP_ERR", "REM_ACCESS_ERR",
        "REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "REM_INV_RD_REQ_ERR", "RESP_TIMEOUT_ERR"})
    @DisplayName("the first receive succeeds, the second fails, the third is flushed, and the peer gets the NAK")
    void everyStatusOfAReceive(CompletionStatus status) throws Exception {
        try (RxeNic nic = open("post_recv: status=" + status + " nth 2");
             RxeNic peer = RxeNic.open(RxeNicOptions.defaults("127.0.0.2").withUdpPort(nic.device().udpPort()).withSeed(2L))) {
            QueuePairLink to = new QueuePairLink(nic.device(), 4096);
            // One that is flushed says nothing, and the peer gives up after its retries.
            QueuePairLink from = new QueuePairLink(peer.device(), 4096).ackTimeout(status == CompletionStatus.WR_FLUSH_ERR ? 16 : 18);
            QueuePairLink.connect(from, to, PathMtu.MTU_1024);
            for (int id = 1; id <= MESSAGES; id++) {
                assertTrue(to.queuePair.postReceive(new ReceiveRequest().id(id).add(to.region, 0, 64)));
            }
            for (int id = 1; id <= MESSAGES; id++) {
                assertTrue(from.queuePair.postSend(new WorkRequest().id(id).send().add(from.region, 0, 8)));
            }
            for (int id = 1; id <= MESSAGES; id++) {
                WorkCompletion completion = to.completion();
                assertEquals(id, completion.workRequestId());
                received.add(completion.status());
                assertEquals(id == 2, completion.explanation().contains("a fault is made on purpose: post_recv"), completion::explanation);
                sent.add(from.completion().status());
            }
            assertEquals(List.of(CompletionStatus.SUCCESS, status, CompletionStatus.WR_FLUSH_ERR), received);
            assertEquals(List.of(CompletionStatus.SUCCESS, status == CompletionStatus.WR_FLUSH_ERR ? CompletionStatus.RETRY_EXC_ERR
                : answer(status), CompletionStatus.WR_FLUSH_ERR), sent);
            assertEquals(QueuePairState.ERROR, to.queuePair.state());
            assertEquals("{post_recv: status=" + status + " nth 2=1}", nic.verbsFaults().toString());
            // Another queue pair of the same NIC is as good as before.
            QueuePairLink.exchange(peer, nic, PathMtu.MTU_1024, 1000);
            assertEquals(1, nic.count(NetCounter.VERBS_FAULTS));
        }
    }

    @ParameterizedTest
    @CsvSource({"UC, post_recv, false", "UD, post_recv, false", "UC, post_srq_recv, true", "UD, post_srq_recv, true"})
    void aTransportWithoutAcknowledgementsSaysNothing(QueuePairType type, String verb, boolean isShared) throws Exception {
        try (RxeNic nic = open(verb + ": status=LOC_PROT_ERR nth 2")) {
            QueuePair pair = sendToItself(nic, type, isShared);
            // The second message had left before it arrived; what is shared is not flushed with one of its queue pairs.
            assertEquals(List.of(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS, CompletionStatus.WR_FLUSH_ERR), sent);
            assertEquals(isShared ? List.of(CompletionStatus.SUCCESS, CompletionStatus.LOC_PROT_ERR)
                : List.of(CompletionStatus.SUCCESS, CompletionStatus.LOC_PROT_ERR, CompletionStatus.WR_FLUSH_ERR), received);
            assertEquals(QueuePairState.ERROR, pair.state());
        }
    }

    @Test
    @DisplayName("a rule about receives of queue pairs is not about shared queues, nor the other way round, and UD has no remote access")
    void eachRuleHasItsQueues() throws Exception {
        try (RxeNic nic = open("post_recv: status=LOC_PROT_ERR; post_srq_recv: status=LOC_ACCESS_ERR")) {
            sendToItself(nic, QueuePairType.UD, true);
            assertEquals(List.of(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS), received);
            assertEquals(0, nic.verbsFaults().values().stream().mapToLong(Long::longValue).sum());
        }
    }
}
