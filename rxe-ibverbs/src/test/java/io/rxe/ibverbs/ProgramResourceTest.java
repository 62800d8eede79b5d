package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.fault.VerbError;
import io.rxe.fault.VerbFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("an object of the program")
class ProgramResourceTest {
    private final List<String> steps = new ArrayList<>();
    private final Handles<ProgramResource<AutoCloseable>> handles = new Handles<>("domain", 0);
    private final ProgramResource<AutoCloseable> owner = new ProgramResource<>(() -> steps.add("owner closed"));

    private AutoCloseable make() {
        return () -> steps.add("closed");
    }

    @Test
    @DisplayName("keeps what it needs until it is destroyed")
    void keepsWhatItNeeds() throws Exception {
        int handle = ProgramResource.make(handles, this::make, made -> new ProgramResource<>(made, owner), made -> steps.add("undone"));
        assertEquals(VerbError.EBUSY.number(), assertThrows(VerbFailure.Failed.class, owner::checkUnused).error().number());
        ProgramResource.destroy(handles, handle);
        owner.checkUnused();
        assertEquals(List.of("closed"), steps);
    }

    @Test
    @DisplayName("is closed and needs nothing if memory runs out before it has a handle")
    void isClosedWithoutMemory() {
        OutOfMemoryError failure = new OutOfMemoryError();
        assertSame(failure, assertThrows(OutOfMemoryError.class, () -> ProgramResource.make(handles, this::make, made -> {
            assertEquals(AutoCloseable.class, new ProgramResource<>(made, owner).object().getClass().getInterfaces()[0]);
            throw failure;
        }, made -> steps.add("undone"))));
        assertEquals(List.of("undone", "closed"), steps);
        owner.checkUnused();
        assertThrows(VerbFailure.Failed.class, () -> handles.get(1));
    }

    @Test
    @DisplayName("is closed with the reserve of the heap if closing runs out of memory, too")
    void isClosedWithReserve() {
        OutOfMemoryError failure = new OutOfMemoryError();
        AutoCloseable needy = () -> {
            steps.add("tried");
            if (steps.size() == 1) {
                throw new OutOfMemoryError();
            }
        };
        assertSame(failure, assertThrows(OutOfMemoryError.class, () -> ProgramResource.make(handles, () -> needy, made -> {
            throw failure;
        }, made -> owner.checkUnused())));
        assertEquals(List.of("tried", "tried"), steps);
        HeapReserve.refill();
    }
}
