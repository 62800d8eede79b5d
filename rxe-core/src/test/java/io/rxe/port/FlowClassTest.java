package io.rxe.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.wire.Gid;
import org.junit.jupiter.api.Test;

class FlowClassTest {
    private static final Flow FLOW = new Flow(Gid.parse("10.0.0.1"), Gid.parse("10.0.0.2"), 4791, 4791, 0xB8);

    @Test
    void theTrafficClassIsNoPartOfThePath() {
        Flow marked = FLOW.withTrafficClass(0xBB);
        assertEquals(FLOW, marked);
        assertEquals(FLOW.hashCode(), marked.hashCode());
        assertEquals(FLOW.icrcSeed(), marked.icrcSeed());
        assertEquals(0xB8, FLOW.trafficClass());
        assertEquals(0xBB, marked.trafficClass());
        assertSame(FLOW, FLOW.withTrafficClass(0xB8));
    }

    @Test
    void onlyBothEcnBitsAreAMark() {
        assertTrue(FLOW.withTrafficClass(3).isCongestionExperienced());
        assertTrue(FLOW.withTrafficClass(255).isCongestionExperienced());
        assertFalse(FLOW.withTrafficClass(0xBA).isCongestionExperienced());
        assertFalse(FLOW.withTrafficClass(1).isCongestionExperienced());
    }

    @Test
    void aClassOutOfRangeIsRefusedWithTheRange() {
        for (int wrong : new int[] {-1, 256}) {
            String message = assertThrows(IllegalArgumentException.class, () -> FLOW.withTrafficClass(wrong)).getMessage();
            assertEquals("traffic class " + wrong + " is not in 0..255: the DSCP times 4", message);
        }
    }
}
