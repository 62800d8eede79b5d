/** NICs for tests: {@code @RxeNics(2)} on a class or method. */
module io.rxe.junit {
    requires transitive io.rxe.net;
    requires transitive org.junit.jupiter.api;
    requires org.junit.platform.commons;

    exports io.rxe.junit;
}
