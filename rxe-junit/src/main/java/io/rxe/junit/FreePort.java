package io.rxe.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter of type int gets a port: no other parameter of the test gets the same, and no program of this host listens on it with TCP.
 * For listeners of connection management, which belong to one NIC, and for TCP. Together with {@link RxeNics}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface FreePort {
}
