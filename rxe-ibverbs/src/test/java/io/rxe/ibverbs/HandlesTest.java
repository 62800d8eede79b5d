package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("handles of the program's objects")
class HandlesTest {
    private final Handles<String> handles = new Handles<>("queue pair", 0);

    @Test
    void beginAtOneAndGrow() {
        for (int i = 1; i <= 1000; i++) {
            assertEquals(i, handles.add("object " + i));
        }
        assertEquals("object 1", handles.get(1));
        assertEquals("object 1000", handles.get(1000));
    }

    @Test
    void areUsedAgain() {
        int first = handles.add("first");
        handles.add("second");
        handles.remove(first);
        assertEquals(first, handles.add("third"));
        assertEquals("third", handles.get(first));
    }

    @Test
    void thatNameNothingGiveWayToATest() {
        int first = handles.add("first");
        handles.add("second");
        assertEquals("first", handles.get(first, "second"::equals));
        assertEquals("second", handles.get(0xDEAD, "second"::equals));
        assertThrows(VerbFailure.Failed.class, () -> handles.get(0xDEAD, "third"::equals));
    }

    @Test
    void ofOneNicNameNothingOfAnother() {
        Handles<String> others = new Handles<>("queue pair", Handles.NICS - 1);
        int handle = others.add("of the last NIC");
        assertTrue(handle > 0);
        assertEquals(Handles.NICS - 1, Handles.nic(handle));
        assertEquals(0, Handles.nic(handles.add("of the first")));
        assertEquals("of the last NIC", others.get(handle));
        assertThrows(VerbFailure.Failed.class, () -> handles.get(handle));
        others.remove(handle);
        assertThrows(VerbFailure.Failed.class, () -> others.get(handle));
        assertEquals(handle, others.add("again"));
    }

    @Test
    void ofObjectsThatAreGoneAreNotFound() {
        handles.remove(handles.add("gone"));
        for (int handle : new int[] {-1, 0, 1, 2, Integer.MAX_VALUE}) {
            VerbFailure.Failed e = assertThrows(VerbFailure.Failed.class, () -> handles.get(handle));
            assertEquals(VerbError.ENOENT.number(), e.error().number());
            assertEquals("there is no queue pair with handle " + handle + ": it was destroyed, or is of another NIC", e.getMessage());
        }
    }
}
