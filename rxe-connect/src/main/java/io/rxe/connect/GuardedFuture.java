package io.rxe.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A future that refuses to wait where it would wait for itself: on a thread that must go on to complete it, {@code get} and {@code join}
 * throw IllegalStateException unless it is done. What is derived from it does the same.
 */
class GuardedFuture<T> extends CompletableFuture<T> {
    private final BooleanSupplier isCompleter;

    /** @param isCompleter whether the current thread must go on so that the future completes. */
    GuardedFuture(BooleanSupplier isCompleter) {
        this.isCompleter = isCompleter;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(isCompleter);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        check("get");
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        check("get");
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        check("join");
        return super.join();
    }

    private void check(String method) {
        if (!isDone() && isCompleter.getAsBoolean()) {
            throw new IllegalStateException(method + " in a callback on " + Thread.currentThread().getName() + ", the thread that completes"
                + " this: it would wait for itself; use thenAccept or the like, give onMessage an executor, or wait on another thread");
        }
    }
}
