package io.rxe.disni;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.util.NativeAffinity;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VerbsTest {
    private final ByteBuffer here = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder());
    private final ByteBuffer there = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder());
    private Loop loop;
    private IbvMr local;
    private IbvMr remote;

    @BeforeEach
    void connect() throws IOException {
        loop = new Loop();
        local = loop.register(here);
        remote = loop.register(there);
    }

    @AfterEach
    void end() throws IOException {
        loop.close();
    }

    private SVCPostSend post(IbvSendWR... requests) throws IOException {
        return loop.client.getQp().postSend(List.of(requests), null).execute();
    }

    private IbvSendWR oneSided(int opcode, int id, int length) {
        IbvSendWR request = Loop.send(opcode, id, Loop.element(local, 0, length));
        request.getRdma().setRemote_addr(remote.getAddr());
        request.getRdma().setRkey(remote.getRkey());
        return request;
    }

    private void expect(int id, int opcode, int length) throws IOException {
        IbvWC completion = loop.completion();
        assertEquals(0, completion.getStatus());
        assertEquals(id, completion.getWr_id());
        assertEquals(opcode, completion.getOpcode());
        assertEquals(length, completion.getByte_len());
    }

    @Test
    @DisplayName("a call that is kept is run again with another id, address and key")
    void keptCallIsChanged() throws IOException {
        here.putLong(0, 11).putLong(8, 22);
        SVCPostSend call = post(oneSided(IbvSendWR.IBV_WR_RDMA_WRITE, 1, 8));
        assertEquals(1, loop.completion().getWr_id());
        assertEquals(11, there.getLong(0));
        call.getWrMod(0).setWr_id(2);
        call.getWrMod(0).getSgeMod(0).setAddr(local.getAddr() + 8);
        call.getWrMod(0).getRdmaMod().setRemote_addr(remote.getAddr() + 64);
        call.execute();
        assertEquals(2, loop.completion().getWr_id());
        assertEquals(22, there.getLong(64));
        call.getWrMod(0).getRdmaMod().setRkey(0);
        call.execute();
        assertEquals(IbvWC.IbvWcStatus.IBV_WC_REM_ACCESS_ERR.ordinal(), loop.completion().getStatus());
    }

    @Test
    @DisplayName("immediate data arrives as it was given, and a list is one chain")
    void immediateAndChain() throws IOException {
        for (int i = 0; i < 2; i++) {
            loop.receive(loop.server, 70 + i, Loop.element(remote, 64 * i, 64));
        }
        here.putLong(0, 33);
        IbvSendWR immediate = Loop.send(IbvSendWR.IBV_WR_SEND_WITH_IMM, 2, Loop.element(local, 0, 8));
        immediate.setImm_data(0x01020304);
        IbvSendWR silent = Loop.send(IbvSendWR.IBV_WR_SEND, 1, Loop.element(local, 0, 8));
        silent.setSend_flags(0);
        post(silent, immediate);
        int immediates = 0;
        for (int i = 0; i < 3; i++) {
            IbvWC completion = loop.completion();
            assertEquals(0, completion.getStatus());
            if (completion.getWr_id() == 71) {
                assertEquals(0x01020304, completion.getImm_data());
                immediates++;
            }
        }
        assertEquals(1, immediates);
        assertEquals(33, there.getLong(64));
    }

    @Test
    @DisplayName("READ and the atomics bring data back")
    void readAndAtomics() throws IOException {
        there.putLong(0, 7);
        post(oneSided(IbvSendWR.IBV_WR_RDMA_READ, 1, 8));
        expect(1, IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode(), 8);
        assertEquals(7, here.getLong(0));
        IbvSendWR add = Loop.send(IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, 2, Loop.element(local, 8, 8));
        add.getAtomic().setRemote_addr(remote.getAddr());
        add.getAtomic().setRkey(remote.getRkey());
        add.getAtomic().setCompare_add(5);
        post(add);
        expect(2, IbvWC.IbvWcOpcode.IBV_WC_FETCH_ADD.getOpcode(), 8);
        assertEquals(7, here.getLong(8));
        assertEquals(12, there.getLong(0));
    }

    @Test
    @DisplayName("inline data may be changed as soon as it is posted, and is limited")
    void inline() throws IOException {
        loop.receive(loop.server, 70, Loop.element(remote, 0, 64));
        here.putLong(0, 44);
        IbvSendWR request = Loop.send(IbvSendWR.IBV_WR_SEND, 1, Loop.element(local, 0, 8));
        request.setSend_flags(IbvSendWR.IBV_SEND_INLINE);
        post(request);
        here.putLong(0, 0);
        expect(70, IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode(), 8);
        assertEquals(44, there.getLong(0));
        IbvSendWR longer = Loop.send(IbvSendWR.IBV_WR_SEND, 1, Loop.element(local, 0, 200));
        longer.setSend_flags(IbvSendWR.IBV_SEND_INLINE);
        IOException refused = assertThrows(IOException.class, () -> post(longer));
        assertTrue(refused.getMessage().startsWith("j2c::post_send: ibv_post_send failed: Invalid argument (inline data of 200 bytes"),
            refused::getMessage);
    }

    @Test
    @DisplayName("memory is registered by address, and deregistered once")
    void registersAddresses() throws IOException {
        IbvMr part = loop.domain.regMr(MemoryUtils.getAddress(there) + 128, 64, IbvMr.IBV_ACCESS_LOCAL_WRITE
            | IbvMr.IBV_ACCESS_REMOTE_WRITE).execute().free().getMr();
        here.putLong(0, 55);
        IbvSendWR write = oneSided(IbvSendWR.IBV_WR_RDMA_WRITE, 1, 8);
        write.getRdma().setRemote_addr(part.getAddr());
        write.getRdma().setRkey(part.getRkey());
        post(write);
        assertEquals(0, loop.completion().getStatus());
        assertEquals(55, there.getLong(128));
        part.deregMr().execute().free();
        IOException again = assertThrows(IOException.class, () -> part.deregMr().execute());
        assertEquals("Trying to deregister closed memory region.", again.getMessage());
    }

    @Test
    @DisplayName("a full queue and on-demand paging are errors as of libdisni")
    void refusals() throws IOException {
        for (int i = 0; i < 4; i++) {
            loop.receive(loop.client, i, Loop.element(local, 0, 8));
        }
        IOException full = assertThrows(IOException.class, () -> loop.receive(loop.client, 4, Loop.element(local, 0, 8)));
        assertTrue(full.getMessage().startsWith("j2c::post_recv: ibv_post_recv failed: Cannot allocate memory"), full::getMessage);
        IOException paging = assertThrows(IOException.class, () -> loop.domain.regMr(here, IbvMr.IBV_ACCESS_ON_DEMAND).execute());
        assertTrue(paging.getMessage().startsWith("j2c::regMr: ibv_reg_mr failed: Operation not supported"), paging::getMessage);
        assertEquals(-1, loop.client.getVerbs().queryOdpSupport());
        assertEquals(16, RdmaVerbs.open().deallocPd(loop.domain), "EBUSY");
    }

    @Test
    @DisplayName("an armed queue wakes its channel once, and the wait has a limit")
    void channel() throws IOException {
        loop.queue.reqNotification(false).execute().free();
        assertFalse(loop.channel.getCqEvent(loop.queue, 1));
        post(oneSided(IbvSendWR.IBV_WR_RDMA_WRITE, 1, 8));
        assertTrue(loop.channel.getCqEvent(loop.queue, 10_000));
        assertEquals(0, loop.queue.ackEvents(1));
        assertFalse(loop.channel.getCqEvent(loop.queue, 0));
        assertEquals(1, loop.completion().getWr_id());
    }

    @Test
    @DisplayName("what is destroyed is refused in the words of DiSNI")
    void destroyed() throws IOException {
        loop.channel.destroyCompChannel();
        loop.queue.destroyCQ();
        assertEquals("Trying to poll closed CQ.",
            assertThrows(IOException.class, () -> loop.queue.poll(new IbvWC[0], 0).execute()).getMessage());
        assertEquals("Trying to get CQ event on closed completion channel.",
            assertThrows(IOException.class, () -> loop.channel.getCqEvent(loop.queue, 0)).getMessage());
        assertEquals("Trying to destroy already destroyed CQ.", assertThrows(IOException.class, loop.queue::destroyCQ).getMessage());
    }

    @Test
    @DisplayName("the class of DiSNI that loads libdisni is replaced")
    void affinity() {
        NativeAffinity.setAffinity(1);
        assertTrue(NativeAffinity.getAffinity() != 0);
        assertEquals(32, RdmaVerbs.getVersion());
    }
}
