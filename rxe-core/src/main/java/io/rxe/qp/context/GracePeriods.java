package io.rxe.qp.context;

/** Lets every engine finish what it is doing with memory whose key was invalidated on this one. Engine thread; no call waits. */
public interface GracePeriods {
    /** Begins a grace period. Returns its number, from 1. */
    long begin();

    /** Whether every engine has passed since it began, and uses nothing that was invalidated before. */
    boolean isOver(long number);
}
