package io.rxe.net.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.net.StubEngine;
import io.rxe.net.port.Warnings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoopFaultsTest {
    @Test
    @DisplayName("socket code that throws for ever has the engine fail, again and again: without memory not all is flushed yet")
    void socketCodeThatThrowsForEver() {
        LoopFaults faults = new LoopFaults(0, new Warnings(sentence -> { }), false);
        AtomicInteger failures = new AtomicInteger();
        faults.attach(new StubEngine() {
            @Override
            public void fail(Throwable cause) {
                failures.incrementAndGet();
            }
        });
        for (int fault = 1; fault <= LoopFaults.MAX_PORT_FAULTS; fault++) {
            faults.onPort(new NoClassDefFoundError("thrown by the test"));
        }
        assertEquals(0, failures.get());
        for (int fault = 1; fault <= 3; fault++) {
            faults.onPort(new NoClassDefFoundError("thrown by the test"));
            assertEquals(fault, failures.get());
        }
    }

    @Test
    @DisplayName("a warning that cannot be printed does not end the loop, and is given by the watchdog later")
    void anErrorOfTheWarning() {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch late = new CountDownLatch(1);
        LoopFaults faults = new LoopFaults(0, new Warnings(sentence -> {
            if (calls.incrementAndGet() < 3) {
                throw new OutOfMemoryError("no heap for a warning either");
            }
            assertTrue(sentence.contains("too little heap"), sentence);
            late.countDown();
        }), false);
        List<String> failures = new ArrayList<>();
        faults.attach(new StubEngine() {
            @Override
            public void fail(Throwable cause) {
                failures.add(cause.getMessage());
            }
        });
        faults.onEngine(new OutOfMemoryError("first"));
        assertEquals(List.of("first"), failures);
        assertEquals(1, calls.get());
        faults.reportLate();
        faults.reportLate();
        assertEquals(0, late.getCount());
        faults.reportLate();
        assertEquals(3, calls.get(), "told once");
    }
}
