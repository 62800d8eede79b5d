package io.rxe.testkit.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Whose a crash is, by the frames that a program or the JVM has printed")
class CrashTest {
    private static final int SEGV = 139;
    private static final int ABRT = 134;

    @Test
    @DisplayName("an end without a fault of memory is no crash, whatever backtrace was printed")
    void none() {
        assertNull(Crash.of(0, "all right"));
        assertNull(Crash.of(ABRT, """
            ucp_worker.c:1  Assertion `false' failed
            ==== backtrace (tid:  12569) ====
             0  /lib/x86_64-linux-gnu/libucs.so.0(ucs_handle_error+0x2dc) [0x7f93eeb56786]
            """));
    }

    @Test
    @DisplayName("a crash without a backtrace is taken for ours")
    void noBacktrace() {
        assertEquals(Crash.OURS, Crash.of(SEGV, "Segmentation fault"));
        assertEquals(Crash.OURS, Crash.of(ABRT, "free(): invalid pointer"));
        assertEquals(Crash.OURS, Crash.of(ABRT, "double free or corruption (!prev)\n"
            + "[vm:00894] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f020d106050]\n"));
    }

    @Test
    @DisplayName("the handler that prints, which the JVM has called, is no part of the crash; what is below the signal's frame is")
    void belowTheHandler() {
        String handler = """
            ==== backtrace (tid:  17966) ====
             0  /lib/x86_64-linux-gnu/libucs.so.0(ucs_handle_error+0x2dc) [0x7f93eeb56786]
             1  /usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so(+0xe1a7f4) [0x7f93eeb56787]
             2  /root/.cache/rxe/1/librxe-ibverbs.so(+0x51f1) [0x7f93eeb56788]
             3  /lib/x86_64-linux-gnu/libc.so.6(+0x3c050) [0x7f93eeb56789]
            """;
        assertEquals("its own crash in rping", Crash.of(SEGV, handler + " 4  rping(+0x51f1) [0x55c1]\n"));
        assertEquals(Crash.OURS, Crash.of(SEGV, handler + " 4  /root/.cache/rxe/1/librxe-ibverbs.so(+0x61f1) [0x55c1]\n"
            + " 5  rping(+0x51f1) [0x55c1]\n"));
    }

    @Test
    @DisplayName("of two backtraces, as of two ranks, one with a frame of ours is enough")
    void twoBacktraces() {
        String own = "[vm:00894] [ 0] /lib/libc.so.6(+0x3c050)[0x7f]\n[vm:00894] [ 1] /lib/ucx/libuct_ib.so.0(+0x6a634)[0x7f]\n";
        String ours = "[vm:00895] [ 0] /lib/libc.so.6(+0x3c050)[0x7f]\n[vm:00895] [11] /tmp/librxe-ibverbs.so(ibv_poll_cq+0x7)[0x7f]\n";
        assertEquals("its own crash in libuct_ib.so.0", Crash.of(ABRT, "double free\n" + own + own));
        assertEquals(Crash.OURS, Crash.of(ABRT, "double free\n" + own + ours));
    }

    @Test
    @DisplayName("the JVM's own list of native frames counts as a backtrace")
    void framesOfTheJvm() {
        String head = Crash.OF_JVM + " Environment:\n#\n# C  [librdmacm.so.1+0x51f1]\n\nNative frames: (J=compiled Java code)\n";
        assertEquals("its own crash in librdmacm.so.1", Crash.of(ABRT, head + "C  [librdmacm.so.1+0x51f1]  rdma_x+0x7\nC  [rping+0x3]\n"));
        assertEquals(Crash.OURS, Crash.of(ABRT, head + "C  [libc.so.6+0x51f1]  memcpy+0x7\nV  [libjvm.so+0x3]  Unsafe_Copy+0x1\n"));
        assertEquals(Crash.OURS, Crash.of(ABRT, head + "C  [librxe-ibverbs.so+0x51f1]  ibv_poll_cq+0x7\nC  [rping+0x3]\n"));
    }
}
