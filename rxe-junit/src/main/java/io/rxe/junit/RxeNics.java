package io.rxe.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test NICs on loopback addresses, with one free UDP port for all of them.
 *
 * <pre>{@code
 *   @Test
 *   @RxeNics(value = 2, fault = "loss 1%")
 *   void messagesArrive(RxeNic server, RxeNic client, @FreePort int port) throws Exception {
 *       ...
 *   }
 * }</pre>
 *
 * <p>The first parameter of type {@code RxeNic} is the first NIC, and so on; {@code RxeNic[]} has all of them. Parameters of
 * {@code @BeforeEach} and {@code @AfterEach} methods work too, those of constructors do not: NICs are opened for one test. The address of a
 * NIC is {@code nic.localInterface().address()}.
 *
 * <p>If the test fails, {@code target/rxe-junit/CLASS.METHOD} has {@code nic-N.pcapng} with the latest packets and
 * {@code nic-N-counters.txt}. The configuration parameter {@code rxe.junit.folder} of JUnit names another folder. An annotation of the
 * method overrides that of the class.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@ExtendWith(RxeNicExtension.class)
public @interface RxeNics {
    /** Number of NICs, 1 to 200. */
    int value() default 2;

    /**
     * Faults of what the last NIC sends and receives, in the words of netem and of {@code --fault}: for example "loss 1%" or
     * "delay 1ms 200us reorder 5%". Empty for none.
     */
    String fault() default "";

    /**
     * Faults at the verbs of the last NIC, in the words of {@code --verbs-fault}: for example "poll_cq: status=RETRY_EXC_ERR nth 3" or
     * "async: PORT_ERR after 1s". Empty for none.
     */
    String verbsFault() default "";

    /** Engines of each NIC, 1 to 64. */
    int engines() default 1;

    /** Seed of faults and random numbers, so that a test draws the same ones each time. */
    long seed() default 1;
}
