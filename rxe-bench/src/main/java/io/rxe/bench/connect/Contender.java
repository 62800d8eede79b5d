package io.rxe.bench.connect;

/** One way to do a work. A single thread calls it. */
interface Contender extends AutoCloseable {
    /** Does a work many times and returns when all of it is done. */
    void run(Work work, int times) throws Exception;

    @Override
    void close();
}
